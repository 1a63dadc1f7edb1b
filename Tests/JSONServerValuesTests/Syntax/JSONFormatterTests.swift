import JSONServerValues
import Testing

struct JSONFormatterTests {
  /// A line of `text` in `layout`, from a value that is at `level`.
  private func format(_ text: String, _ layout: JSONLayout, level: Int = 0) throws -> String {
    var output: [UInt8] = []
    JSONFormatter(layout).append(
      try ValidJSON(parsing: Array(text.utf8), maximumDepth: .max), level: level, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test(arguments: [
    ("null", "null"),
    (" 1 ", "1"),
    ("{}", "{}"),
    ("[ \n ]", "[]"),
    ("[[],{}]", "[\n  [],\n  {}\n]"),
    ("[1,2]", "[\n  1,\n  2\n]"),
    (#"{"a":1,"b":{"c":[]}}"#, "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": []\n  }\n}"),
    (#"{ "a" : [ { "b" : null } , true ] }"#, "{\n  \"a\": [\n    {\n      \"b\": null\n    },\n    true\n  ]\n}"),
    (#"["a,b:c{d}[e]\"f"]"#, "[\n  \"a,b:c{d}[e]\\\"f\"\n]"),
  ])
  func `Pretty text is what JSON.stringify with two spaces writes`(_ text: String, _ expected: String) throws {
    #expect(try format(text, .pretty) == expected)
  }

  @Test(arguments: [
    ("[ ]", "[]"), ("{ }", "{}"), ("[ 1 ,\n 2 ]", "[1,2]"), ("{ \"a\" : [ { } ] }", #"{"a":[{}]}"#),
    ("\t\"a b\"\n", #""a b""#),
  ])
  func `Compact text has no white space outside strings`(_ text: String, _ expected: String) throws {
    #expect(try format(text, .compact) == expected)
  }

  @Test(arguments: [
    ("{}", "{}"), ("[]", "[]"), ("[1,2]", "[1, 2]"), (#"{"a":1,"b":[{"c":2}]}"#, #"{ "a": 1, "b": [{ "c": 2 }] }"#),
  ])
  func `A record on one line is padded inside its braces`(_ text: String, _ expected: String) throws {
    #expect(try format(text, JSONLayout(indent: nil, afterComma: " ", padding: " ")) == expected)
  }

  @Test(arguments: [
    ("[1,2]", "[1, 2]"), ("[]", "[]"), ("[ \"a,]\" ]", "[\"a,]\"]"), ("[[1,\n2],[3]]", "[\n  [1, 2],\n  [3]\n]"),
    (#"{"a":[1 , null],"b":[{}],"c":true}"#, "{\n  \"a\": [1, null],\n  \"b\": [\n    {}\n  ],\n  \"c\": true\n}"),
  ])
  func `Lists of scalars may stay on one line`(_ text: String, _ expected: String) throws {
    var layout = JSONLayout.pretty
    layout.afterElement = " "
    #expect(try format(text, layout) == expected)
  }

  @Test func `Every line but the first starts with the margin and the level's indentation`() throws {
    let layout = JSONLayout(indent: "\t", margin: "> ", afterColon: "", newline: "\r\n")
    #expect(try format("[1,{\"a\":2}]", layout) == "[\r\n> \t1,\r\n> \t{\r\n> \t\t\"a\":2\r\n> \t}\r\n> ]")
    #expect(try format("[1]", .pretty, level: 2) == "[\n      1\n    ]")
  }

  @Test func `Levels beyond those made in advance are indented too`() throws {
    let depth = 40
    let text = String(repeating: "[", count: depth) + "0" + String(repeating: "]", count: depth)
    let lines = try format(text, .pretty).split(separator: "\n")
    #expect(lines.count == 2 * depth + 1)
    for (index, line) in lines.enumerated() {
      #expect(line.prefix { $0 == " " }.count == 2 * min(index, 2 * depth - index))
    }
  }

  @Test(arguments: [
    "1.0", "1E+2", "-0", "12345678901234567890", "0.10", #""\u0041\/\ud83d""#, #""\u00e9é""#, "\"\u{2028}\u{7F}\"",
  ])
  func `Tokens keep their bytes`(_ token: String) throws {
    #expect(try format("[ \(token) ]", .compact) == "[\(token)]")
    #expect(try format("{ \"a\" :\(token)}", .compact) == "{\"a\":\(token)}")
  }

  @Test func `Only the value is laid out, without what is around it`() throws {
    let list = try #require(try ValidJSON(parsing: Array("[ {\"a\": 1} , 2 ]".utf8)).elements)
    var output: [UInt8] = []
    for element in list { JSONFormatter(.compact).append(element, to: &output) }
    #expect(output == Array(#"{"a":1}2"#.utf8))
  }

  @Test(arguments: [4095, 4096, 4097, 10_000])
  func `Values of any length are appended whole, after what is there`(_ length: Int) throws {
    let long = String(repeating: "x", count: length)
    let bytes = Array("[\"\(long)\",1,\"\(long)\",\"y\"]".utf8)
    var output = Array("before ".utf8)
    JSONFormatter(.compact).append(try ValidJSON(parsing: bytes), to: &output)
    #expect(output == Array("before ".utf8) + bytes)
  }
}
