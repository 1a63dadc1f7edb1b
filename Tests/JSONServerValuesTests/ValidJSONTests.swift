import JSONServerValues
import Testing

/// Uses what other modules see: none of them can make a `ValidJSON` or a `ValueToken` of bytes that were not scanned.
struct ValidJSONTests {
  private func value(_ text: String) throws -> ValidJSON {
    try ValidJSON(parsing: Array(text.utf8))
  }

  @Test(arguments: ["", "{", "[1,]", "{\"a\":1", "\"a", "1 2", "\u{FEFF}"])
  func `Text that is not one value makes none`(_ text: String) {
    #expect(throws: JSONError.self) { try value(text) }
  }

  @Test func `A value is kept without what is around it`() throws {
    #expect(try value("\u{FEFF} [ 1 ]\n").string == "[ 1 ]")
    #expect(ValidJSON(writing: ["a": ["\n", 1.5]]).string == #"{"a":["\n",1.5]}"#)
  }

  @Test func `A part of a value is a value`() throws {
    let object = try value(#"{ "a" : [ 1 , {"b": "]"} ], "\u0063": null }"#)
    #expect(object.member(Array("a".utf8))?.elements?.map(\.string) == ["1", #"{"b": "]"}"#])
    #expect(object.member(Array("c".utf8))?.string == "null")
    #expect(object.member(Array("b".utf8)) == nil)
    #expect(object.elements == nil)
    #expect(try value("[ ]").elements?.count == 0)
    #expect(try value("7").member([]) == nil)
    let repeated = try value(#"{"a": 1, "b": 2, "\u0061": [3], "c": 4}"#)
    #expect(repeated.members(named: ["c", "a", "d"]) == ["a": [3], "c": 4])
    #expect(try value("7").members(named: ["a"]).isEmpty)
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":1}"#), (#"{"p":1}"#, "{}"), (#"{ "p" : 1 }"#, "{}"), (#"{"p":1,"a":2}"#, #"{"a":2}"#),
    (#"{"a":1,"p":{"p":2}}"#, #"{"a":1}"#), (#"{"a":1,"p":2,"b":3}"#, #"{"a":1,"b":3}"#),
    (#"{"p":1,"\u0070":2,"a":3,"p":4,"p":5}"#, #"{"a":3}"#), (#"{"p":1,"p":2}"#, "{}"),
    (#"[{"a":{"p":1}},{"b":[{"p":"}"},"p"]}]"#, #"[{"a":{}},{"b":[{},"p"]}]"#),
    ("{\n  \"a\": 1,\n  \"p\": 2\n}", "{\n  \"a\": 1\n}"), ("{\n  \"p\": 2,\n  \"a\": 1\n}", "{\n  \"a\": 1\n}"),
    (#""p""#, #""p""#), ("7", "7"),
  ])
  func `A member is removed at any depth, and the layout stays`(_ text: String, _ rest: String) throws {
    #expect(try value(text).removing("p").string == rest)
  }

  @Test func `A reader starts at nothing but what it reads`() throws {
    try value("[1]").withToken { #expect(ObjectReader($0) == nil) }
    try value("{}").withToken { #expect(ArrayReader($0) == nil) }
  }

  @Test(arguments: [
    ("7", "7"), ("{}", "{}"), (#"{"a":[1,"b",{"c":null}],"d":"e"}"#, "{a:[1b{c:null}]d:e}"),
  ])
  func `Tokens come in order, names apart from strings`(_ text: String, _ expected: String) throws {
    var seen = ""
    try value(text).withToken { token in
      var reader = TokenReader(token)
      var open: [String] = []
      while let token = reader.next() {
        switch token {
        case .open(let kind):
          seen += kind == .object ? "{" : "["
          open.append(kind == .object ? "}" : "]")
        case .close: seen += open.removeLast()
        case .name(let name): seen += String(decoding: name.content, as: UTF8.self) + ":"
        case .scalar(let value):
          seen +=
            value.kind == .string ? String(decoding: value.content, as: UTF8.self) : value.value.text(pretty: false)
        }
      }
    }
    #expect(seen == expected)
  }

  @Test(arguments: [
    ("{}", #"{"a":1,"b":[]}"#), (#"{"a":0,"c":2}"#, #"{"c":2,"a":1,"b":[]}"#), ("[]", #"{"a":1,"b":[]}"#),
  ])
  func `Added members take the place of those of their names`(_ text: String, _ expected: String) throws {
    let one = try value("1")
    let joined = try value(text).withToken { ValidJSON($0, adding: [("a", .one(one)), ("b", .many([]))]) }
    #expect(joined.string == expected)
  }

  @Test func `A draft keeps the first place and the last value of a name`() throws {
    var draft = try #require(ObjectDraft(value(#"{"a":1,"b":2,"\u0061":3}"#)))
    draft.set("c", to: .null)
    draft.remove("b")
    #expect(draft.text(.compact).string == #"{"a":3,"c":null}"#)
    #expect(try draft.merged(into: value(#"{ "c": 1 }"#), .compact).string == #"{ "c": null,"a": 3 }"#)
    #expect(try ObjectDraft(value("[]")) == nil)
  }
}
