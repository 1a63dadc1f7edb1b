import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `A session` {
  private func server(_ adjust: (inout Server.Configuration) -> Void = { _ in }) async throws -> Server {
    try await AdminFixture.server { configuration in
      configuration.hasSessions = true
      adjust(&configuration)
    }
  }

  private let a: HTTPFields = [.session: "a"]
  private let b: HTTPFields = [.session: "b"]

  @Test func `finds what it has changed, however many others ask meanwhile`() async throws {
    let server = try await server()
    let names = (0..<7).map { "s\($0)" }
    for round in 0..<3 {
      for name in names {
        let fields: HTTPFields = [.session: name]
        await server.send(.post, "/posts", ["title": .string("\(name) \(round)")], fields: fields)
        let found = await server.send(.get, "/posts?title=\(name)+\(round)&_sort=title", fields: fields)
        #expect(found.headerFields[.xTotalCount] == "1", "\(name) \(round)")
      }
    }
    await server.send(.delete, "/__admin/sessions/s6")
    let again = await server.send(.get, "/posts?title=s6+0", fields: [.session: "s6"])
    #expect(again.headerFields[.xTotalCount] == "0")
  }

  @Test func `does in another what it does alone, request by request`() async throws {
    let requests: [(HTTPRequest.Method, String, JSONValue?)] = [
      (.post, "/posts", ["title": "c"]), (.post, "/posts/3/comments", ["body": "x"]),
      (.get, "/posts?_embed=comments", nil),
      (.patch, "/posts/1", ["title": "z"]), (.get, "/posts?_sort=title&_order=desc", nil), (.delete, "/posts/3", nil),
      (.get, "/comments?postId=3", nil), (.post, "/posts", [:]), (.put, "/profile", ["name": "y"]), (.get, "/db", nil),
      (.get, "/posts?title=z", nil), (.get, "/posts?q=b&_page=1", nil), (.delete, "/posts/2", nil),
      (.post, "/posts", ["id": "text"]), (.post, "/posts", [:]), (.get, "/posts?id_gte=1", nil),
      (.post, "/__admin/reset", nil), (.get, "/db", nil),
    ]
    let (alone, shared) = (try await AdminFixture.server(), try await server())
    for (method, target, body) in requests {
      let expected = await alone.send(method, target, body)
      for fields in [a, b] {
        let response = await shared.send(method, target, body, fields: fields)
        #expect(response.status == expected.status, "\(method) \(target)")
        #expect(response.text == expected.text, "\(method) \(target)")
        #expect(response.headerFields[.location] == expected.headerFields[.location])
      }
    }
    #expect(await shared.value == AdminFixture.posts)
  }

  @Test func `ends as the longest unused when there are too many`() async throws {
    let server = try await server()
    for number in 0..<Sessions.capacity {
      await server.send(.delete, "/posts/1", fields: [.session: "s\(number)"])
    }
    #expect(await server.send(.get, "/posts/1", fields: [.session: "s0"]).status == .notFound)
    await server.send(.get, "/posts", fields: [.session: "new"])
    let names = try await server.get("/__admin/sessions").array?.compactMap { $0["name"]?.string } ?? []
    #expect(names.count == Sessions.capacity)
    #expect(names.contains("s0") && !names.contains("s1") && names.contains("s2") && names.contains("new"))
    // It begins anew.
    #expect(await server.send(.get, "/posts/1", fields: [.session: "s1"]).status == .ok)
  }

  @Test func `begins with no preflight, which any page may send`() async throws {
    let server = try await server()
    let preflight: HTTPFields = [.origin: "https://evil.example", .accessControlRequestMethod: "PUT"]
    #expect(await server.send(.options, "/__session/a/posts", fields: preflight).status == .noContent)
    #expect(try await server.get("/__admin/sessions") == [])
  }

  @Test func `has events of its own, which end with it`() async throws {
    let server = try await server()
    guard case .stream(let events, _) = await server.send(.get, "/posts?_watch", fields: a).content else {
      Issue.record("no stream")
      return
    }
    await server.send(.post, "/posts", ["title": "theirs"])
    await server.send(.post, "/posts", ["title": "others'"], fields: b)
    await server.send(.post, "/posts", ["title": "own"], fields: a)
    var text = ""
    for await piece in events {
      text += String(decoding: piece, as: UTF8.self)
      if text.contains("own") { await server.send(.delete, "/__admin/sessions/a") }
    }
    #expect(!text.contains("theirs") && !text.contains("others'"))
  }

  @Test func `does what it had delayed when it ends`() async throws {
    let server = try await server()
    await server.send(.patch, "/__admin/settings", ["delay": 60_000], fields: a)
    async let response = server.send(.get, "/posts/1", fields: a)
    try await wait { await server.sessionRequests("a") >= 2 }
    await server.send(.delete, "/__admin/sessions/a")
    #expect(await response.status == .ok)
  }

  @Test func `ends with the server`() async throws {
    let server = try await server()
    guard case .stream(let events, _) = await server.send(.get, "/__admin/events", fields: a).content else {
      Issue.record("no stream")
      return
    }
    await server.stop()
    for await _ in events {}
  }

  @Test func `has middleware, a path below which the server is mounted, and rewrite rules`() async throws {
    let server = try await server { configuration in
      configuration.pathPrefix = "/mock"
      configuration.routes = JSONObject([("/api/*", "/$1")])
      configuration.middleware = [Marking()]
    }
    let response = await server.send(.post, "/mock/__session/a/api/posts", ["title": "x"])
    #expect(response.status == .created)
    #expect(response.headerFields[.location] == "http://localhost/mock/__session/a/api/posts/3")
    #expect(response.headerFields[.server] == "marked")
    #expect(await server.send(.get, "/mock/posts/3", fields: a).status == .ok)
    #expect(await server.send(.get, "/mock/posts/3").status == .notFound)
    let resources = try await server.get("/mock/__session/a/__admin/resources")
    #expect(resources[0]?["url"] == "/mock/__session/a/posts")
    for (target, base) in [("/mock", "/mock"), ("/mock/__session/a", "/mock/__session/a")] {
      #expect(try await server.get("\(target)/__admin/openapi.json")["servers"] == [["url": .string(base)]])
    }
  }

  @Test func `has a name of its own whatever it is called`() throws {
    let long = String(repeating: "x", count: 64)
    let texts = [
      "a", "a-b", "a b", "a/b", "a\u{0}b", long, long + "y", long + "z", "日本", "中国", "------", "", ".", "..", "session",
      "\u{E9}", "e\u{301}",
    ]
    let names = try texts.map { try SessionName(SessionName(cleaning: $0).text).text }
    #expect(Set(names).count == texts.count)
    for (text, name) in zip(texts, names) where (try? SessionName(text)) != nil { #expect(text == name) }
    #expect(SessionName(cleaning: "日本") == SessionName(cleaning: "日本"))
  }

  @Test func `has routes of its own, until the server gets others`() async throws {
    let server = try await server { $0.routes = JSONObject([("/all/*", "/$1")]) }
    try await server.session("a").setRoutes(JSONObject([("/api/*", "/$1")]))
    for (target, status) in [
      ("/__session/a/api/posts/1", 200), ("/__session/a/all/posts/1", 404), ("/__session/b/api/posts/1", 404),
      ("/__session/b/all/posts/1", 200), ("/api/posts/1", 404), ("/all/posts/1", 200),
    ] {
      #expect(await server.send(.get, target).status.code == status, "\(target)")
    }
    #expect(try await server.get("/__session/a/__rules") == ["/api/*": "/$1"])
    try await server.setRoutes(JSONObject([("/new/*", "/$1")]))
    for prefix in ["", "/__session/a", "/__session/b", "/__session/c"] {
      #expect(await server.send(.get, prefix + "/new/posts/1").status == .ok, "\(prefix)")
    }
  }

  @Test func `meets the faults and stubs of its path without the prefix`() async throws {
    let server = try await server { $0.stubs = [Stub(.get("/me"), .json(["id": 1]))] }
    #expect(try await server.get("/__session/a/me") == ["id": 1])
    await server.send(.post, "/__session/a/__admin/faults", ["path": "/posts/*", "status": 503])
    #expect(await server.send(.get, "/__session/a/posts/1").status == .serviceUnavailable)
    #expect(await server.send(.get, "/__session/b/posts/1").status == .ok)
  }

  @Test func `keeps its part of the bytes that all journals may keep`() async throws {
    let server = try await server { $0.journalByteCapacity = 1_000 }
    for name in ["a", "b", "c", "d"] {
      for _ in 0..<50 { await server.send(.get, "/posts/1", fields: [.session: name]) }
    }
    for name in ["a", "b", "c", "d"] {
      let journal = try await server.send(.get, "/__admin/requests", fields: [.session: name]).json.array ?? []
      #expect((1...8).contains(journal.count))
    }
  }

  @Test(arguments: [
    ("/__session/a/posts", "a", "/posts"), ("/__session/a", "a", "/"), ("//__session//a//posts", "a", "/posts"),
    ("/x/../%5F_session/./a/posts", "a", "/posts"),
    ("/__session/a?_page=1", "a", "/?_page=1"), ("/__session/a/__session/b/posts", "a", "/__session/b/posts"),
    ("/__sessions/a/posts", nil, "/__sessions/a/posts"), ("/posts?x=/__session/a", nil, "/posts?x=/__session/a"),
  ])
  func `is named by the start of a path`(target: String, name: String?, rest: String) throws {
    var (request, target) = (Request(method: .get, target: target), try RequestTarget(target))
    request.mount.path = "/mock"
    #expect(try SessionName.take(from: &target, of: &request)?.text == name)
    #expect(target.text == rest)
    #expect(request.mount.path == (name == nil ? "/mock" : "/mock/__session/a"))
  }

  private struct Marking: Middleware {
    func respond(
      to request: Request, next: @Sendable (Request) async throws -> Response
    ) async throws -> Response {
      var response = try await next(request)
      response.headerFields[.server] = "marked"
      return response
    }
  }
}

extension Server {
  /// How many requests a session has had.
  fileprivate func sessionRequests(_ name: String) async -> Int {
    await engine.requestCount(ofSession: name)
  }
}

extension Engine {
  fileprivate func requestCount(ofSession name: String) -> Int {
    sessions.all.first { $0.name.text == name }?.requestCount ?? 0
  }
}
