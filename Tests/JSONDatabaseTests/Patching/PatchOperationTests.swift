import JSONDatabase
import JSONServerValues
import TestSupport
import Testing

@Suite struct `JSON patches` {
  /// RFC 6902, appendix A, those that succeed: what there is, the operations, the result.
  static let appendix = [
    (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"foo":"bar","baz":"qux"}"#),
    (#"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#, #"{"foo":["bar","qux","baz"]}"#),
    (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
    (#"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
    (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#, #"{"baz":"boo","foo":"bar"}"#),
    (
      #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
      #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
      #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
    ),
    (
      #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
      #"{"foo":["all","cows","eat","grass"]}"#
    ),
    (
      #"{"baz":"qux","foo":["a",2,"c"]}"#,
      #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
      #"{"baz":"qux","foo":["a",2,"c"]}"#
    ),
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
      #"{"foo":"bar","child":{"grandchild":{}}}"#
    ),
    (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#, #"{"foo":"bar","baz":"qux"}"#),
    (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
    (#"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#, #"{"foo":["bar",["abc","def"]]}"#),
  ]

  static let more = [
    ("{}", "[]", "{}"),
    (#"{"a":1}"#, #"[{"op":"add","path":"/a","value":2}]"#, #"{"a":2}"#),
    (#"{"a":1}"#, #"[{"op":"replace","path":"","value":{"b":1}}]"#, #"{"b":1}"#),
    (#"{"a":1}"#, #"[{"op":"add","path":"","value":{}}]"#, "{}"),
    (#"{"a":1}"#, #"[{"op":"copy","from":"","path":"/b"}]"#, #"{"a":1,"b":{"a":1}}"#),
    (#"{"a":{"b":1}}"#, #"[{"op":"move","from":"/a/b","path":"/a"}]"#, #"{"a":1}"#),
    (#"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/a"}]"#, #"{"a":1}"#),
    (#"{"a":[1,2,3]}"#, #"[{"op":"move","from":"/a/0","path":"/a/-"}]"#, #"{"a":[2,3,1]}"#),
    (#"{"a":[]}"#, #"[{"op":"add","path":"/a/0","value":1}]"#, #"{"a":[1]}"#),
    (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/1","value":2}]"#, #"{"a":[1,2]}"#),
    (#"{"a":[1]}"#, #"[{"op":"remove","path":"/a/0"}]"#, #"{"a":[]}"#),
    (#"{"a":[ 1 , 2 ]}"#, #"[{"op":"remove","path":"/a/0"}]"#, #"{"a":[2]}"#),
    (
      #"{"a/b":1,"m~n":2,"":3,"~1":4}"#, #"[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"}]"#,
      #"{"":3,"~1":4}"#
    ),
    (#"{"":1,"a":2}"#, #"[{"op":"remove","path":"/"}]"#, #"{"a":2}"#),
    (#"{"-":1}"#, #"[{"op":"replace","path":"/-","value":2}]"#, #"{"-":2}"#),
    (#"{"0":{"1":2}}"#, #"[{"op":"add","path":"/0/01","value":3}]"#, #"{"0":{"1":2,"01":3}}"#),
    (#"{"a":1,"a":2,"b":3}"#, #"[{"op":"remove","path":"/a"}]"#, #"{"b":3}"#),
    (#"{"o":{ "b":3, "a":1, "\u0061":2 }}"#, #"[{"op":"remove","path":"/o/a"}]"#, #"{"o":{"b":3}}"#),
    (#"{"o":{"a":1,"a":2},"p":3}"#, #"[{"op":"remove","path":"/o/a"}]"#, #"{"o":{},"p":3}"#),
    (#"{"\u00e9":1}"#, #"[{"op":"replace","path":"/é","value":2}]"#, #"{"é":2}"#),
    ("{}", #"[{"op":"add","path":"/a\"b\n","value":1}]"#, #"{"a\"b\n":1}"#),
    // Equality
    (#"{"a":1.0}"#, #"[{"op":"test","path":"/a","value":10e-1}]"#, #"{"a":1.0}"#),
    (#"{"a":-0}"#, #"[{"op":"test","path":"/a","value":0.00}]"#, #"{"a":-0}"#),
    (#"{"a":"\u0041\/"}"#, #"[{"op":"test","path":"/a","value":"A/"}]"#, #"{"a":"A/"}"#),
    (
      #"{"a":{"b":[1,{}],"c":null}}"#, #"[{"op":"test","path":"","value":{"a":{"c":null,"b":[1.0,{}]}}}]"#,
      #"{"a":{"b":[1,{}],"c":null}}"#
    ),
  ]

  @Test(arguments: appendix + more)
  func `change a document as RFC 6902 says`(_ document: String, _ operations: String, _ expected: String) throws {
    #expect(try Self.apply(operations, to: document) == expected)
  }

  /// RFC 6902, appendix A, those that fail, and others: what there is, the operations, what the message says.
  static let conflicts = [
    (
      #"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#,
      #"Operation 0 of the patch, test '/baz': the value is "qux", not "bar""#
    ),
    (
      #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#,
      "Operation 0 of the patch, add '/baz/bat': there is nothing at '/baz'"
    ),
    (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":"10"}]"#, "'/~01'"),
    (
      "{}", #"[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}]"#,
      "Operation 1 of the patch, remove '/b'"
    ),
    ("{}", #"[{"op":"replace","path":"/a~1b~0/c","value":1}]"#, "nothing at '/a~1b~0/c'"),
    (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/2","value":1}]"#, "beyond"),
    (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/01","value":1}]"#, "'01' is not a position"),
    (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/x","value":1}]"#, "'x' is not a position"),
    (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/+1","value":1}]"#, "'+1'"),
    (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/99999999999999999999","value":1}]"#, "position"),
    (#"{"a":[1]}"#, #"[{"op":"remove","path":"/a/-"}]"#, "'/a/-'"),
    (#"{"a":[1]}"#, #"[{"op":"remove","path":"/a/1"}]"#, "'/a/1'"),
    (#"{"a":[1]}"#, #"[{"op":"test","path":"/a/00","value":1}]"#, "'/a/00'"),
    (#"{"a":"x"}"#, #"[{"op":"add","path":"/a/b","value":1}]"#, "a string"),
    (#"{"a":1}"#, #"[{"op":"copy","from":"/b","path":"/c"}]"#, "copy '/c' from '/b'"),
    (#"{"a":1}"#, #"[{"op":"move","from":"/b","path":"/c"}]"#, "move '/c' from '/b'"),
    (#"{"a":1}"#, #"[{"op":"move","from":"/a","path":"/b/c"}]"#, "'/b'"),
    (#"{"a":1}"#, #"[{"op":"remove","path":""}]"#, "whole"),
    (
      #"{"a":12345678901234567890}"#, #"[{"op":"test","path":"/a","value":12345678901234567891}]"#,
      "not 12345678901234567891"
    ),
    (#"{"a":1e99999999999999999999}"#, #"[{"op":"test","path":"/a","value":1e99999999999999999998}]"#, "not"),
    (#"{"a":[1,2]}"#, #"[{"op":"test","path":"/a","value":[1]}]"#, "not"),
    (#"{"a":{"b":1}}"#, #"[{"op":"test","path":"/a","value":{"b":1,"c":2}}]"#, "not"),
    (#"{"a":true}"#, #"[{"op":"test","path":"/a","value":false}]"#, "not"),
    (#"{"a":null}"#, #"[{"op":"test","path":"/b","value":null}]"#, "nothing at '/b'"),
  ]

  @Test(arguments: conflicts)
  func `that contradict the document are refused with operation and pointer`(
    _ document: String, _ operations: String, _ reason: String
  ) {
    let error = #expect(throws: DatabaseError.self) { try Self.apply(operations, to: document) }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  static let malformed = [
    (#"{"op":"add"}"#, "an object"), ("[1]", "Operation 0 of the patch is a number"), ("[{}]", "lacks 'op'"),
    (#"[{"op":"add","path":"/a","value":1},{"op":"spam","path":"/a"}]"#, "Operation 1 of the patch is 'spam'"),
    (#"[{"op":"Add","path":"/a","value":1}]"#, "'Add'"), (#"[{"op":"add","path":"/a"}]"#, "lacks 'value'"),
    (#"[{"op":"replace","path":"/a"}]"#, "lacks 'value'"), (#"[{"op":"test","path":"/a"}]"#, "lacks 'value'"),
    (#"[{"op":"add","value":1}]"#, "lacks 'path'"), (#"[{"op":"copy","path":"/a"}]"#, "lacks 'from'"),
    (#"[{"op":"move","path":"/a"}]"#, "lacks 'from'"), (#"[{"op":"remove","path":7}]"#, "7"),
    (#"[{"op":"remove","path":"a"}]"#, "not a JSON Pointer"), (#"[{"op":"remove","path":"/~"}]"#, "'/~'"),
    (#"[{"op":"remove","path":"/a~2"}]"#, "'/a~2'"), (#"[{"op":"copy","path":"/a","from":"b"}]"#, "from 'b'"),
    (#"[{"op":"move","from":"/a","path":"/a/b"}]"#, "into itself"), (#"[{"op":"move","from":"","path":"/b"}]"#, "into"),
    // Appendix A.13
    (#"[{"op":"add","path":"/baz","value":"qux","op":"remove"}]"#, "'op' twice"),
  ]

  @Test(arguments: malformed)
  func `that are none are refused with the operation`(_ operations: String, _ reason: String) {
    let error = #expect(throws: DatabaseError.self) { try Self.apply(operations, to: #"{"a":{"b":1}}"#) }
    // Only such a move has a valid form.
    #expect(error?.code == (reason.hasPrefix("into") ? .conflict : .invalidBody))
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `may not nest the document deeper than it may be`() throws {
    let copy = #"{"op":"copy","from":"","path":"/a"}"#
    #expect(try Self.apply("[\(copy),\(copy)]", to: "{}", maximumDepth: 3) == #"{"a":{"a":{}}}"#)
    let error = #expect(throws: DatabaseError.self) {
      try Self.apply("[\(copy),\(copy),\(copy)]", to: "{}", maximumDepth: 3)
    }
    #expect(error?.code == .invalidBody)
    #expect(error?.message.contains("Operation 2") == true && error?.message.contains("deeper than 3") == true)
  }

  @Test func `may not double a document without end`() {
    let text = String(repeating: "x", count: 1000)
    let copies = Array(repeating: #"{"op":"copy","from":"/a","path":"/a/-"}"#, count: 40).joined(separator: ",")
    let error = #expect(throws: DatabaseError.self) {
      try Self.apply("[\(copies)]", to: #"{"a":["\#(text)"]}"#, maximumDepth: 1000, maximumSize: 1 << 20)
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `may make a document larger only by so much`() throws {
    let operations = #"[{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"}]"#
    let document = #"{"a":"xxx"}"#
    // Each copy is ten bytes with its comma.
    #expect(try Self.apply(operations, to: document, maximumGrowth: 20).utf8.count == document.utf8.count + 20)
    let error = #expect(throws: DatabaseError.self) {
      try Self.apply(operations, to: document, maximumGrowth: 19)
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.message.contains("Operation 1") == true && error?.message.contains("more than 19 bytes") == true)
  }

  @Test func `remove all members of a name at the cost of one`() throws {
    let members = Array(repeating: #""a":1"#, count: 2000).joined(separator: ",")
    let operations = #"[{"op":"remove","path":"/x/a"}]"#
    let document = #"{"x":{\#(members)}}"#
    #expect(try Self.apply(operations, to: document, maximumSize: 2 * document.utf8.count) == #"{"x":{}}"#)
  }

  @Test func `count each walk of the document`() {
    let document = #"{"a":"\#(String(repeating: "x", count: 1000))"}"#
    let moves = #"{"op":"move","from":"/a","path":"/b"},{"op":"move","from":"/b","path":"/a"}"#
    let error = #expect(throws: DatabaseError.self) {
      try Self.apply("[\(moves)]", to: document, maximumSize: 3 * document.utf8.count)
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `pay for what they move, not for the document`() throws {
    let document =
      #"{"list":[\#((0..<2_000).map(String.init).joined(separator: ","))],"text":"\#(String(repeating: "x", count: 100_000))"}"#
    let operations = (0..<1_000).map { #"{"op":"replace","path":"/list/\#($0)","value":0}"# }
    let changed = try Self.apply(
      "[\(operations.joined(separator: ","))]", to: document, maximumSize: document.utf8.count)
    #expect(changed.hasPrefix(#"{"list":[0,0,0,0,"#))
    let insertions = Array(repeating: #"{"op":"add","path":"/list/0","value":0}"#, count: 1_000)
    let error = #expect(throws: DatabaseError.self) {
      try Self.apply("[\(insertions.joined(separator: ","))]", to: document, maximumSize: 1 << 20)
    }
    #expect(error?.message.contains("1 MiB") == true)
  }

  @Test func `count the bytes of the document as it is written`() throws {
    var random = SeededGenerator(seed: 11)
    let document = #"{"a":[1,{"b":2}],"c":{"d\"":{}},"e":"x"}"#
    let pointers = ["/a/0", "/a/-", "/a/1", "/a/1/b", "/c", "/c/d\\\"", "/c/n", "/e", "/f", "/a"]
    for _ in 0..<400 {
      let operations = (0..<6).map { _ in
        let path = pointers.randomElement(using: &random) ?? "/a"
        let from = pointers.randomElement(using: &random) ?? "/a"
        let op = ["add", "remove", "replace", "copy", "move"].randomElement(using: &random) ?? "add"
        let value = ["{}", "[]", "12", #"{"b":[3]}"#].randomElement(using: &random) ?? "{}"
        return #"{"op":"\#(op)","path":"\#(path)","from":"\#(from)","value":\#(value)}"#
      }
      let patch = "[\(operations.joined(separator: ","))]"
      guard let changed = try? Self.apply(patch, to: document) else { continue }
      // What a document may grow by is exactly what it grows by at the end, where it grows all the time.
      let growth = max(changed.utf8.count - document.utf8.count, 0)
      let isEnough = (try? Self.apply(patch, to: document, maximumGrowth: growth)) != nil
      let largest =
        try (1...6).map { count in
          try Self.apply("[\(operations.prefix(count).joined(separator: ","))]", to: document).utf8.count
        }.max() ?? 0
      #expect(isEnough == (largest <= document.utf8.count + growth), "\(patch)")
    }
  }

  private static func apply(
    _ operations: String, to document: String, maximumDepth: Int = 512, maximumGrowth: Int = 1 << 28,
    maximumSize: Int = 1 << 28
  ) throws -> String {
    let patch = Patch.operations(try PatchOperation.all(in: try ValidJSON(parsing: Array(operations.utf8))))
    return try patch.applied(
      to: try ValidJSON(parsing: Array(document.utf8)), maximumDepth: maximumDepth, maximumGrowth: maximumGrowth,
      maximumSize: maximumSize
    ).string
  }
}
