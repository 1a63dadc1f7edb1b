import Foundation
import HTTPTypes
import JSONServer
import JSONServerTesting
import OrderedJSON
import Testing

/// The calls that the documentation shows without the test around them.
@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]], listens: false))
struct `The calls of the documentation` {
  private func send(_ method: HTTPRequest.Method, _ target: String) async throws -> HTTPResponse.Status {
    await (try MockServer.current).respond(to: Request(method: method, target: target)).status
  }

  @Test func `Faults come in their order, and end`() async throws {
    let server = try MockServer.current
    await server.fail(.get("/bookmarks"), with: 503, times: 2)
    await server.fail(.any(), with: 429, retryAfter: 30)
    await server.delay(.any(), by: .milliseconds(50)...(.milliseconds(200)))
    await server.interrupt(.post("/bookmarks"), by: .reset)
    #expect(try await send(.get, "/bookmarks") == .serviceUnavailable)
    #expect(try await send(.delete, "/bookmarks/1") == .tooManyRequests)
    await server.recover()
    #expect(try await send(.get, "/bookmarks/1") == .ok)
  }

  @Test func `A stub responds whatever the data holds`() async throws {
    let server = try MockServer.current
    await server.stub(.post("/purchases"), with: ["balance": 200])
    async let status = send(.post, "/purchases")
    let request = try await server.waitForRequest(.post("/purchases"), within: .seconds(60)).request
    #expect(request.target == "/purchases")
    #expect(try await status == .ok)
  }

  @Test func `The data is restored`() async throws {
    let server = try MockServer.current
    await server.saveSnapshot("one bookmark")
    #expect(try await send(.delete, "/bookmarks/1") == .ok)
    #expect(try await server.values(of: "bookmarks").isEmpty)
    try await server.restoreSnapshot("one bookmark")
    #expect(try await send(.get, "/bookmarks/1") == .ok)
    try await server.reset()
    #expect(try await server.values(of: "bookmarks") == [["id": 1, "title": "Swift"]])
  }

  @Test func `A session has data and an address of its own`() async throws {
    let server = try MockServer.current
    await server.expireTokens()
    let session = server.session("first")
    let environment = session.environment
    #expect(environment == ["JSON_SERVER_URL": session.url.absoluteString])
    #expect(try await session.values(of: "bookmarks").count == 1)
  }
}
