import JSONServerTesting

/// Whatever a test passes by mistake, the process goes on, and the other tests with it.
@Suite(.timeLimit(.minutes(1)))
struct `What no test should pass` {
  @Test(arguments: ["a b", "%", "//", "?", "#", "/a?b", "\u{0}", "/../..", "[", "\u{1F600}", ":", "http://x/"])
  func `A path prefix either works or is refused`(_ prefix: String) async throws {
    do {
      let server = try await MockServer.start(["bookmarks": []], pathPrefix: prefix)
      _ = try? await URLSession.forTests.get("bookmarks", at: server.url)
      _ = server.session(prefix).url
      await server.stop()
    } catch {
      #expect("\(error)".isEmpty == false)
    }
  }

  /// What a test does wrong, and what it is told.
  private static let mistakes: [(message: String, @Sendable () async throws -> Void)] = [
    ("There is no file '/no/such.json'; check its path.", { try await withJSONServer("/no/such.json") { _ in } }),
    (
      "'/' cannot be read; check that it is a file, and its permissions.",
      { try await withJSONServer(.file("/")) { _ in } }
    ),
    (
      "The data cannot be served: 'count' is a number; a resource is an array of records or an object.",
      { try await withJSONServer(["posts": [], "count": 5]) { _ in } }
    ),
    (
      #"Server.SignIn.users: no collection is named 'users'; there are posts. Add "users": []."#,
      { try await withJSONServer(["posts": []], auth: "users") { _ in } }
    ),
    (
      "There is no snapshot 'one'; save one under this name first.",
      { try await withJSONServer(listens: false) { try await $0.restoreSnapshot("one") } }
    ),
    (
      "'profile' is a single object, not a collection.",
      { try await withJSONServer(["profile": [:]], listens: false) { _ = try await $0.values(of: "profile") } }
    ),
  ]

  @Test(arguments: mistakes.indices)
  func `Messages name what Swift code has, not options, addresses or text that nobody wrote`(_ number: Int) async throws
  {
    let (message, mistake) = Self.mistakes[number]
    let error = await #expect(throws: (any Error).self) { try await mistake() }
    #expect("\(try #require(error))" == message)
  }

  @Test(arguments: ["my api", "caf\u{E9}", "\u{65E5}\u{672C}/v1", "my%20api", "a+b", "100%", "?", "~x"])
  func `A path prefix leads to what its address says`(_ prefix: String) async throws {
    let server = try await MockServer.start(["bookmarks": [["id": 1], ["id": 2]]], pathPrefix: prefix)
    for base in [server.url, server.session("a").url] {
      let url = base.appending(path: "bookmarks").appending(queryItems: [URLQueryItem(name: "_page", value: "1")])
      let (body, response) = try await URLSession.forTests.data(from: url)
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(try JSONValue(parsing: Array(body)).array?.count == 2)
      let document = try await URLSession.forTests.data(from: base.appending(path: "__admin/openapi.json")).0
      let path = try JSONValue(parsing: Array(document))["servers"]?[0]?["url"]?.string
      #expect(path?.removingPercentEncoding == base.path(percentEncoded: false))
    }
    await server.stop()
  }

