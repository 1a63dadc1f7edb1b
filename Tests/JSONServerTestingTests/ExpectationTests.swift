import JSONServerTesting
import NIOConcurrencyHelpers

@Suite(.jsonServer(["bookmarks": [["id": 0, "title": "Swift"]]], listens: false))
struct `What a client is expected to have sent` {
  @Test func `A request is met by its route, times, query, fields and body`() async throws {
    let server = try MockServer.current
    _ = await server.respond(to: Request(.get, "/bookmarks?q=swift&_page=1"))
    _ = await server.respond(to: Request(.post, "/bookmarks", json: #"{"pages": 3.0, "title": "NIO"}"#))
    try await server.expect(.get("/bookmarks", query: ["q": "swift"]), times: 1)
    try await server.expect(
      .post("/book*", headers: ["Content-Type": "application/json"], body: ["title": "NIO", "pages": 3]))
    try await server.expect(.delete("/bookmarks/*"), times: 0)
    try await server.expect(.any(), times: 2)
    #expect(await server.requests(.post("/bookmarks")).map { $0.json?["title"] } == ["NIO"])
  }

  struct Case: Sendable {
    let route: RequestPattern
    var times: Int?
    /// What the message has to say.
    let phrases: [String]
  }

  static let unmet = [
    Case(
      route: .post("/bookmarks", body: ["title": "NIO", "tags": ["a", "b"], "done": true]), times: 1,
      phrases: [
        "Expected POST /bookmarks with body", "once, but it came 0 times.", #"body.title: expected "NIO", was "Nio""#,
        #"body.tags[1]: expected "b", is missing"#, "body.done: expected true, was null", "body.extra: not expected",
        #"1. POST /bookmarks → 201 {"title":"Nio""#,
      ]),
    Case(route: .get("/users/*"), phrases: ["Expected GET /users/* at least once", "The requests that came:"]),
    Case(route: .post("/bookmarks"), times: 0, phrases: ["never, but it came once."]),
  ]

  @Test(arguments: unmet)
  func `What is unmet is reported with the difference and the requests that came`(_ test: Case) async throws {
    let server = try MockServer.current
    let json = #"{"title": "Nio", "tags": ["a"], "done": null, "extra": 1}"#
    _ = await server.respond(to: Request(.post, "/bookmarks", json: json))
    // Where no test of Swift Testing runs, as in XCTest, the failure is thrown.
    let failure = await Task.detached { () -> MockServerError? in
      do throws(MockServerError) {
        try await server.expect(test.route, times: test.times)
        return nil
      } catch {
        return error
      }
    }.value
    let message = try #require(failure).description
    for phrase in test.phrases { #expect(message.contains(phrase), "\(message)") }
  }

  @Test func `One issue of a test says where its requests are attached`() async throws {
    let server = try MockServer.current
    _ = await server.respond(to: Request(.get, "/bookmarks"))
    let mentions = NIOLockedValueBox(0)
    try await withKnownIssue {
      for _ in 1...3 { try await server.expect(.get("/users")) }
    } matching: { issue in
      if issue.comments.contains(where: { $0.rawValue.contains("requests.txt") }) {
        mentions.withLockedValue { $0 += 1 }
      }
      return true
    }
    #expect(mentions.withLockedValue { $0 } == 1)
  }

  @Test func `In Swift Testing an unmet expectation is an issue at its own line, and the test goes on`() async throws {
    let server = try MockServer.current
    var goesOn = false
    let line = #line + 2
    try await withKnownIssue {
      try await server.expect(.get("/bookmarks"))
      goesOn = true
    } matching: { issue in
      issue.sourceLocation?.line == line && issue.comments.contains { $0.rawValue.contains("No requests came.") }
    }
    #expect(goesOn)
  }

  @Test(arguments: [(1_001, 1), (4, 10 << 20)])
  func `Every request counts, however many there are and however large`(_ count: Int, _ size: Int) async throws {
    let server = try MockServer.current
    let body = Data(repeating: UInt8(ascii: " "), count: size)
    for _ in 0..<count { _ = await server.respond(to: Request(method: .get, target: "/bookmarks", body: body)) }
    try await server.expect(.get("/bookmarks"), times: count)
  }

  @Test(
    arguments: [
      (RequestPattern.get("/posts"), HTTPRequest.Method.head, "/mock/posts", nil, true),
      (.head("/posts"), .get, "/mock/posts", nil, false),
      (.get("/api/posts"), .get, "/mock/api/posts?_page=1", nil, true),
      (.get("/posts"), .get, "/mock/api/posts", nil, true),
      (.get("/mock/posts"), .get, "/mock/posts", nil, true),
      (.patch("/posts/1"), .post, "/mock/posts/1", "patch", true),
      (.post("/posts/1"), .post, "/mock/posts/1", "PATCH", false),
    ] as [(RequestPattern, HTTPRequest.Method, String, String?, Bool)])
  func `A fault meets those requests that an expectation counts`(
    _ route: RequestPattern, _ method: HTTPRequest.Method, _ target: String, _ override: String?, _ isOfRoute: Bool
  ) async throws {
    let data: MockData = ["posts": [["id": 1]]]
    try await withJSONServer(data, pathPrefix: "/mock", listens: false) {
      $0.routes = ["/api/*": "/$1"]
    } _: { server in
      await server.fail(route, with: 503)
      var request = Request(method: method, target: target)
      request.headers["X-HTTP-Method-Override"] = override
      let response = await server.respond(to: request)
      #expect((response.status == .serviceUnavailable) == isOfRoute)
      try await server.expect(route, times: isOfRoute ? 1 : 0)
      #expect(await server.requests(route).count == (isOfRoute ? 1 : 0))
    }
  }

  @Test func `Requests that were cleared no longer count`() async throws {
    let server = try MockServer.current
    _ = await server.respond(to: Request(.get, "/bookmarks"))
    await server.clearRequests()
    #expect(await server.requests.isEmpty)
    try await server.expect(.get("/bookmarks"), times: 0)
  }

  @Test func `A request that waits in a hold is not cleared`() async throws {
    let server = try MockServer.current
    let hold = await server.hold(.get("/bookmarks"))
    async let response = server.respond(to: Request(.get, "/bookmarks"))
    try await hold.arrived()
    await server.clearRequests()
    try await hold.arrived()
    await hold.release()
    #expect(await response.status == .ok)
  }

  @Test func `Of many requests, a message shows the newest`() async throws {
    let server = try MockServer.current
    for _ in 1...60 { _ = await server.respond(to: Request(.get, "/bookmarks")) }
    try await withKnownIssue {
      try await server.expect(.get("/users"))
    } matching: { issue in
      issue.comments.contains {
        let lines = $0.rawValue.split(separator: "\n")
        return $0.rawValue.contains("came, after 10 others:\n  11. GET") && lines.count < 60
      }
    }
  }

  @Test func `Requests that cannot be are not looked for`() async throws {
    let server = try MockServer.current
    let line = #line + 2
    await withKnownIssue {
      #expect(await server.requests(.get("/a/../b")).isEmpty)
    } matching: { issue in
      issue.sourceLocation?.line == line && issue.comments.contains { $0.rawValue.contains("No request can match") }
    }
  }

  @Test func `Waiting ends with the task or the server, and the error says so`() async throws {
    let cancelled = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await #expect(throws: MockServerError.self) { try await MockServer.current.waitForRequest(.any()) }
    }.value
    #expect(cancelled?.description.contains("but the task was cancelled.") == true)
    let server = try await MockServer.start(listens: false)
    let hold = await server.hold(.any(), times: 1)
    await server.stop()
    let errors = [
      await #expect(throws: MockServerError.self) { try await server.waitForRequest(.any()) },
      await #expect(throws: MockServerError.self) { try await hold.arrived() },
    ]
    for error in errors {
      #expect(error?.description.contains("but the server has stopped.") == true)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `A request that is yet to come is waited for`() async throws {
    let server = try MockServer.current
    async let exchange = server.waitForRequest(.get("/bookmarks/*"), within: .seconds(30))
    _ = await server.respond(to: Request(.get, "/bookmarks"))
    _ = await server.respond(to: Request(.get, "/bookmarks/0"))
    let found = try await exchange
    #expect(found.request.target == "/bookmarks/0")
    #expect(found.response?.status == .ok)
  }

  @Test func `A request that does not come in time is an error with those that came`() async throws {
    let server = try MockServer.current
    _ = await server.respond(to: Request(.get, "/bookmarks"))
    let seen = try await server.waitForRequest(.get("/bookmarks"))
    let error = try #require(
      await #expect(throws: MockServerError.self) {
        try await server.waitForRequest(.get("/bookmarks"), after: seen, within: .milliseconds(10))
      })
    #expect(error.description.contains("1. GET /bookmarks → 200"))
  }
}
