import JSONServerTesting

/// The calls that the documentation shows without the test around them.
@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]], listens: false))
struct `The calls of the documentation` {
  private func send(_ method: HTTPRequest.Method, _ target: String) async throws -> HTTPResponse.Status {
    await (try MockServer.current).respond(to: Request(method: method, target: target)).status
  }

  @Test func `Faults come in their order, and end`() async throws {
    let server = try MockServer.current
    await server.fail(.get("/bookmarks"), with: 503, times: 2)
    await server.fail(.any(headers: ["Authorization": nil]), with: .unauthorized)
    await server.fail(.put("/bookmarks/*"), with: .json(["reason": "locked"], status: 423))
    await server.fail(.post("/bookmarks"), with: .reset)
    await server.delay(.any(), by: .milliseconds(50)...(.milliseconds(200)))
    await server.slow(.get("/photos/*"), toBytesPerSecond: 20_000)
    #expect(try await send(.get, "/bookmarks") == .serviceUnavailable)
    #expect(try await send(.delete, "/bookmarks/1") == .unauthorized)
    await server.recover()
    #expect(try await send(.get, "/bookmarks/1") == .ok)
  }

  @Test func `Faults are for requests with a query and a body`() async throws {
    let server = try MockServer.current
    await server.fail(.get("/bookmarks", query: ["_page": "2"]), with: .serviceUnavailable, times: 1)
    await server.fail(.post("/bookmarks", body: .including(["title": "Swift"])), with: .conflict)
    #expect(try await send(.get, "/bookmarks?_page=2") == .serviceUnavailable)
    #expect(try await send(.post, "/bookmarks") == .created)
  }

  @Test func `A stub responds whatever the data holds`() async throws {
    let server = try MockServer.current
    let bytes: [UInt8] = [1, 2, 3]
    await server.stub(.post("/purchases"), with: ["balance": 200])
    await server.stub(.get("/job"), inOrder: [.status(.accepted), .json(["state": "done"])])
    await server.stub(.get("/retried"), inOrder: [.status(503, headers: ["Retry-After": "1"]), .reset, .json([])])
    await server.stub(.get("/bookmarks"), inOrder: [nil, .status(503), nil])
    await server.stub(.get("/logo.png"), with: .data(bytes, type: "image/png"), times: 1)
    await server.stub(.get("/shop"), with: .file("Fixtures/shop.json"))
    await server.stub(.get("/user"), with: .encoding(User(name: "Ada")))
    await server.stub(.get("/me")) { request in
      guard request.headers["Authorization"] != nil else { return .status(401) }
      return request.query["fields"] == "name" ? .json(["name": "Ada"]) : nil
    }
    #expect(try await send(.get, "/me") == .unauthorized)
    #expect(try await send(.get, "/job") == .accepted)
    for path in ["/shop", "/user"] { #expect(try await send(.get, path) == .ok) }
    for status in [503, 200, 200] { #expect(try await send(.get, "/retried").code == status) }
    #expect(try await send(.get, "/logo.png") == .ok)
    #expect(try await send(.post, "/purchases") == .ok)
  }

  private struct User: Codable {
    var name: String
  }

  private struct Purchase: Codable {
    var item: String
  }

  @Test func `Requests are waited for, and expected`() async throws {
    let server = try MockServer.current
    await server.stub(.post("/purchases"), with: ["balance": 200])
    _ = try await send(.get, "/bookmarks")
    async let response = server.respond(
      to: Request(method: .post, target: "/purchases", body: Data(#"{"item": "Swift"}"#.utf8)))
    let request = try await server.waitForRequest(.post("/purchases"), within: .seconds(60))
    let purchase = try request.decode(Purchase.self)
    #expect(request.json?["item"]?.string == "Swift")
    #expect(request.body == Data(#"{"item": "Swift"}"#.utf8))
    try await server.expect(.post("/purchases", body: .encoding(purchase)), times: 1)
    try await server.expect(.post("/purchases", headers: ["Authorization": nil]), times: 1...)
    try await server.expect(inOrder: [.get("/bookmarks"), .post("/purchases")])
    #expect(await server.requests.map(\.response?.status) == [200, .ok])
    #expect(await response.status == .ok)
    try await server.expect(.get("/bookmarks"), times: 1, delivery: .whole)
    try await server.expectNoOtherRequests()
  }

  @Test func `A hold keeps a request waiting`() async throws {
    let server = try MockServer.current
    let hold = await server.hold(.get("/bookmarks"))
    async let bookmarks = send(.get, "/bookmarks")
    try await hold.arrived()
    await hold.release()  // or: await hold.fail(with: .reset)
    #expect(try await bookmarks == .ok)
  }

  @Test func `A server runs until it is stopped`() async throws {
    let server = try await MockServer.start(["bookmarks": []], pathPrefix: "/api/v1")
    let environment = server.environment  // for XCUIApplication's launchEnvironment: JSON_SERVER_URL
    try await server.verify()
    await server.stop()
    #expect(environment["JSON_SERVER_URL"]?.hasSuffix("/api/v1") == true)
  }

  private struct Bookmark: Codable {
    var id: Int
    var title: String
  }

  @Test func `The data is compared`() async throws {
    let server = try MockServer.current
    try await server.expect("bookmarks", equals: [Bookmark(id: 1, title: "Swift")])
    try await server.expect("bookmarks", equals: [["id": 1, "title": "Swift"]])
    let titles = try await server.records("bookmarks", as: Bookmark.self).map(\.title)
    let title = await server.value["bookmarks"]?[0]?["title"]?.string
    #expect(titles == [title])
    let swift = try await server.record("bookmarks", id: 1, as: Bookmark.self)
    #expect(swift.title == title)
  }

  @Test(.jsonServer(["bookmarks": []], unexpectedRequests: .issue))
  func `Nothing unexpected is requested`() async throws {
    #expect(try await send(.get, "/bookmarks?_page=1") == .ok)
  }

  @Test func `The data is restored`() async throws {
    let server = try MockServer.current
    try await server.send(.patch, "/bookmarks/1", body: ["title": "Changed elsewhere"])
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
