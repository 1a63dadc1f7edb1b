import JSONServerTesting

private struct Bookmark: Codable, Equatable {
  var id: Int
  var title: String
}

@Suite(.jsonServer(["bookmarks": [["id": 1, "title": "Swift", "read": true]]], listens: false))
struct `What is expected of requests and data` {
  /// What an expectation throws where no test of Swift Testing runs, as in XCTest.
  private func failure(
    _ body: @escaping @Sendable (MockServer) async throws -> Void
  ) async throws -> String {
    let server = try MockServer.current
    let error = await Task.detached { await #expect(throws: MockServerError.self) { try await body(server) } }.value
    let message = try #require(error).description
    #expect(message.hasPrefix(#fileID + ":"), "\(message)")
    return message
  }

  private func send(_ method: HTTPRequest.Method, _ target: String, json: String? = nil) async throws {
    _ = await (try MockServer.current).respond(to: Request(method, target, json: json))
  }

  @Test func `Requests come in order, so often, and no others do`() async throws {
    let server = try MockServer.current
    try await send(.get, "/me")
    try await send(.post, "/bookmarks", json: #"{"title": "A", "id": 2}"#)
    try await send(.get, "/me")
    try await server.expect(inOrder: [.get("/me"), .post("/bookmarks"), .get("/me")])
    try await server.expect(.get("/me"), times: 1...)
    try await server.expect(.get("/me"), times: 2...3)
    try await server.expect(.post("/bookmarks", headers: ["Authorization": nil], body: .including(["title": "A"])))
    try await server.expectNoOtherRequests()
    try await send(.delete, "/bookmarks/1")
    #expect(try await failure { try await $0.expectNoOtherRequests() }.contains("4. DELETE /bookmarks/1 → 200"))
    #expect(
      try await failure { try await $0.expect(inOrder: [.post("/bookmarks"), .post("/bookmarks")]) }
        .contains("Expected POST /bookmarks after request 2, but it did not come."))
    #expect(
      try await failure { try await $0.expect(.get("/me"), times: 3...) }.contains(
        "at least 3 times, but it came 2 times."))
    #expect(try await failure { try await $0.expect(.get("/me"), times: -1) }.contains("'times'"))
    #expect(try await failure { try await $0.expect(.get("/../me")) }.contains("'..'"))
    #expect(try await failure { try await $0.waitForRequest(.get("/you"), within: .zero) }.contains("GET /you"))
  }

