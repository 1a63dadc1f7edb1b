import HTTPTypes
import Testing

@testable import JSONServer
@testable import JSONServerHTTP

@Suite struct `A compressed body of a request to a server` {
  @Test func `without a socket is unpacked, refused and recorded, too`() async throws {
    let server = try await Server.load(Server.Configuration(source: .value(["posts": []])))
    let fields: HTTPFields = [.contentEncoding: "deflate", .contentType: "application/json"]
    let body = try #require(ContentCoding.deflate.compress(Array(#"{"id": 1}"#.utf8), level: 9))
    let created = await server.respond(
      to: Request(method: .post, target: "/posts", headerFields: fields, body: body))
    #expect(created.status == .created)
    #expect(await server.journal.map(\.request.bytes) == [Array(#"{"id": 1}"#.utf8)])
    let refused = await server.respond(
      to: Request(method: .post, target: "/posts", headerFields: fields, body: Array("{}".utf8)))
    #expect(refused.status == .badRequest)
  }
}
