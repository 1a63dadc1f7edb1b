import HTTPTypes
import Testing

@testable import swift_json_server

/// What curl writes, taken apart.
struct ResponseHeadTests {
  @Test
  func `Interim heads are skipped, and trailers are no part of the head`() throws {
    let text = """
      HTTP/1.1 100 Continue\r
      \r
      HTTP/1.1 103 Early Hints\r
      Link: </a>\r
      \r
      HTTP/1.1 404 Not \u{E9} Found\r
      X: 1\r
      x:2 \r
      No field\r
      \r
      X: trailer\r
      \r

      """
    let head = try #require(ResponseHead(Array(text.utf8)))
    #expect(head.status.code == 404)
    #expect(head.fields[values: try #require(HTTPField.Name("X"))] == ["1", "2"])
    #expect(head.fields.count == 2)
  }

  @Test
  func `A combining character after the colon is the beginning of the value`() throws {
    let head = try #require(ResponseHead(Array("HTTP/1.1 200 OK\r\nX:\u{308}a\r\nX: \u{308}b\r\n\r\n".utf8)))
    let values = head.fields[values: try #require(HTTPField.Name("X"))]
    #expect(values.map { Array($0.unicodeScalars) } == [["\u{308}", "a"], ["\u{308}", "b"]])
  }

  @Test
  func `HTTP/2 has no phrase`() throws {
    let head = try #require(ResponseHead(Array("HTTP/2 204 \r\n\r\n".utf8)))
    #expect(head.status == .init(code: 204))
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\n", "hello\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 99 No\r\n\r\n", "\r\n",
  ])
  func `What is no response is none`(_ text: String) {
    #expect(ResponseHead(Array(text.utf8)) == nil)
  }

  @Test(arguments: [
    (#"<a>; rel="prev", <b?x=1,2>; title="a, <c>; rel=next"; rel="last next", <d>; rel=next"#, "b?x=1,2"),
    ("<a>;rel=next", "a"), ("<a>; REL = Next", "a"), ("<a>; rel=nextpage", nil), ("<a>", nil), ("<a", nil), ("", nil),
    ("<a>; anchor=\"x\", <b>; rel=\"NEXT\"", "b"),
  ])
  func `A link to the next page is found`(_ value: String, _ next: String?) throws {
    let fields: HTTPFields = [try #require(HTTPField.Name("Link")): value]
    #expect(LinkField.next(in: fields) == next)
  }
}