  @Test func `How fields, the query and a part of the body differ is shown`() async throws {
    try await send(.post, "/bookmarks?draft=1", json: #"{"title": "B", "tags": ["x"]}"#)
    let route = RequestPattern.post(
      "/bookmarks", query: ["draft": nil, "page": "2"], headers: ["Content-Type": "text/*", "Accept": "a"],
      body: .including(["title": "A", "tags": ["x"]]))
    let message = try await failure { try await $0.expect(route) }
    for line in [
      "query draft: expected to be absent, was '1'", "query page: expected '2', is missing",
      "header Content-Type: expected 'text/*', was 'application/json'", "header Accept: expected 'a', is missing",
      #"body.title: expected "A", was "B""#,
    ] { #expect(message.contains(line), "\(message)") }
    #expect(!message.contains("tags:"))
  }

  @Test func `A request without a body differs from one with any body`() async throws {
    let server = try MockServer.current
    await server.fail(.post("/bookmarks", body: nil), with: .conflict)
    try await send(.post, "/bookmarks")
    try await send(.post, "/bookmarks", json: "{}")
    try await send(.delete, "/bookmarks/1", json: #"{"reason": "sold"}"#)
    #expect(await server.requests.map(\.response?.status) == [409, 201, 200])
    try await server.expect(.delete("/bookmarks/1", body: ["reason": "sold"]), times: 1)
    try await server.expect(.post("/bookmarks", body: nil), times: 1)
    let message = try await failure { try await $0.expect(.delete("/bookmarks/1", body: nil)) }
    #expect(message.contains("Expected DELETE /bookmarks/1 without a body"), "\(message)")
    #expect(message.contains(#"body: expected to be absent, was '{"reason": "sold"}'"#), "\(message)")
  }

  @Test func `What became of a response that was not sent whole is shown in the place of its status`() async throws {
    let server = try MockServer.current
    for (name, response) in [("reset", .reset), ("hang", .hang), ("bookmarks", .truncated)] as [(String, Response)] {
      await server.fail(.get("/\(name)"), with: response)
      try await send(.get, "/\(name)")
    }
    let message = try await failure { try await $0.expect(.get("/other")) }
    for line in [
      "1. GET /reset → connection reset, fault 1", "2. GET /hang → no response (hung), fault 2",
      "3. GET /bookmarks → 200, truncated, fault 3",
    ] {
      #expect(message.contains(line), "\(message)")
    }
    let requests = await server.requests
    #expect(requests.map(\.delivery) == [.reset, .nothing, .cut])
    #expect(requests.map(\.response?.status) == [nil, nil, .ok])
    #expect("\(requests[0])" == "GET /reset → connection reset, fault 1")
    try await server.expect(.get("/bookmarks"), times: 1, delivery: .cut)
    try await server.expect(.any(), times: 1...1, delivery: .reset)
    let difference = try await failure { try await $0.expect(.get("/reset"), delivery: .whole) }
    #expect(difference.contains("Expected GET /reset with delivery whole at least once"), "\(difference)")
    #expect(difference.contains("delivery: expected whole, was reset"), "\(difference)")
  }

  @Test func `Data is compared as Swift values and as JSON, and the difference is shown member by member`() async throws
  {
    let server = try MockServer.current
    try await server.expect("bookmarks", equals: [Bookmark(id: 1, title: "Swift")])
    try await server.expect("bookmarks", equals: [["read": true, "title": "Swift", "id": 1.0]])
    let message = try await failure { server in
      try await server.expect("bookmarks", equals: [Bookmark(id: 1, title: "NIO"), Bookmark(id: 2, title: "Swift")])
    }
    #expect(message.contains(#"bookmarks[0].title: expected "NIO", was "Swift""#), "\(message)")
    #expect(message.contains("bookmarks[1]: expected {"), "\(message)")
    #expect(
      try await failure { try await $0.expect("notes", equals: [:]) }.contains("No resource is named 'notes'"))
    try await send(.post, "/bookmarks", json: #"{"id": 2}"#)
    let undecodable = try await failure { try await $0.expect("bookmarks", equals: [Bookmark(id: 1, title: "Swift")]) }
    #expect(undecodable.contains("bookmarks[1] (id 2): there is no member 'title'"), "\(undecodable)")
    #expect(undecodable.contains(#"There is {"id":2}"#), "\(undecodable)")
  }

  @Test(
    arguments: [
      (#"{"id": 7, "title": null}"#, "bookmarks[1] (id 7): title: expected String, found null"),
      (#"{"id": "a", "title": "T"}"#, "bookmarks[1] (id a): id: expected Int, found \"a\""),
      (#"{"id": 2, "title": "T", "tags": ["a", 1]}"#, "bookmarks[1] (id 2): tags[1]: expected String, found 1"),
      (#"{"id": 3, "title": "T", "tags": {}}"#, "bookmarks[1] (id 3): tags: expected Array<Any>, found {}"),
    ])
  func `A record that cannot be read is named, with its member`(_ json: String, _ reason: String) async throws {
    struct Tagged: Codable {
      var id: Int
      var title: String
      var tags: [String]?
    }
    let server = try MockServer.current
    try await send(.post, "/bookmarks", json: json)
    let line = #line + 1
    let error = await #expect(throws: MockServerError.self) {
      try await server.records("bookmarks", as: Tagged.self)
    }
    let message = try #require(error).description
    #expect(message.contains("OrderAndDataTests.swift:\(line): \(reason)\nThe record is {"), "\(message)")
    let unmet = try await failure { try await $0.expect("bookmarks", equals: [Tagged]()) }
    #expect(unmet.contains(reason), "\(unmet)")
  }

  @Test func `A decoder reads any JSON as a value`() async throws {
    let json = #"{"b": [1, null, -2.5, true, "x", {}], "a": {"c": []}, "d": null, "e": false}"#
    let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
    #expect(value == (try JSONValue(parsing: json)))
    #expect("\(value)" == #"{"a":{"c":[]},"b":[1,null,-2.5,true,"x",{}],"d":null,"e":false}"#)
    let records = try await MockServer.current.records("bookmarks", as: JSONValue.self)
    #expect(records == [["id": 1, "title": "Swift", "read": true]])
  }

  @Test func `Values print as JSON, compare by what they mean, and take variables`() throws {
    let (id, title) = (7, "Swift")
    let value: JSONValue = ["id": .init(id), "title": .init(title), "done": .init(true), "price": .init(1.5)]
    #expect("\(value)" == #"{"id":7,"title":"Swift","done":true,"price":1.5}"#)
    let other = try JSONValue(parsing: #"{"price": 1.50, "title": "Swift", "done": true, "id": 7.0}"#)
    #expect(value == other)
    #expect(Set([value, other]).count == 1)
    #expect(value.text() != other.text())
  }

  @Test(.jsonServer(["bookmarks": [["id": 1], ["id": 2]]], pathPrefix: "/api/v1", listens: false))
  func `A path prefix is a part of the address, and of every link`() async throws {
    let server = try MockServer.current
    #expect(server.url.path == "/api/v1")
    #expect(server.environment == ["JSON_SERVER_URL": server.url.absoluteString])
    let response = await server.respond(to: Request(.get, "/api/v1/bookmarks?_page=1&_limit=1"))
    #expect(response.headers["Link"]?.contains("/api/v1/bookmarks?_page=2") == true)
    try await server.expect(.get("/bookmarks"), times: 1)
    try await server.expect(.get("/api/v1/bookmarks"), times: 1)
  }

  @Test(.jsonServer(["bookmarks": [["id": 1], ["id": 2]]], listens: false) { $0.routes = ["/api/v1/*": "/$1"] })
  func `What a rule takes off the path leads back in links and locations`() async throws {
    let server = try MockServer.current
    let list = await server.respond(to: Request(.get, "/api/v1/bookmarks?_page=1&_limit=1"))
    #expect(list.headers["Link"]?.contains("/api/v1/bookmarks?_page=2") == true)
    let created = await server.respond(to: Request(.post, "/api/v1/bookmarks", json: "{}"))
    #expect(created.headers[.location]?.hasSuffix("/api/v1/bookmarks/3") == true)
  }
}

@MainActor private struct Note: @MainActor Codable, Equatable {
  var id: Int
  var text: String
}

@MainActor @Suite struct `Models that are isolated to the main actor` {
  @Test func `are served, read and compared`() async throws {
    let notes = [Note(id: 1, text: "one")]
    let server = try await MockServer.start(.encoding(["notes": notes]), listens: false)
    #expect(try await server.records("notes", as: Note.self) == notes)
    try await server.expect("notes", equals: notes)
    await server.stop()
  }
}

@Suite struct `A server without a closure around it` {
  @Test func `runs until it is stopped, on data of a file's URL`() async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let server = try await MockServer.start(.file(folder.appending(path: "Fixtures/shop.json")))
    let data = try await URLSession.forTests.get("/profile", at: server.url).data
    #expect(String(decoding: data, as: UTF8.self).contains("Tea House"))
    await server.stop()
    // The server of another test may have the port by now.
    let later = try? await URLSession.forTests.get("/profile", at: server.url).data
    #expect(later.map { String(decoding: $0, as: UTF8.self).contains("Tea House") } != true)
  }

  @Test func `says which resource of a bundle is missing`() async throws {
    let error = await #expect(throws: MockServerError.self) {
      try await MockServer.start(.resource("no.json", in: .main))
    }
    #expect(error?.description.contains("'no.json'") == true)
  }
}
