import HTTPTypes
import NIOConcurrencyHelpers
import OrderedJSON
import Testing

@testable import JSONServer

@Suite struct `Ignored parameters` {
  private static let data: JSONValue = [
    "posts": [["id": 1, "title": "a", "in_stock": true], ["id": 2, "title": "b"]],
    "comments": [["id": 1, "postId": 1]], "drafts": [], "profile": ["name": "x"],
  ]

  struct Case: Sendable {
    let method: HTTPRequest.Method
    let target: String
    let body: String
    let ignored: String?

    init(_ method: HTTPRequest.Method, _ target: String, body: String = "", _ ignored: String?) {
      self.method = method
      self.target = target
      self.body = body
      self.ignored = ignored
    }
  }

  static let cases: [Case] = [
    // Lists
    Case(.get, "/posts", nil),
    Case(.get, "/posts?title=a&_sort=id&_page=1&_delay=0&_=5&callback=&q=", nil),
    Case(.get, "/posts?titel=a", "titel"),
    Case(.head, "/posts?titel=a", "titel"),
    Case(.get, "/posts?b=1&title=a&a=2&b=3", "b, a"),
    Case(.get, "/posts?title.x=a&meta.b=1", "title.x, meta.b"),
    Case(.get, "/posts?in_stock=true&title_gte=a&none_gte=1", nil),
    Case(.get, "/posts?_order=desc&_start=1&limit=3", "_order, _start, limit"),
    Case(.get, "/posts?_page=undefined&_limit=1", "_page"),
    Case(.get, "/posts?_limit=&_delay=null", "_limit, _delay"),
    Case(.get, "/posts?_dependent=comments", "_dependent"),
    Case(.get, "/posts/1/comments?postId=2", "postId"),
    Case(.get, "/posts?a%2Cb=1&%C3%A9=1&%0D%0Aa:%20b=2&100%=3&[x]=4", "a%2Cb, %C3%A9, %0D%0Aa:%20b, 100%25, [x]"),
    Case(.get, "/posts?_page=1&_per_page=2&_limit=3", "_limit"),
    Case(.get, "/posts?_page=1&_per_page=&_limit=3", "_per_page"),
    Case(.get, "/posts?_embed=nope", "_embed"),
    Case(.get, "/posts?_expand=comments.nope&_embed=comments.post", "_expand"),
    Case(.get, "/posts?_embed=drafts&_expand=draft&_embed=comments", nil),
    Case(.get, "/posts?_sort=nope,id", "_sort"),
    Case(.get, "/posts?_sort=-nope", "_sort"),
    Case(.get, "/posts?_sort=in_stock,-title", nil),
    Case(.get, "/comments?_expand=post&_sort=post.title", nil),
    Case(.get, "/comments?_expand=post&_sort=post.nope", "_sort"),
    Case(.get, "/drafts?_sort=nope&_embed=posts", nil),
    // Records, singular resources, all data
    Case(.get, "/posts/1?_embed=nope", "_embed"),
    Case(.get, "/posts/1?_embed=drafts,comments&_expand=nope", "_expand"),
    Case(.get, "/posts/1?_embed=comments&_delay=0&callback=f&_=1", nil),
    Case(.get, "/posts/1?title=a&_sort=id", "title, _sort"),
    Case(.get, "/posts/9?title=a", "title"),
    Case(.get, "/profile?_embed=posts", "_embed"),
    Case(.get, "/db?x=1&_delay=0", "x"),
    // Writes
    Case(.post, "/posts?title=a", "title"),
    Case(.post, "/posts/1?title=a", "title"),
    Case(.patch, "/posts/1?title=c", nil),
    Case(.patch, "/posts/1?title=c&_sort=id", "_sort"),
    Case(.patch, "/posts/1?title=c", body: "{}", "title"),
    Case(.put, "/profile?name=c", nil),
    Case(.put, "/profile?name=c", body: "{}", "name"),
    Case(.delete, "/posts/1?_dependent=comments&_delay=0", nil),
    Case(.delete, "/posts/1?title=a", "title"),
    Case(.delete, "/posts/9?title=a", "title"),
    // What does not reach the data
    Case(.get, "/?x=1", nil),
    Case(.get, "/__rules?x=1", nil),
  ]

