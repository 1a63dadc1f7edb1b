import JSONServerValues
import Testing

struct JSON5Tests {
  private func json(_ text: String, maximumDepth: Int = 512) throws -> [UInt8] {
    try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws in
      try JSON5.json(from: bytes, maximumDepth: maximumDepth)
    }
  }

  /// Converts to JSON, checks it and takes its white space away.
  private func compact(_ text: String) throws -> String {
    let json = try json(text)
    var output: [UInt8] = []
    JSONFormatter(.compact).append(try ValidJSON(parsing: json), to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Texts, and the JSON that they are; `nil` for texts that are refused.
  private static let texts: [(String, String?)] = [
    // Objects
    ("{}", "{}"), ("{a:1}", #"{"a":1}"#), ("{'a':1,}", #"{"a":1}"#), (#"{"a":1,b:2}"#, #"{"a":1,"b":2}"#),
    ("{$_:1,_$:2,a\u{200C}:3,ünïcödé:4}", "{\"$_\":1,\"_$\":2,\"a\u{200C}\":3,\"ünïcödé\":4}"),
    (#"{\u0061b:1,sig\u03A3ma:2}"#, #"{"\u0061b":1,"sig\u03A3ma":2}"#),
    ("{null:1,true:2,Infinity:3,a1:4}", #"{"null":1,"true":2,"Infinity":3,"a1":4}"#),
    ("{'':1,\"\":2}", #"{"":1,"":2}"#), ("{10:1}", nil), ("{a-b:1}", nil), ("{,}", nil), ("{a:1,,}", nil),
    ("{a}", nil), ("{a:}", nil), ("{a:1 b:2}", nil), (#"{\u002D:1}"#, nil), (#"{a\x62:1}"#, nil), ("{\u{301}:1}", nil),
    // Arrays
    ("[]", "[]"), ("[1,]", "[1]"), ("[1,2]", "[1,2]"), ("[[],{},]", "[[],{}]"), ("[,]", nil), ("[1,,2]", nil),
    ("[1 2]", nil), ("[", nil), ("[1", nil), ("[1,", nil), ("[1}", nil), ("]", nil),
    // Strings
    (#"'a"b'"#, #""a\"b""#), (#""a'b""#, #""a'b""#), (#"'\''"#, #""'""#),
    (#""\"\\\/\b\f\n\r\t""#, #""\"\\\/\b\f\n\r\t""#),
    (#"'\v\0\x41\u00e9'"#, #""\u000b\u0000\u0041\u00e9""#), (#"'\A\C\/\é\-'"#, #""AC\/é-""#), ("'a\\\nb'", #""ab""#),
    ("'a\\\r\nb'", #""ab""#), ("'a\\\rb'", #""ab""#), ("'a\\\u{2028}b\\\u{2029}c'", #""abc""#),
    ("'\t\u{1}'", #""\t\u0001""#),
    ("'\u{2028}'", "\"\u{2028}\""), ("'😀'", "\"😀\""), (#"'\uD83D'"#, #""\uD83D""#), ("'//'", #""//""#),
    (#"'\😀'"#, "\"😀\""),
    ("'\\\u{1}'", #""\u0001""#), ("'a\nb'", nil), ("'a\rb'", nil), ("'a", nil), ("'a\\", nil), ("'a\"", nil),
    (#"'\01'"#, nil),
    (#"'\1'"#, nil), (#"'\x4'"#, nil), (#"'\xg0'"#, nil), (#"'\u12'"#, nil),
    // Numbers
    ("0", "0"), ("-0", "-0"), ("+1", "1"), ("1.50", "1.50"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"),
    ("+5.e3", "5e3"),
    (".5E+03", "0.5E+03"), ("1e-999", "1e-999"), ("12345678901234567890", "12345678901234567890"), ("0x10", "16"),
    ("0XdecAF", "912559"), ("-0xC8", "-200"), ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"),
    ("0x10000000000000000", "18446744073709552000"), ("+0x0", "0"), ("0.", "0"), ("Infinity", nil), ("-Infinity", nil),
    ("+NaN", nil), ("NaN", nil), ("01", nil), ("00", nil), ("0x", nil), ("0xg", nil), (".", nil), ("+", nil),
    ("--1", nil),
    ("+ 1", nil), ("1a", nil), ("1e", nil), ("1e+", nil), (".e1", nil), ("1.2.3", nil), ("1_000", nil), ("0x1.8", nil),
    ("0b1", nil), (#"1\u0061"#, nil),
    // Words
    ("null", "null"), ("true", "true"), ("false", "false"), ("nul", nil), ("nulll", nil), ("True", nil),
    ("undefined", nil),
    // White space and comments
    ("\u{FEFF} \t\u{B}\u{C}\u{A0}\u{2003}\u{3000}\r\n\u{2028}\u{2029}1", "1"), ("// a\n1// b", "1"),
    ("/**/1/* ** / */", "1"),
    ("[/*a*/1/*b*/,//c\r2]", "[1,2]"), ("{/*a*/b/*c*/:/*d*/1/*e*/}", #"{"b":1}"#), ("// a\u{2028}1", "1"), ("", nil),
    (" // only", nil), ("/* open", nil), ("/*/1", nil), ("/ 1", nil), ("1 /", nil), ("1 2", nil), ("\u{200B}1", nil),
    ("#1", nil),
  ]

  @Test(arguments: texts)
  func `A text becomes JSON of the same value, or is refused`(_ text: String, _ expected: String?) throws {
    guard let expected else {
      #expect(throws: JSONError.self) { try json(text) }
      return
    }
    #expect(try compact(text) == expected)
  }

  @Test func `The JSON is indented by two spaces`() throws {
    let text = "// a database\n{posts: [{id: 1, title: 'a',}], profile: {}}"
    let expected = """
      {
        "posts": [
          {
            "id": 1,
            "title": "a"
          }
        ],
        "profile": {}
      }
      """
    #expect(String(decoding: try json(text), as: UTF8.self) == expected)
  }

  @Test(arguments: [
    ("{\n  a: 1\n  b: 2\n}", "3:3: expected ',' or '}', found 'b'"),
    ("{\n  a 1}", "2:5: expected ':' after the member name, found '1'"),
    ("{a-b: 1}", "1:3: expected ':' after the member name, found '-'"),
    ("{\n  1: 1}", "2:3: expected a member name, found '1'"),
    ("{a: 1,", "1:7: expected a member or '}', but the text ends"),
    ("[1", "1:3: expected ',' or ']', but the text ends"),
    ("{a:", "1:4: expected a value, but the text ends"),
    ("[Infinity]", "1:2: JSON has no Infinity"),
    ("[-Infinity]", "1:3: JSON has no Infinity"),
    ("[\n NaN]", "2:2: JSON has no NaN"),
    ("[undefined]", "1:2: expected a value, found 'undefined'"),
    ("[@]", "1:2: expected a value, found '@'"),
    ("['a\nb']", "1:4: a string may not break the line; end the line with '\\' to go on"),
    ("['abc", "1:2: a string is not closed"),
    ("'\\1'", "1:2: '\\' may not be followed by a digit"),
    ("[1] /* end", "1:5: a comment is not closed"),
    ("[1 / 2]", "1:4: expected '//' or '/*' to start a comment"),
    ("12px", "1:3: a number may not be followed by 'p'"),
    ("010", "1:1: a number may not start with 0"),
    ("{} x", "1:4: expected the end of the text, found 'x'"),
    ("// nothing", "1:11: expected a JSON5 value, but the text is empty"),
    (#"{a\u0020b: 1}"#, "1:3: a name with this character must stand in quotes"),
  ])
  func `A fault is described with its line and column in the JSON5 text`(_ text: String, _ description: String) throws {
    let error = try #require(throws: JSONError.self) { try json(text) }
    #expect(error.description == description)
  }

  @Test func `Bytes that are not UTF-8 are refused, also in comments`() throws {
    let bytes: [UInt8] = Array("// ".utf8) + [0xFF] + Array("\n1".utf8)
    let error = try #require(throws: JSONError.self) {
      try bytes.withUnsafeBufferPointer { (bytes) throws in try JSON5.json(from: bytes) }
    }
    #expect(error.code == .invalidUTF8)
    #expect(error.offset == 3)
  }

  @Test func `Nesting is accepted to the limit and refused beyond it`() throws {
    #expect(try compact("[[[]]]") == "[[[]]]")
    #expect(throws: JSONError.self) { try json("[[[]]]", maximumDepth: 2) }
    let error = try #require(throws: JSONError.self) { try json(String(repeating: "[", count: 1_000_000)) }
    #expect(error.code == .tooDeep)
  }

  @Test(arguments: Fixture.names(in: "json-test-suite/test_parsing", startingWith: "y_"))
  func `Every JSON text is JSON5 of the same value`(_ name: String) throws {
    let bytes = try Fixture.bytes("json-test-suite/test_parsing/\(name)")
    let json = try bytes.withUnsafeBufferPointer { (bytes) throws in try JSON5.json(from: bytes) }
    #expect(try JSONValue(parsing: json) == JSONValue(parsing: bytes))
  }
}
