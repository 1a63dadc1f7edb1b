import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

/// Middleware that is a closure.
private struct Hook: Middleware {
  let body: @Sendable (Request, @Sendable (Request) async throws -> Response) async throws -> Response

  func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async throws -> Response {
    try await body(request, next)
  }
}

private struct Refusal: Error, CustomStringConvertible {
  let description = "No luck today."
}

@Suite(.timeLimit(.minutes(1))) struct `Middleware hooks` {
  @Test func `run around a request, the first outermost`() async throws {
    let hooks = ["a", "b"].map { name in
      Hook { request, next in
        var request = request
        request.target += request.target.contains("?") ? "&title=\(name)" : "?title=\(name)"
        var response = try await next(request)
        response.headerFields[.via] = (response.headerFields[.via] ?? request.target) + name
        return response
      }
    }
    let server = try await AdminFixture.server { $0.middleware = hooks }
    let answer = await server.send(.get, "/posts")
    #expect(answer.headerFields[.via] == "/posts?title=a&title=bba")
    #expect(try answer.json.array?.count == 2)
    #expect(await server.journal.map(\.request.target) == ["/posts"])
    #expect(await server.engine.tasks.isEmpty)
  }

  @Test func `may respond by themselves`() async throws {
    let server = try await AdminFixture.server { $0.middleware = [Hook { _, _ in Response(status: .init(code: 418)) }] }
    #expect(await server.send(.delete, "/posts/1").status.code == 418)
    #expect(await server.value == AdminFixture.posts)
  }

  @Test func `leave large records a tag that If-Match takes`() async throws {
    let text = JSONValue.string(String(repeating: "x", count: 1_500_000))
    let server = try await AdminFixture.server(["posts": [["id": 1, "text": text]]]) {
      $0.middleware = [Hook { try await $1($0) }]
    }
    let seen: HTTPFields = [.ifMatch: try #require(await server.send(.get, "/posts/1").headerFields[.eTag])]
    #expect(await server.send(.patch, "/posts/1", ["more": true], fields: seen).status == .ok)
    #expect(await server.send(.patch, "/posts/1", ["more": false], fields: seen).status == .preconditionFailed)
  }

  @Test func `that change the description change its tag`() async throws {
    var tags: Set<String?> = []
    for word in ["", "changed"] {
      let server = try await AdminFixture.server {
        $0.middleware = [
          Hook { request, next in
            var response = try await next(request)
            response.body += Data(word.utf8)
            return response
          }
        ]
      }
      tags.insert(await server.send(.get, "/__admin/openapi.json").headerFields[.eTag])
    }
    #expect(tags.count == 2 && !tags.contains(nil))
  }

  @Test func `that throw lead to a 500 that says what they say`() async throws {
    let server = try await AdminFixture.server { $0.middleware = [Hook { _, _ in throw Refusal() }] }
    let answer = await server.send(.get, "/posts")
    #expect(answer.status == .internalServerError)
    #expect(try answer.json["message"] == "No luck today.")
  }

  @Test func `see faults and delays from outside, and keep paths as they were sent`() async throws {
    let server = try await AdminFixture.server { configuration in
      configuration.middleware = [Hook { try await $1($0) }]
      configuration.routes = JSONObject([("/api/*", "/$1")])
      configuration.delay = .milliseconds(1)
    }
    try await server.addFault(Fault(.any("/api/posts"), .status(.badGateway)))
    #expect(await server.send(.get, "/api/posts").status == .badGateway)
    #expect(await server.send(.get, "/posts").status == .ok)
  }

  @Test func `are cancelled when the server stops`() async throws {
    let (started, begin) = AsyncStream.makeStream(of: Void.self)
    let hook = Hook { _, _ in
      begin.yield()
      try await Task.sleep(for: .seconds(600))
      return Response()
    }
    let server = try await AdminFixture.server { $0.middleware = [hook] }
    async let answer = server.send(.get, "/posts")
    for await _ in started { break }
    await server.stop()
    #expect(await answer.status == .internalServerError)
  }
}

@Suite struct `A path prefix` {
  @Test(arguments: [
    ("/mock/posts/1", 200), ("/mock/posts?id=1", 200), ("/mock?_page=1", 302), ("/posts/1", 404),
    ("/mockery/posts", 404),
    ("/mock/__admin/health", 200), ("/__admin/health", 404),
  ])
  func `leads to what is below it`(_ target: String, _ status: Int) async throws {
    for prefix in ["/mock", "mock/"] {
      let server = try await AdminFixture.server { $0.pathPrefix = prefix }
      #expect(await server.send(.get, target).status.code == status)
    }
  }

  @Test(arguments: [
    ("/my api", "/my%20api/posts", 200), ("/my%20api", "/my%20api/posts", 200), ("/caf\u{E9}", "/caf%C3%A9/posts", 200),
    ("/caf\u{E9}", "/caf%c3%a9/posts", 200), ("/caf\u{E9}", "/caf\u{E9}/posts", 200),
    ("/caf%C3%A9", "/caf%C3%A9/posts", 200),
    ("/100%", "/100%25/posts", 200), ("/~a", "/%7Ea/posts", 200), ("/a/b", "/a/b/posts", 200),
    ("/a/b", "/a%2Fb/posts", 404),
    ("/caf\u{E9}", "/caf/posts", 404), ("/a b", "/a+b/posts", 404), ("/a b", "/a%20/posts", 404),
    ("/a b", "/%zz/posts", 400),
  ])
  func `may have any characters`(_ prefix: String, _ target: String, _ status: Int) async throws {
    let server = try await AdminFixture.server { $0.pathPrefix = prefix }
    let page = await server.send(.get, target + "?_page=1&_limit=1")
    #expect(page.status.code == status)
    guard status == 200 else { return }
    let link = try #require(page.headerFields[.link])
    let next = try #require(link.split(separator: "<").last { $0.contains("rel=\"next\"") })
    let address = String(next.dropFirst("http://localhost".count).prefix { $0 != ">" })
    #expect(address.utf8.allSatisfy { $0 < 0x80 && $0 != 0x20 })
    #expect(await server.send(.get, address).status == .ok)
  }

  @Test func `is in the addresses of responses`() async throws {
    let server = try await AdminFixture.server { $0.pathPrefix = "/mock" }
    let created = await server.send(.post, "/mock/posts", ["title": "c"])
    #expect(created.headerFields[.location] == "http://localhost/mock/posts/3")
    let page = await server.send(.get, "/mock/posts?_page=1&_limit=2")
    #expect(page.headerFields[.link]?.contains("<http://localhost/mock/posts?_page=2&_limit=2>; rel=\"next\"") == true)
    #expect(try await server.get("/mock/__admin/resources")[0]?["url"] == "/mock/posts")
  }

  @Test(arguments: [("", 100), ("/mock", 95)])
  func `counts against the length of a new record's address`(_ prefix: String, _ rest: Int) async throws {
    let server = try await AdminFixture.server {
      $0.pathPrefix = prefix
      $0.limits.maximumTargetBytes = 100
    }
    // `/posts/` are 7 bytes, an escaped letter 6.
    for (id, isAccepted) in [
      (String(repeating: "i", count: rest - 7), true), (String(repeating: "j", count: rest - 6), false),
      ("\u{E9}" + String(repeating: "i", count: rest - 13), true),
      ("\u{E9}" + String(repeating: "j", count: rest - 12), false),
    ] {
      let body: JSONValue = ["id": .string(id)]
      for (target, body) in [(prefix + "/posts", body), (prefix + "/posts", [["id": .string(id.dropLast() + "k")]])] {
        let response = await server.send(.post, target, body)
        #expect(response.status == (isAccepted ? .created : .badRequest), "\(id)")
        guard !isAccepted else { continue }
        let message = try JSONValue(parsing: response.bytes)["message"]?.string
        #expect(message?.contains("would have \(rest + 1) bytes, more than \(rest);") == true)
      }
    }
  }
}
