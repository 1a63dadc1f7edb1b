import Testing

@testable import JSONServerHTTP

struct RequestTests {
  private static let request = Request(
    method: .put, target: "/posts/1?a=b", headers: [.accept: "*/*"], body: Data("ok".utf8))

  @Test func `A change of a copy leaves the request as it was`() {
    var copy = Self.request
    copy.method = .patch
    copy.target = "/posts/2"
    copy.headers["ACCEPT"] = nil
    copy.body.append(0x21)
    #expect(copy.method == .patch)
    #expect(copy.target == "/posts/2")
    #expect(copy.headers.isEmpty)
    #expect(copy.body == Data("ok!".utf8))
    #expect(Self.request.method == .put)
    #expect(Self.request.target == "/posts/1?a=b")
    #expect(Self.request.headers == [.accept: "*/*"])
    #expect(Self.request.body == Data("ok".utf8))
  }

  @Test func `A request is printed with its parts`() {
    let parts = #"method: PUT, target: "/posts/1?a=b", headers: [Accept: */*], body: 2 bytes"#
    #expect("\(Self.request)" == "Request(\(parts))")
  }

  @Test(
    arguments: [
      ("/posts/1?_page=2&q=a%20b&q=c", "/posts/1", ["_page": "2", "q": "a b"]), ("/a%20b", "/a%20b", [:]),
      ("/?", "/", [:]),
    ] as [(String, String, [String: String])])
  func `A target is a path and a query`(_ target: String, _ path: String, _ query: [String: String]) {
    let request = Request(method: .get, target: target)
    #expect(request.path == path)
    #expect(request.query == query)
  }
}