  @Test(.jsonServer(["bookmarks": [["id": 1]]]))
  func `Times without end, or before the beginning, are waited for as any other`() async throws {
    let server = try MockServer.current
    _ = await server.respond(to: Request(.get, "/bookmarks"))
    for time in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1)] {
      try await server.waitForRequest(.get("/bookmarks"), within: time)
      await withKnownIssue(isIntermittent: true) { await server.delay(.get("/delayed"), by: time) }
    }
    for range in [.zero ... .seconds(Int64.max), .seconds(Int64.max) ... .seconds(Int64.max)] as [ClosedRange<Duration>]
    {
      await server.delay(.get("/delayed"), by: range)
    }
    async let later = server.waitForRequest(.get("/later"), within: .seconds(Int64.max))
    _ = await server.respond(to: Request(.get, "/later"))
    #expect(try await later.request.target == "/later")
    await withKnownIssue {
      await server.fail(.get("/failed"), with: .json(1, status: .min))
      await server.fail(.get("/failed"), with: .max, times: .min)
    }
    await server.fail(.get("/failed"), with: 503, times: .max)
    #expect(await server.respond(to: Request(.get, "/failed")).status == .serviceUnavailable)
  }

  @Test(.jsonServer(["bookmarks": [["id": 1]]]))
  func `Ranges of times at their ends are no trap`() async throws {
    let server = try MockServer.current
    _ = await server.respond(to: Request(.get, "/bookmarks"))
    try await server.expect(.get("/bookmarks"), times: Int.min...)
    try await server.expect(.get("/bookmarks"), times: ...Int.max)
    await withKnownIssue {
      try await server.expect(.get("/bookmarks"), times: ..<Int.min)
      try await server.expect(.get("/bookmarks"), times: 0..<0)
      try await server.expect(.get("/bookmarks"), times: Int.min)
      try await server.expect(.get("/bookmarks"), times: Int.max)
    }
  }

  @Test(.jsonServer(["bookmarks": [["id": 1]]]))
  func `Fields and types that no response can have are refused or made harmless`() async throws {
    let server = try MockServer.current
    for field in [":status", "", "a b", "a\r\nb", "\u{E9}"] {
      await withKnownIssue(isIntermittent: true) {
        await server.stub(.get("/stubbed"), with: .json(1, headers: [field: "1"]))
        await server.fail(.get("/stubbed", headers: [field: "x"]), with: 500)
      }
    }
    await withKnownIssue(isIntermittent: true) {
      await server.stub(.get("/a"), with: .status(200, headers: ["X-A": "1\r\nX-B: 2", "Content-Length": "-1"]))
      await server.stub(.get("/b"), with: .data([1], type: "text/plain\r\nX-B: 2"))
      await server.stub(.get("/c"), inOrder: [.text("", type: "\u{0}")])
    }
    for path in ["/a", "/b", "/c"] {
      let response = try? await URLSession.forTests.get(path, at: server.url).response
      #expect(response?.value(forHTTPHeaderField: "X-B") == nil)
    }
    #expect(try await URLSession.forTests.get("/bookmarks/1", at: server.url).response.statusCode == 200)
  }

  @Test(
    arguments: [
      { $0.port = -1 }, { $0.port = 70_000 }, { $0.hosts = [""] }, { $0.hosts = [] }, { $0.journalCapacity = -1 },
      { $0.journalByteCapacity = -1 }, { $0.signIn = Server.SignIn(users: "") }, { $0.source = .value([1]) },
      { $0.source = .value(["a": [["id": 1], ["id": 1]]]) }, { $0.routes = JSONObject([("(", "$9")]) },
      { $0.delay = .seconds(Int64.min) }, { $0.maximumDepth = .min }, { $0.maximumDepth = .max },
      { $0.limits = .each(.min, .seconds(Int64.min)) }, { $0.limits = .each(.max, .seconds(Int64.max)) },
      {
        $0.limits = .each(.min, .zero); $0.pathPrefix = "/mock"
      },
      { $0.limits = .each(.max, Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)) },
    ] as [@Sendable (inout Server.Configuration) -> Void])
  func `A configuration either works or is refused`(_ change: @Sendable (inout Server.Configuration) -> Void) async {
    do {
      try await withJSONServer(["bookmarks": []], configure: change) { server in
        _ = await server.respond(to: Request(.get, "/bookmarks"))
        // Over a socket, too, where the limits are those of connections.
        _ = try? await URLSession.forTests.get("bookmarks", at: server.url)
      }
    } catch {
      #expect("\(error)".isEmpty == false)
    }
  }

  @Test func `Data that cannot be written, and names without end, are errors of their own`() async throws {
    await #expect(throws: (any Error).self) { try await withJSONServer(.encoding(["a": Double.nan])) { _ in } }
    await #expect(throws: (any Error).self) { try await withJSONServer(.file("")) { _ in } }
    await #expect(throws: (any Error).self) { try await withJSONServer(.file("/\u{0}")) { _ in } }
    try await withJSONServer(["a": [], "a": []]) { server in
      for name in ["", "..", "a/b", String(repeating: "x", count: 100_000)] {
        #expect(await server.session(name).value["a"] == [])
      }
    }
  }
}

extension Limits {
  /// Limits that are all the same.
  fileprivate static func each(_ number: Int, _ time: Duration) -> Limits {
    var limits = Limits()
    limits.maximumBodyBytes = number
    limits.maximumHeadBytes = number
    limits.maximumFields = number
    limits.maximumTargetBytes = number
    limits.maximumConnections = number
    limits.headTimeout = time
    limits.bodyTimeout = time
    limits.idleTimeout = time
    return limits
  }
}
