import Testing

@testable import JSONServer

@Suite struct `Text for a terminal` {
  @Test(arguments: [
    ("/posts?q=ü", "/posts?q=ü"),
    ("/a\u{1B}[2J\r\nb", "/a\\u{1B}[2J\\u{D}\\u{A}b"),
    ("/\u{202E}gpj.exe", "/\\u{202E}gpj.exe"),
    ("\u{9B}31m\u{2028}", "\\u{9B}31m\\u{2028}"),
  ])
  func `has what steers the terminal escaped`(_ text: String, _ expected: String) {
    #expect(LogText.escaped(text) == expected)
  }

  @Test(arguments: [
    (#"{"a": "ü\n\u001B"}"#, #"{"a": "ü\n\u001B"}"#),
    ("{\"\u{7F}\u{9B}\": \"\u{202E}\u{FEFF}\"}", #"{"\u007F\u009B": "\u202E\uFEFF"}"#),
  ])
  func `has it escaped as JSON has it, too`(_ text: String, _ expected: String) {
    #expect(LogText.escapedInJSON(text) == expected)
  }

  @Test(arguments: [("", 0), ("posts", 5), ("naïve", 5), ("日本", 4), ("👩‍👩‍👧 x", 4)])
  func `has wide characters of two columns`(_ text: String, _ width: Int) {
    #expect(LogText.width(of: text) == width)
  }

  @Test(arguments: [
    ("日本 x", 7, "  日本 x\n       ^"),
    ("{\n  é: 1,\n}", 7, "    é: 1,\n      ^"),
    ("{\r\n\t\u{202E}x", 7, "   \\u{202E}x\n           ^"),
    ("", 9, "  \n  ^"),
    ("{\"a\": [1,\n \n", 12, "  {\"a\": [1,\n           ^"),
    (
      String(repeating: "a", count: 200), 100,
      "  …" + String(repeating: "a", count: 100) + "\n" + String(repeating: " ", count: 63) + "^"
    ),
  ])
  func `shows the line of an error, with a caret under the place`(
    _ text: String, _ offset: Int, _ excerpt: String
  ) {
    #expect(Excerpt(of: Array(text.utf8), at: offset).text == excerpt)
  }

  @Test func `is what a file that cannot be read is refused with`() async throws {
    let text = #"{"a": [],"# + "\n \u{9B}"
    let error = await #expect(throws: ServerError.self) {
      try await Server.load(Server.Configuration(source: .text(Array(text.utf8), name: "a.json")))
    }
    #expect(error?.excerpt == "   \\u{9B}\n   ^")
  }
}
