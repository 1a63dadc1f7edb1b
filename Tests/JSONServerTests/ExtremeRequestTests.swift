import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

/// What a client may send, and no server may end by.
@Suite(.timeLimit(.minutes(1))) struct `A request with` {
  private static let value: JSONValue = [
    "posts": [["id": 1, "title": "a", "views": 10, "tags": ["x", "y"]], ["id": 2, "title": "b", "views": 9]],
    "comments": [["id": 1, "postId": 1]], "users": [["id": 1, "email": "a@example.com"]],
    "profile": ["name": "typicode"],
  ]

  private static let guards = ["posts", "comments", "profile"].reduce(into: [:]) { $0[$1] = Guard("666") }

  private static func server() async throws -> Server {
    try await AdminFixture.server(value) { configuration in
      configuration.signIn = Server.SignIn(users: "users", guards: Self.guards)
      configuration.hasSessions = true
    }
  }

  // MARK: Numbers

  static let numbers = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "4294967295",
    "1e400", "-1e400", "1e9223372036854775807", "10e9223372036854775807", "0.10e-9223372036854775807",
    "0e9223372036854775807", "99999999999999999999999999999999999999999", "-0", "1e-400",
  ]

  /// The number stands for `N`.
  static let targets = [
    "/posts?_page=N", "/posts?_page=1&_limit=N", "/posts?_page=N&_limit=N", "/posts?_page=N&_per_page=N",
    "/posts?_limit=N", "/posts?_start=N", "/posts?_start=N&_limit=N", "/posts?_start=N&_end=N", "/posts?_end=N",
    "/posts?views=N", "/posts?views_gte=N", "/posts?views_ne=N&_sort=views", "/posts?id:in=N,N", "/posts?tags.N=x",
    "/posts?tags[N]=x", "/posts?_sort=tags.N", "/posts?_fields=tags.N", "/posts?q=N", "/posts?title_like=a{N}",
    "/posts?title_like=a{N,N}", "/posts?_where={\"views\":{\"gt\":N}}", "/posts?_embed=comments.N", "/posts/N",
    "/posts/N/comments", "/posts?_delay=-N", "/__admin/requests?limit=N", "/__admin/requests/N", "/__admin/faults/N",
    "/__admin/holds/N", "/__admin/stubs/N", "/__admin/deletions/N", "/__admin/events?lastEventId=N-N&types=N",
  ]

  @Test(arguments: numbers)
  func `a number at the ends of all types in its target is answered`(_ number: String) async throws {
    let server = try await Self.server()
    for target in Self.targets {
      let text = target.replacing("N", with: number).replacing("--", with: "-")
      for method in [HTTPRequest.Method.get, .delete] where method == .get || text.hasPrefix("/__admin") {
        #expect(await server.send(method, text).status.code < 500, "\(method) \(text)")
      }
    }
  }

  static let fields: [HTTPField.Name: String] = [
    .range: "bytes=N-N", .ifModifiedSince: "Sun, N Nov N N:N:N GMT", .acceptEncoding: "gzip;q=N", .accept: "*/*;q=N",
    .host: "localhost:N", .contentLength: "N", .ifNoneMatch: "\"N\"", .origin: "http://localhost:N",
  ]

  @Test(arguments: numbers)
  func `a number at the ends of all types in a field is answered`(_ number: String) async throws {
    let server = try await Self.server()
    for (name, value) in Self.fields {
      var request = Request(method: .get, target: "/posts", headerFields: [.host: "localhost"])
      request.headerFields[name] = value.replacing("N", with: number)
      #expect(await server.respond(to: request).status.code < 500, "\(name)")
    }
  }

  static let bodies: [(method: HTTPRequest.Method, target: String, type: String, body: String)] = [
    (.post, "/posts", "application/json", #"{"id":N,"views":N}"#), (.post, "/posts", "application/json", "{}"),
    (.put, "/posts/1", "application/json", #"{"views":N}"#), (.patch, "/posts/1", "application/json", #"{"views":N}"#),
    (.post, "/posts", "text/csv", "views\r\nN\r\n"), (.post, "/posts", "application/x-ndjson", #"{"id":N}"#),
    (.post, "/posts", "application/x-www-form-urlencoded", "views=N&tags[N]=x"),
    (.patch, "/posts/1", "application/json-patch+json", #"[{"op":"test","path":"/views","value":N}]"#),
    (.patch, "/posts/1", "application/json-patch+json", #"[{"op":"add","path":"/tags/N","value":1}]"#),
    (.patch, "/users/1", "application/json-patch+json", #"[{"op":"test","path":"/id","value":N}]"#),
    (.patch, "/__admin/settings", "application/json", #"{"delay":N}"#),
    (.post, "/__admin/faults", "application/json", #"{"path":"/none","status":N}"#),
    (.post, "/__admin/faults", "application/json", #"{"path":"/none","delay":[0,N]}"#),
    (.post, "/__admin/faults", "application/json", #"{"path":"/none","retryAfter":N,"times":N}"#),
    (.post, "/__admin/faults", "application/json", #"{"request":{"path":"/x","body":{"a":N}},"status":503}"#),
    (.post, "/__admin/stubs", "application/json", #"{"request":{"path":"/x","body":[N]},"response":{"body":N}}"#),
    (.post, "/__admin/holds", "application/json", #"{"path":"/none","body":N,"times":N}"#),
    (.post, "/x", "application/json", #"{"a":1}"#), (.post, "/x", "application/json", "[1.0]"),
    (.post, "/x", "application/json", #"{"a":N}"#), (.post, "/x", "application/json", "[N0]"),
    (.post, "/__admin/deletions", "application/json", #"{"resource":"posts","ids":[N]}"#),
  ]

  @Test(arguments: numbers)
  func `a number at the ends of all types in its body is answered`(_ number: String) async throws {
    let server = try await Self.server()
    for (method, target, type, body) in Self.bodies {
      let request = Request(
        method: method, target: target, headerFields: [.host: "localhost", .contentType: type],
        body: Array(body.replacing("N", with: number).utf8))
      let code = await server.respond(to: request).status.code
      #expect(code < 500 || code == 503 && target == "/x", "\(method) \(target) \(body)")
    }
  }

  // MARK: Depth

  private static func deep(_ count: Int, _ open: String, _ last: String, _ close: String) -> String {
    String(repeating: open, count: count) + last + String(repeating: close, count: count)
  }

  @Test(arguments: ["/posts/1/tags", "/profile/tags"])
  func `a deep element of a list leaves a file that can be read`(_ target: String) async throws {
    let server = try await AdminFixture.server(["posts": [["id": 1, "tags": []]], "profile": ["tags": []]])
    for (depth, status) in [(507, HTTPResponse.Status.created), (508, .badRequest)] {
      let body = #"{"a":\#(Self.deep(depth, "[", "", "]"))}"#
      #expect(await server.send(.post, target, bytes: body.utf8).status == status)
    }
    let text = await server.value.utf8Text()
    _ = try await Server.load(Server.Configuration(source: .text(text, name: "database.json")))
  }

  @Test func `no configuration accepts what the smallest stack cannot free`() async throws {
    var configuration = Server.Configuration(source: .value(["posts": [["id": 1]]]))
    configuration.maximumDepth = 513
    let error = await #expect(throws: ServerError.self) { try await Server.load(configuration) }
    #expect(error?.message.contains("from 4 to 512") == true)
  }

  static let levels = [("{\"a\":", "}"), ("[", "]")]

  @Test(arguments: levels, ["1", "{}"])
  func `a deep body is answered as a flat one is`(_ level: (open: String, close: String), _ last: String) async throws {
    let server = try await Self.server()
    let deep = Self.deep(130, level.open, last, level.close)
    let path = Array(repeating: "a", count: 130).joined(separator: ".")
    func send(
      _ method: HTTPRequest.Method, _ target: String, _ body: String = "", type: String = "application/json"
    ) async -> Int {
      let request = Request(
        method: method, target: target, headerFields: [.host: "localhost", .contentType: type], body: Array(body.utf8))
      return await server.respond(to: request).status.code
    }
    #expect(await send(.put, "/posts/1", "{\"v\":\(deep)}") == 200)
    for type in ["application/json", "application/merge-patch+json"] {
      #expect(await send(.patch, "/posts/1", "{\"v\":\(deep)}", type: type) == 200)
    }
    let operations = #"[{"op":"test","path":"/v","value":\#(deep)},{"op":"copy","from":"/v","path":"/w"}]"#
    #expect(await send(.patch, "/posts/1", operations, type: "application/json-patch+json") == 200)
    for query in [
      "v.\(path)=1", "v.a=1", "v_contains=1", "v=1", "_sort=v.\(path)", "_fields=v.\(path)", "_fields=v.a", "q=zz",
      "_embed=\(path)", "_expand=\(path)", "v.\(path)_ne=1", "v.\(path)_exists=true",
    ] {
      #expect(await send(.get, "/posts?\(query)") < 500, "\(query.prefix(20))")
    }
    for pattern in [#""path":"/x","exact":true"#, #""path":"/x""#] {
      let stub = #"{"request":{\#(pattern),"body":\#(deep)},"response":{"body":\#(deep)}}"#
      #expect(await send(.post, "/__admin/stubs", stub) == 201)
      #expect(await send(.post, "/x", deep) == 200)
      #expect(await send(.post, "/x", deep.replacing(last, with: "2")) == 404)
    }
    let fault = #"{"request":{"path":"/y","body":\#(deep)},"status":418}"#
    #expect(await send(.post, "/__admin/faults", fault) == 201)
    #expect(await send(.post, "/y", deep) == 418)
    for target in ["/__admin/requests", "/__admin/openapi.json", "/__admin/stubs", "/posts"] {
      #expect(await send(.get, target) == 200, "\(target)")
    }
    #expect(await send(.put, "/profile", "{\"v\":\(deep)}") == 200)
    await server.stop()
  }
}
