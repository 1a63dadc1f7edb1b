import Foundation
import JSONServerValues
import Testing

struct JSONErrorTests {
  @Test(arguments: [
    ("", "1:1: expected a JSON value, but the text is empty"),
    (" \n\t", "2:2: expected a JSON value, but the text is empty"),
    ("{\n  \"a\": 1\n  \"b\": 2\n}", "3:3: expected ',' or '}', found '\"'"),
    ("[1 2]", "1:4: expected ',' or ']', found '2'"),
    ("{\"a\": 1,\n}", "2:1: expected a member name in quotes, found '}'; remove the comma before it"),
    ("[1, 2,\n]", "2:1: expected a value, found ']'; remove the comma before it"),
    ("[,]", "1:2: expected a value, found ','"),
    ("{a: 1}", "1:2: expected a member name in quotes, found 'a'"),
    ("{'a': 1}", "1:2: expected a member name in quotes, found a single quote (JSON uses double quotes)"),
    ("['a']", "1:2: expected a value, found a single quote (JSON uses double quotes)"),
    ("// posts\n{}", "1:1: expected a value, found '/' (JSON has no comments)"),
    ("{} /* end */", "1:4: expected the end of the text, found '/' (JSON has no comments)"),
    ("{\"a\" 1}", "1:6: expected ':' after the member name, found '1'"),
    ("{\"a\"", "1:5: expected ':' after the member name, but the text ends"),
    ("{\"a\":", "1:6: expected a value, but the text ends"),
    ("{", "1:2: expected a member name in quotes, but the text ends"),
    ("[1", "1:3: expected ',' or ']', but the text ends"),
    ("{\"a\": 1", "1:8: expected ',' or '}', but the text ends"),
    ("[\n  \"abc\n]", "2:7: a control character in a string must be escaped, found the byte 0xA"),
    ("\"a\tb\"", "1:3: a control character in a string must be escaped, found the byte 0x9"),
    ("[\"abc", "1:2: a string is not closed"),
    ("\"abc\\", "1:5: a string is not closed"),
    (#""\x41""#, #"1:2: '\' must be followed by one of "\/bfnrtu"#),
    (#""\u12g4""#, #"1:2: expected four hexadecimal digits after '\u'"#),
    (#""\u12"#, #"1:2: expected four hexadecimal digits after '\u'"#),
    ("01", "1:1: a number may not start with 0"),
    ("-", "1:2: expected a digit after '-', found the end of the text"),
    ("1.", "1:3: expected a digit after '.', found the end of the text"),
    ("[1.e3]", "1:4: expected a digit after '.', found 'e'"),
    ("1e+", "1:4: expected a digit in the exponent, found the end of the text"),
    ("+1", "1:1: expected a value, found '+'"),
    (".5", "1:1: expected a value, found '.'"),
    ("NaN", "1:1: expected a value, found 'N'"),
    ("tru", "1:4: expected 'true', but the text ends"),
    ("[trux]", "1:2: expected a value, found 't'"),
    ("nulll", "1:5: expected the end of the text, found 'l'"),
    ("{\"a\":1}}", "1:8: expected the end of the text, found '}'"),
    ("[\"é\", é]", "1:7: expected a value, found 'é'"),
    ("[\"👍🏽\" \u{7F}]", "1:7: expected ',' or ']', found the byte 0x7F"),
    ("\u{FEFF}[x]", "1:2: expected a value, found 'x'"),
    ("[\r\n x]", "2:2: expected a value, found 'x'"),
  ])
  func `A fault is described with its line and column`(_ text: String, _ description: String) throws {
    let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error.description == description)
  }

  @Test(
    arguments: [
      ([0x22, 0xC3, 0x22], 1), ([0x22, 0xFF, 0x22], 1), ([0x22, 0x61, 0xED, 0xA0, 0x80, 0x22], 2),
      ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xE0, 0x80, 0x80, 0x22], 1), ([0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], 1),
      ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1), ([0x22, 0xE2, 0x82], 1),
    ] as [([UInt8], Int)])
  func `Bytes that are not UTF-8 are refused where they are`(_ bytes: [UInt8], _ offset: Int) throws {
    let error = try #require(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    #expect(error.code == .invalidUTF8)
    #expect(error.offset == offset)
  }

  @Test(arguments: 0..<20)
  func `A control character is found wherever it is, and nothing else is mistaken for one`(_ place: Int) throws {
    for byte in UInt8(0)..<0x80 where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
      var text = [UInt8](repeating: UInt8(ascii: "a"), count: 22)
      text[0] = UInt8(ascii: "\"")
      text[21] = UInt8(ascii: "\"")
      text[1 + place] = byte
      if byte < 0x20 {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error.offset == 1 + place)
      } else {
        #expect(try JSONValue(parsing: text).utf8Text(.compact) == text)
      }
    }
  }

  @Test func `Nesting is accepted to the limit and refused beyond it`() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try JSONValue(parsing: nested(512))
    let error = try #require(throws: JSONError.self) { try JSONValue(parsing: nested(513)) }
    #expect(error.description == "1:513: nested deeper than 512 levels")
    #expect(error.code == .tooDeep)
    #expect(throws: JSONError.self) { try JSONValue(parsing: "[[[]]]", maximumDepth: 2) }
  }

  @Test(arguments: ["[", "{\"a\":"])
  func `A text nested a million deep is refused`(_ opener: String) throws {
    let error = try #require(throws: JSONError.self) {
      try JSONValue(parsing: String(repeating: opener, count: 1_000_000))
    }
    #expect(error.code == .tooDeep)
  }

  @Test func `A text nested a million deep needs no deep stack to be scanned and laid out`() throws {
    let text = Array((String(repeating: "[", count: 1_000_000) + String(repeating: "]", count: 1_000_000)).utf8)
    let value = try ValidJSON(parsing: text, maximumDepth: .max)
    #expect(value.count == text.count)
    var output: [UInt8] = []
    JSONFormatter(.compact).append(value, to: &output)
    #expect(output == text)
    #expect(value.elements?.map(\.count) == [text.count - 2])
  }

  /// A thread of macOS has 512 KiB, and the code is not optimized.
  @Test func `A text nested to the limit is read and written on the stack of any thread`() async {
    let opener = String(repeating: "{\"a\":[", count: 256)
    let text = opener + "1" + String(repeating: "]}", count: 256)
    let written = await withCheckedContinuation { continuation in
      let thread = Thread {
        continuation.resume(returning: try? JSONValue(parsing: text).text(pretty: false))
      }
      thread.stackSize = 256 << 10
      thread.start()
    }
    #expect(written == text)
  }
}
