import JSONServerTesting

/// The calls that the documentation shows for clients of other kinds.
@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift"]]]))
struct `Clients of other kinds` {
  private func query(_ text: String, at url: URL) async throws -> JSONValue {
    var request = URLRequest(url: url.appending(path: "graphql"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(text.utf8)
    return try JSONValue(parsing: await URLSession.forTests.send(request).data)
  }

  @Test func `A query of GraphQL is found by its body`() async throws {
    let server = try MockServer.current
    let bookmarks = RequestPattern.post("/graphql", body: .including(["operationName": "Bookmarks"]))
    await server.stub(bookmarks) { _ in .json(["data": ["bookmarks": await server.value["bookmarks"] ?? []]]) }
    await server.stub(
      .post("/graphql", body: .including(["variables": ["id": 7]])), with: ["errors": [["message": "No bookmark 7."]]])
    let found = try await query(#"{"operationName": "Bookmarks", "query": "{…}"}"#, at: server.url)
    #expect(found == ["data": ["bookmarks": [["id": 1, "title": "Swift"]]]])
    let failed = try await query(#"{"operationName": "Bookmark", "variables": {"id": 7, "of": 1}}"#, at: server.url)
    #expect(failed["errors"]?[0]?["message"] == "No bookmark 7.")
    try await server.expect(bookmarks, times: 1)
  }

  @Test func `A client keeps its own configuration`() async throws {
    let server = try MockServer.current
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = URLSessionConfiguration.jsonServer(server).protocolClasses
    let url = try #require(URL(string: "https://api.example.com/bookmarks/1"))
    let data = try await URLSession(configuration: configuration).data(from: url).0
    #expect(try JSONValue(parsing: data)["title"] == "Swift")
  }

  @Test func `A body arrives in the pieces that the test sends`() async throws {
    let server = try MockServer.current
    let (pieces, film) = AsyncStream.makeStream(of: Data.self)
    await server.stub(.get("/film.mp4")) { _ in .stream(pieces, length: 4, type: "video/mp4") }
    film.yield(Data([1, 2]))
    // Here the app shows 50 %.
    film.yield(Data([3, 4]))
    film.finish()
    let data = try await URLSession.forTests.data(from: server.url.appending(path: "film.mp4")).0
    #expect(data == Data([1, 2, 3, 4]))
  }

  @Test func `A password in a URL is seen`() async throws {
    let server = try MockServer.current
    let bookmarks = server.url.appending(path: "bookmarks")
    _ = try await URLSession.forTests.data(from: bookmarks)
    #expect(await server.requests.allSatisfy { !$0.target.contains("hunter2") })
    let password = URLQueryItem(name: "password", value: "hunter2")
    _ = try await URLSession.forTests.data(from: bookmarks.appending(queryItems: [password]))
    #expect(await server.requests.last?.target.contains("hunter2") == true)
  }
}
