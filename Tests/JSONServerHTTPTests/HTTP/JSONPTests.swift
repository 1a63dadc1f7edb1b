import HTTPTypes
import NIOCore
import Testing

@testable import JSONServerHTTP

@Suite struct `JSON with padding` {
  @Test(arguments: [
    ("callback=foo", "foo"), ("callback=a.b%5B0%5D.$c_1", "a.b[0].$c_1"), ("callback=foo&callback=bar", "foo"),
    ("callback=alert(1)//", "alert1"), ("callback=%C3%BC%D9%A1f", "f"), ("callback=", nil), ("callback=()", nil),
    ("x=y", nil),
  ])
  func `A callback's name keeps only what a name may hold`(query: String, name: String?) throws {
    #expect(JSONP.callback(in: try QueryParameters(target: "/posts?\(query)")) == name)
  }

  @Test func `JSON is passed to the function`() {
    var script = PreparedResponse(
      status: .created, headerFields: [.contentType: "application/json; charset=utf-8", .contentLength: "1"],
      body: .bytes(Array("{\n  \"a\": \"\u{2028}€\u{2029}â\"\n}".utf8)))
    JSONP.apply(to: &script, callback: "f")
    let text = "/**/ typeof f === 'function' && f({\n  \"a\": \"\\u2028€\\u2029â\"\n});"
    #expect(String(decoding: script.bytes, as: UTF8.self) == text)
    #expect(script.status == .created)
    #expect(script.headerFields[.contentType] == "text/javascript; charset=utf-8")
    #expect(script.headerFields[.contentLength] == "\(text.utf8.count)")
  }

  @Test func `JSON above 1 MiB is passed to the function slice by slice`() throws {
    let text = "\"" + String(repeating: "\u{2028}€â\u{2029}", count: 100_000) + "\""
    var script = PreparedResponse(headerFields: [.contentType: "application/json"], body: .bytes(Array(text.utf8)))
    JSONP.apply(to: &script, callback: "f")
    guard case .slices(let body) = script.body else {
      Issue.record("The script was made at once.")
      return
    }
    let expected =
      "/**/ typeof f === 'function' && f("
      + text.replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029") + ");"
    #expect(String(decoding: body.bytes, as: UTF8.self) == expected)
    for size in [999, 1_000, 1_001] {
      var maker = SliceMaker(body)
      var sent: [UInt8] = []
      while let slice = maker.next(size) { sent += slice }
      #expect(String(decoding: sent, as: UTF8.self) == expected)
    }
  }

  @Test func `What is not JSON stays as it is`() {
    var response = PreparedResponse(headerFields: [.contentType: "text/plain"], body: .bytes(Array("x".utf8)))
    JSONP.apply(to: &response, callback: "f")
    #expect(response.bytes == Array("x".utf8))
  }
}
