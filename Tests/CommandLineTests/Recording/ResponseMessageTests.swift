import HTTPTypes
import Testing

@testable import swift_json_server

/// What curl writes, taken apart.
struct ResponseMessageTests {
  @Test
  func `Interim heads are skipped, and the body is what follows the head`() throws {
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
      HTTP/1.1 200 OK\r
      \r

      """
    let message = try #require(ResponseMessage(Array(text.utf8)))
    #expect(message.status.code == 404)
    #expect(message.fields[values: try #require(HTTPField.Name("X"))] == ["1", "2"])
    #expect(message.fields.count == 2)
    #expect(String(decoding: message.body, as: UTF8.self) == "HTTP/1.1 200 OK\r\n\r\n")
  }

  @Test
  func `HTTP/2 has no phrase`() throws {
    let message = try #require(ResponseMessage(Array("HTTP/2 204 \r\n\r\n".utf8)))
    #expect(message.status == .init(code: 204))
    #expect(message.body.isEmpty)
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\n", "hello\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 99 No\r\n\r\n", "\r\n",
  ])
  func `What is no response is none`(_ text: String) {
    #expect(ResponseMessage(Array(text.utf8)) == nil)
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
