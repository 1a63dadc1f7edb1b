import JSONServerTesting

@Suite(.jsonServer(["users": [["id": 1, "email": "ada@x.org", "password": "lovelace"]]], auth: "users"))
struct `A test with users` {
  @Test func `signs in, and has the token expire`() async throws {
    let server = try MockServer.current
    let signIn = Request(
      method: .post, target: "/login", headers: [.contentType: "application/json"],
      body: Data(#"{"email": "ada@x.org", "password": "lovelace"}"#.utf8))
    let token = try #require(await server.respond(to: signIn).json?["accessToken"]?.string)
    let request = Request(method: .get, target: "/users/1", headers: [.authorization: "Bearer \(token)"])
    #expect(await server.respond(to: request).status == .ok)
    await server.expireTokens()
    #expect(await server.respond(to: request).status == .unauthorized)
    // What a test expects of a sign-in is what the client sent.
    try await server.expect(.post("/login", body: ["email": "ada@x.org", "password": "lovelace"]))
  }
}

@Suite struct `Sessions of a test` {
  private static let data: MockData = ["posts": [["id": 1, "title": "a"]]]

  @Test(.jsonServer(data), arguments: [true, false])
  func `do the same thing at once and do not see each other`(byAddress: Bool) async throws {
    let server = try MockServer.current
    let (first, second) = (server.session("first"), server.session("second"))
    #expect(server.session("first") === first)
    #expect(first.environment["JSON_SERVER_URL"] == server.url.absoluteString + "/__session/first")
    await withTaskGroup { group in
      for session in [first, second] {
        group.addTask {
          for _ in 1...20 {
            let path = byAddress ? session.url.path() : ""
            let request = Request(method: .post, target: path + "/posts", body: Data(#"{"title": "b"}"#.utf8))
            _ = await (byAddress ? server : session).respond(to: request)
          }
        }
      }
    }
    for session in [first, second] {
      #expect(try await session.values(of: "posts").compactMap { $0["id"]?.int } == Array(1...21))
      try await session.expect(.post("/posts"), times: 20)
      try await session.reset()
      #expect(try await session.values(of: "posts").count == 1)
    }
    #expect(try await server.values(of: "posts").count == 1)
    try await server.expect(.post("/posts"), times: 0)
  }

  @Test func `work without a socket`() async throws {
    try await withJSONServer(Self.data, listens: false) { server in
      let session = server.session("a b/c")
      await session.fail(.any(), with: 503)
      let request = Request(method: .get, target: "/posts")
      #expect(await session.respond(to: request).status.code == 503)
      #expect(await server.respond(to: request).status == .ok)
      #expect(await server.respond(to: Request(method: .get, target: "/__session/a-b-c/posts")).status == .ok)
      #expect(server.session(session.url.lastPathComponent) === session)
    }
  }

  @Test(.jsonServer(data, pathPrefix: "/api", listens: false))
  func `have addresses of their own without a socket, too`() async throws {
    let server = try MockServer.current
    let session = server.session("first")
    #expect(session.url.absoluteString == server.url.absoluteString + "/__session/first")
    for configuration in [URLSessionConfiguration.jsonServer(server), .jsonServer(session)] {
      var request = URLRequest(url: session.url.appending(path: "posts/1"))
      request.httpMethod = "PATCH"
      request.httpBody = Data(#"{"title": "b"}"#.utf8)
      #expect(try await URLSession(configuration: configuration).send(request).response.statusCode == 200)
    }
    try await session.expect(.patch("/posts/1"), times: 2)
    #expect(try await server.values(of: "posts")[0]["title"] == "a")
  }

  @Test(.jsonServer(data, listens: false))
  func `can be checked after their end, and begin anew`() async throws {
    let server = try MockServer.current
    let ended = server.session("first")
    await ended.fail(.get("/posts"), with: 503, times: 1)
    let request = Request(.get, "/posts")
    #expect(await ended.respond(to: request).status == .serviceUnavailable)
    await ended.stop()
    try await ended.expect(.get("/posts"), times: 1)
    try await server.verify()
    let next = server.session("first")
    #expect(next !== ended)
    let url = next.url.appending(path: "posts")
    let session = URLSession(configuration: .jsonServer(next))
    #expect(try await session.send(URLRequest(url: url)).response.statusCode == 200)
    try await ended.expect(.any(), times: 1)
    try await next.expect(.any(), times: 1)
  }

  @Test(arguments: [true, false])
  func `end with the server, and can still be checked`(_ listens: Bool) async throws {
    let server = try await MockServer.start(Self.data, listens: listens)
    let session = server.session("first")
    await session.fail(.get("/posts"), with: 503, times: 1)
    #expect(await session.respond(to: Request(.get, "/posts")).status == .serviceUnavailable)
    await server.stop()
    try await server.verify()
    #expect(server.session("first") === session)
    let late = server.session("late")
    await #expect(throws: URLError.self) {
      try await URLSession(configuration: .jsonServer(late)).get("/posts", at: late.url)
    }
  }
}
