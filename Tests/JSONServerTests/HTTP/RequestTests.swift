import HTTPTypes
import JSONServer
import Testing

struct RequestTests {
  private static let request = Request(
    method: .put, target: "/posts/1?a=b", headerFields: [.accept: "*/*"], body: Array("ok".utf8))

  @Test func `A change of a copy leaves the request as it was`() {
    var copy = Self.request
    copy.method = .patch
    copy.target = "/posts/2"
    copy.headerFields[.accept] = nil
    copy.body.append(0x21)
    #expect(copy.method == .patch)
    #expect(copy.target == "/posts/2")
    #expect(copy.headerFields.isEmpty)
    #expect(copy.body == Array("ok!".utf8))
    #expect(Self.request.method == .put)
    #expect(Self.request.target == "/posts/1?a=b")
    #expect(Self.request.headerFields == [.accept: "*/*"])
    #expect(Self.request.body == Array("ok".utf8))
  }

  @Test func `A request is printed with its parts`() {
    let parts = #"method: PUT, target: "/posts/1?a=b", headerFields: [Accept: */*], body: [111, 107]"#
    #expect("\(Self.request)" == "Request(\(parts))")
  }
}
