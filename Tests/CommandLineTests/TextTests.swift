import Testing

@testable import swift_json_server

struct TextTests {
  @Test(arguments: [
    ("/posts?q=ü", "/posts?q=ü"),
    ("/a\u{1B}[2J\r\nb", "/a\\u{1B}[2J\\u{D}\\u{A}b"),
    ("/\u{202E}gpj.exe", "/\\u{202E}gpj.exe"),
    ("\u{9B}31m\u{2028}", "\\u{9B}31m\\u{2028}"),
  ])
  func `Characters that steer a terminal are escaped in logs`(_ text: String, _ expected: String) {
    #expect(LogText.escaped(text) == expected)
  }

  @Test(arguments: [
    (#"{"a": "ü\n\u001B"}"#, #"{"a": "ü\n\u001B"}"#),
    ("{\"\u{7F}\u{9B}\": \"\u{202E}\u{FEFF}\"}", #"{"\u007F\u009B": "\u202E\uFEFF"}"#),
  ])
  func `Characters that steer a terminal are escaped in logs of JSON`(_ text: String, _ expected: String) {
    #expect(LogText.escapedInJSON(text) == expected)
  }

  @Test(arguments: [
    ("0", 0), ("1048576", 1_048_576), ("500k", 512_000), ("10M", 10_485_760), ("1GB", 1_073_741_824),
    ("", nil), ("M", nil), ("-1", nil), ("1.5M", nil), ("9223372036854775807k", nil), ("ten", nil),
  ])
  func `A number of bytes may have a unit`(_ text: String, _ expected: Int?) {
    #expect(ByteCount(argument: text)?.bytes == expected)
  }

  @Test(arguments: [
    (Duration.zero, "0.00"), (.microseconds(4), "0.00"), (.microseconds(50), "0.05"), (.milliseconds(1234), "1234.00"),
  ])
  func `A duration is shown in milliseconds with two decimals`(_ duration: Duration, _ expected: String) {
    #expect(Milliseconds(duration).text == expected)
  }

  @Test
  func `An excerpt shows the line and a caret under the place`() {
    #expect(Excerpt(of: Array("{\n  é: 1,\n}".utf8), at: 7).text == "    é: 1,\n      ^")
  }

  @Test
  func `A source that takes a while is named with the time it took so far`() {
    #expect(ReadingNotice.text("big.json", .milliseconds(1_449)) == "  Reading big.json, 1.4 s …")
  }

  @Test
  func `The caret stands under its place after wide characters`() {
    #expect(Excerpt(of: Array("日本 x".utf8), at: 7).text == "  日本 x\n       ^")
  }

  @Test(arguments: [("", 0), ("posts", 5), ("naïve", 5), ("日本", 4), ("👩‍👩‍👧 x", 4)])
  func `A wide character takes two columns`(_ text: String, _ width: Int) {
    #expect(LogText.width(of: text) == width)
  }

  @Test(arguments: [("posts", "/posts"), ("naïve café", "/naïve%20café"), ("100%", "/100%25"), ("a?b#c", "/a%3Fb%23c")])
  func `The address of a resource can be clicked and copied`(_ name: String, _ path: String) {
    #expect(Banner.path(to: name) == path)
  }
}
