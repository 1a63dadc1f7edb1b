import JSONServerTesting

/// What the ten tests test: the bookmarks of an app.
private struct API {
  let baseURL: URL
  var token: String?

  func titles(_ query: String = "") async throws -> [String] {
    struct Bookmark: Decodable { var title: String }
    let data = try await send("GET", query)
    return try JSONDecoder().decode([Bookmark].self, from: data).map(\.title)
  }

  func add(_ title: String) async throws {
    _ = try await send("POST", "", body: try JSONEncoder().encode(["title": title]))
  }

  private func send(_ method: String, _ query: String, body: Data? = nil) async throws -> Data {
    guard let url = URL(string: "bookmarks\(query)", relativeTo: baseURL) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.forTests.send(request)
    guard response.statusCode < 300 else { throw URLError(.badServerResponse) }
    return data
  }
}

/// The ten tests of the guide for those who come from other libraries.
@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]]), .timeLimit(.minutes(1)))
struct `The same ten tests` {
  private let server: MockServer
  private let api: API

  init() throws {
    server = try MockServer.current
    api = API(baseURL: server.url)
  }

  @Test(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]]))
  func `1. A list is shown`() async throws {
    #expect(try await api.titles() == ["Swift"])
  }

  @Test func `2. What is added is in the list`() async throws {
    try await api.add("NIO")
    #expect(try await api.titles() == ["Swift", "NIO"])
  }

  @Test func `3. The server has an error`() async throws {
    await server.fail(.get("/bookmarks"), with: 500)
    await #expect(throws: URLError.self) { try await api.titles() }
  }

  @Test func `4. The connection is lost`() async throws {
    await server.fail(.get("/bookmarks"), with: .reset)
    await #expect(throws: (any Error).self) { try await api.titles() }
  }

  @Test func `5. The response is late`() async throws {
    let hold = await server.hold(.get("/bookmarks"))
    async let titles = api.titles()
    try await hold.arrived()
    // Here the app shows that it waits.
    await hold.release()
    #expect(try await titles == ["Swift"])
  }

  @Test func `6. The second attempt succeeds`() async throws {
    await server.fail(.get("/bookmarks"), with: 503, times: 1)
    await #expect(throws: URLError.self) { try await api.titles() }
    #expect(try await api.titles() == ["Swift"])
  }

  @Test func `7. A search is one of several requests`() async throws {
    await server.stub(.get("/bookmarks", query: ["q": "nio"]), with: [["id": 2, "title": "NIO"]])
    #expect(try await api.titles("?q=nio") == ["NIO"])
    #expect(try await api.titles() == ["Swift"])
  }

  @Test func `8. The client sends what it should`() async throws {
    try await api.add("NIO")
    try await server.expect(.post("/bookmarks", body: ["title": "NIO"]), times: 1)
  }

  @Test func `9. A request needs a token`() async throws {
    await server.fail(.any(headers: ["Authorization": nil]), with: 401)
    await #expect(throws: URLError.self) { try await api.titles() }
    #expect(try await API(baseURL: server.url, token: "secret").titles() == ["Swift"])
  }

  @Test(.jsonServer(["bookmarks": []], unexpectedRequests: .issue))
  func `10. Nothing else is requested`() async throws {
    _ = try await api.titles()
    try await server.expect(.get("/bookmarks"), times: 1)
    try await server.expectNoOtherRequests()
  }
}