  @Test(arguments: cases)
  func `are named in the response`(_ test: Case) async throws {
    let response = await send(test, to: try await server())
    #expect(response.headerFields[.xIgnoredParameters] == test.ignored, "\(test.method) \(test.target)")
    let exposed = response.headerFields[.accessControlExposeHeaders] ?? ""
    #expect(exposed.contains("X-Ignored-Parameters") == (test.ignored != nil))
  }

  @Test(
    arguments: [
      ("/posts?titel=a", nil), ("/posts?title:foo=a", "title:foo"),
      (#"/posts?title=b&_where={"title":{"eq":"a"}}&_sort=id"#, "title"),
      ("/posts?_embed=nope&_sort=nope", "_embed, _sort"), ("/posts/1?_embed=nope", "_embed"),
      ("/posts/1?_embed=drafts,comments", nil),
    ] as [(String, String?)])
  func `of json-server 1.0 are those that it ignores`(_ target: String, _ ignored: String?) async throws {
    let response = await send(Case(.get, target, ignored), to: try await server { $0.dialect = .v1 })
    #expect(response.headerFields[.xIgnoredParameters] == ignored)
  }

  @Test func `are judged by the target after rewriting`() async throws {
    let server = try await server {
      $0.routes = JSONObject([("/articles\\?key=:id", "/posts/:id"), ("/p*", "/posts$1")])
    }
    for (target, ignored) in [("/articles?key=1", nil), ("/p?kee=1", "kee")] as [(String, String?)] {
      #expect(await send(Case(.get, target, ignored), to: server).headerFields[.xIgnoredParameters] == ignored)
    }
  }

  @Test func `take at most a kibibyte`() async throws {
    let query = (0..<90).map { "a\($0)%C3%A9%C3%A9%C3%A9%C3%A9=" }.joined(separator: "&")
    let response = await send(Case(.get, "/posts?" + query, nil), to: try await server())
    let value = try #require(response.headerFields[.xIgnoredParameters])
    #expect(value.hasPrefix("a0%C3%A9") && value.hasSuffix("%C3%A9") && 900...1024 ~= value.utf8.count)
  }

  @Test func `that are too long hide none after them`() async throws {
    let long = String(repeating: "x", count: 1100)
    for (query, ignored) in [("\(long)=1&foo=1", "foo"), ("\(long)=1", nil)] as [(String, String?)] {
      let response = await send(Case(.get, "/posts?" + query, nil), to: try await server())
      #expect(response.headerFields[.xIgnoredParameters] == ignored)
    }
  }

  @Test func `are kept in the response to a validator`() async throws {
    let server = try await server()
    let tag = await send(Case(.get, "/posts?x=1", nil), to: server).headerFields[.eTag]
    var request = request(Case(.get, "/posts?x=1", nil))
    request.headerFields[.ifNoneMatch] = tag
    let response = await server.respond(to: request)
    #expect(response.status == .notModified)
    #expect(response.headerFields[.xIgnoredParameters] == "x")
  }

  @Test func `of one route are reported once`() async throws {
    let told = NIOLockedValueBox<[String]>([])
    let server = try await server { configuration in
      configuration.onEvent = { if case .hint(let hint) = $0 { told.withLockedValue { $0.append(hint) } } }
    }
    for _ in 0..<2 { _ = await send(Case(.get, "/posts/1?title=a", nil), to: server) }
    #expect(told.withLockedValue { $0 } == ["/posts/1: the parameter 'title' has no effect on a GET there."])
  }

  private func server(_ configure: (inout Server.Configuration) -> Void = { _ in }) async throws -> Server {
    var configuration = Server.Configuration(source: .value(Self.data))
    configure(&configuration)
    return try await Server.load(configuration)
  }

  private func send(_ test: Case, to server: Server) async -> Response {
    await server.respond(to: request(test))
  }

  private func request(_ test: Case) -> Request {
    let fields: HTTPFields = [.host: "localhost:3000", .origin: "http://localhost:5173"]
    return Request(method: test.method, target: test.target, headerFields: fields, body: Array(test.body.utf8))
  }
}
