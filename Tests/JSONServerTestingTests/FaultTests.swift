import JSONServerTesting

@Suite(.jsonServer(["users": [["id": 1]]]))
struct `What goes wrong on purpose` {
  @Test func `A client that retries gets through after the failures`() async throws {
    let server = try MockServer.current
    await server.fail(.get("/users"), with: 503, times: 2)
    var statuses: [Int] = []
    for _ in 0..<3 { statuses.append(try await URLSession.forTests.get("/users", at: server.url).response.statusCode) }
    #expect(statuses == [503, 503, 200])
    try await server.expect(.get("/users"), times: 3)
  }

  @Test func `A server that is asked too often says when to come back`() async throws {
    let server = try MockServer.current
    await server.fail(.any(), with: .status(429, headers: ["Retry-After": "30"]))
    let response = try await URLSession.forTests.get("/users/1", at: server.url).response
    #expect(response.statusCode == 429)
    #expect(response.value(forHTTPHeaderField: "Retry-After") == "30")
    await server.recover()
    #expect(try await URLSession.forTests.get("/users/1", at: server.url).response.statusCode == 200)
  }

  @Test func `Stubs are removed`() async throws {
    let server = try MockServer.current
    func answer() async throws -> JSONValue {
      try #require(await server.respond(to: Request(.get, "/users")).json)
    }
    await server.stub(.get("/users"), with: ["a"])
    await server.stub(.get("/users"), with: ["b"])
    #expect(try await answer() == ["b"])
    await server.removeStubs()
    #expect(try await answer() == [["id": 1]])
  }

  @Test(arguments: [Response.reset, .truncated])
  func `A connection breaks`(_ response: Response) async throws {
    let server = try MockServer.current
    await server.fail(.get("/users"), with: response)
    await #expect(throws: (any Error).self) { try await URLSession.forTests.get("/users", at: server.url) }
  }

  @Test(arguments: ["GET", "POST"])
  func `A reset reaches a client on a connection that it uses again`(_ method: String) async throws {
    let server = try MockServer.current
    let session = URLSession.forTests
    _ = try await session.get("/users", at: server.url)
    await server.fail(.any("/users"), with: .reset)
    var request = URLRequest(url: server.url.appending(path: "users"))
    request.httpMethod = method
    if method == "POST" { request.httpBody = Data("{}".utf8) }
    let sent = request
    await #expect(throws: (any Error).self) { try await session.send(sent) }
    #expect(await server.requests.map(\.delivery) == [.whole, .reset])
  }

  @Test func `A delayed write is carried out all the same`() async throws {
    let server = try MockServer.current
    await server.delay(.delete("/users/*"), by: .milliseconds(30))
    let start = ContinuousClock.now
    var request = URLRequest(url: server.url.appending(path: "users/1"))
    request.httpMethod = "DELETE"
    #expect(try await URLSession.forTests.send(request).response.statusCode == 200)
    #expect(.now - start >= .milliseconds(30))
    #expect(try await server.values(of: "users").isEmpty)
  }
}
