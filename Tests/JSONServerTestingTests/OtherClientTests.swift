import JSONServerTesting
import Synchronization

private struct Bookmark: Codable, Equatable {
  var id: Int
  var title: String
}

@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"], ["id": 2, "title": nil]]], listens: false))
struct `What other clients change, and what a test reads of it` {
  private let server: MockServer

  init() throws { server = try MockServer.current }

  @Test func `A change of another client is in the data, and in nothing that the test checks`() async throws {
    await server.fail(.any(), with: 503)
    await server.stub(.post("/bookmarks"), with: 204)
    let response = try await server.send(.post, "/bookmarks", body: ["title": "NIO"])
    #expect(response.status == .created)
    #expect(response.json?["id"]?.int == 3)
    #expect(try await server.record("bookmarks", id: 3, as: Bookmark.self) == Bookmark(id: 3, title: "NIO"))
    try await server.send(.delete, "/bookmarks/3")
    #expect(await server.requests.isEmpty)
    try await server.expectNoOtherRequests()
  }

  @Test func `A request that the server refuses is an error with the place and the reason`() async throws {
    let error = await #expect(throws: MockServerError.self) {
      try await server.send(.patch, "/bookmarks/9", body: ["title": "X"])
    }
    let message = try #require(error).description
    #expect(message.hasPrefix(#fileID + ":"), "\(message)")
    #expect(message.contains("The server refuses PATCH /bookmarks/9 with 404: "), "\(message)")
  }

  @Test(.jsonServer(["bookmarks": []], pathPrefix: "/api", listens: false))
  func `A path is below the prefix of the server and in its session`() async throws {
    for path in ["/bookmarks", "bookmarks"] {
      try await server.session("first").send(.post, path, body: ["title": "A"])
    }
    #expect(try await server.session("first").records("bookmarks", as: Bookmark.self).map(\.title) == ["A", "A"])
    #expect(try await server.records("bookmarks", as: Bookmark.self).isEmpty)
  }

  @Test func `A record that cannot be read is named with its member`() async throws {
    let error = await #expect(throws: MockServerError.self) {
      try await server.record("bookmarks", id: 2, as: Bookmark.self)
    }
    #expect(try #require(error).description.contains("bookmarks/2: title: expected String, found null"))
    await #expect(throws: ServerError.self) { try await server.record("bookmarks", id: 9, as: Bookmark.self) }
  }

  @Test func `A body is compared as it was sent`() async throws {
    _ = await server.respond(to: Request(.post, "/bookmarks", json: #"{ "title": "A" }"#))
    try await server.expect(.post("/bookmarks", body: .text(#"{ "title": "A" }"#)), times: 1)
    try await server.expect(.post("/bookmarks", body: ["title": "A"]), times: 1)
    let issue = Mutex<String>("")
    try await withKnownIssue {
      try await server.expect(.post("/bookmarks", body: .text(#"{"title":"A"}"#)))
    } matching: { found in
      issue.withLock { $0 = found.comments.map(\.rawValue).joined() }
      return true
    }
    let message = issue.withLock { $0 }
    #expect(message.contains(#"body: expected '{"title":"A"}', was '{ "title": "A" }'"#), "\(message)")
  }

  @Test func `A request without a body says so when it is decoded`() async throws {
    _ = await server.respond(to: Request(.get, "/bookmarks", json: nil))
    let request = try await server.waitForRequest(.get("/bookmarks")).request
    let error = #expect(throws: DecodingError.self) { try request.decode(Bookmark.self) }
    #expect("\(try #require(error))".contains("GET /bookmarks has no body."))
  }

  @Test func `A response of a fault names what the test called`() async throws {
    await server.fail(.any(), with: 503)
    let response = await server.respond(to: Request(.get, "/bookmarks", json: nil))
    #expect(response.testDescription.contains("see server.fail and server.hold."), "\(response.testDescription)")
  }

  @Test func `What configures a server may throw`() async throws {
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await withJSONServer([:], listens: false, configure: { _ in throw Refused() }) { _ in }
    }
  }

  @Test func `A pattern says what a request lacks`() {
    let pattern = RequestPattern.get("/a?q=b", query: ["_page": nil], headers: ["Accept": nil, "Cookie": "x=*"])
    #expect(pattern.description == "GET /a?q=b with Cookie: x=* without _page, Accept")
  }
}
