import HTTPTypes
import JSONServerValues
import NIOConcurrencyHelpers
import Testing

@testable import JSONServer
@testable import JSONServerHTTP

@Suite(.timeLimit(.minutes(1))) struct `What nothing here responds to` {
  struct Case: Sendable {
    let method: HTTPRequest.Method
    let target: String
    /// What the other server is asked for; `nil` when it is not asked.
    var goesTo: String?
    var status = 202
  }

  static let cases: [Case] = [
    Case(method: .get, target: "/elsewhere?page=2&q=%C3%A9", goesTo: "/elsewhere?page=2&q=%C3%A9"),
    Case(method: .post, target: "/elsewhere", goesTo: "/elsewhere"),
    Case(method: .delete, target: "/elsewhere/1", goesTo: "/elsewhere/1"),
    Case(method: .options, target: "/elsewhere", goesTo: "/elsewhere"),
    Case(method: .post, target: "/", goesTo: "/"),
    Case(method: .get, target: "/posts/1/likes", goesTo: "/posts/1/likes"),
    Case(method: .get, target: "/posts/1/comments/1/likes", goesTo: "/posts/1/comments/1/likes"),
    Case(method: .get, target: "/a/../../../secret?x=..", goesTo: "/secret?x=.."),
    Case(method: .get, target: "/%2e%2e/%2E./secret", goesTo: "/secret"),
    Case(method: .get, target: "//evil.example/x", goesTo: "//evil.example/x"),
    Case(method: .get, target: "/api/elsewhere", goesTo: "/elsewhere"),
    Case(method: .get, target: "/a%3Bb//c;d/e%2Ff/%7e", goesTo: "/a%3Bb//c;d/e%2Ff/%7e"),
    Case(method: .get, target: "/a/..%2f..%2fsecret", status: 400),
    Case(method: .get, target: "/%2E%2e%5Csecret", status: 400),
    Case(method: .get, target: "/a/..;/secret", status: 400),
    Case(method: .get, target: "/a/..b%2Fc", goesTo: "/a/..b%2Fc"),
    Case(method: .get, target: "/posts/1", status: 200),
    Case(method: .get, target: "/posts/9", status: 404),
    Case(method: .delete, target: "/posts/9", status: 404),
    Case(method: .put, target: "/posts", status: 405),
    Case(method: .options, target: "/posts", status: 204),
    Case(method: .get, target: "/", status: 200),
    Case(method: .get, target: "/__admin/elsewhere", status: 404),
    Case(method: .get, target: "/__session/a/posts", status: 404),
    Case(method: .get, target: "/%zz", status: 400),
  ]

  @Test(arguments: cases)
  func `is asked of the other server, and nothing else is`(_ test: Case) async throws {
    let upstream = UpstreamFixture()
    let server = try await upstream.server { $0.routes = JSONObject([("/api/*", "/$1")]) }
    let response = await server.send(test.method, test.target)
    #expect(response.status.code == test.status)
    #expect(upstream.asked.map(\.address) == (test.goesTo.map { [UpstreamFixture.url + $0] } ?? []))
    #expect(upstream.asked.allSatisfy { $0.request.method == test.method })
  }

  @Test(arguments: ["/posts/1", "//posts/1?_page=x", "/profile"])
  func `does not include a method that a resource of 1.0 lacks`(target: String) async throws {
    let upstream = UpstreamFixture()
    let server = try await upstream.server { $0.dialect = .v1 }
    #expect(await server.send(.post, target, [:]).status == .notFound)
    #expect(upstream.asked.isEmpty)
  }

  @Test func `goes there with its fields and its body, without what concerns this server alone`() async throws {
    let upstream = UpstreamFixture()
    let server = try await upstream.server { $0.hasSessions = true }
    var fields: HTTPFields = [
      .authorization: "Bearer x", .contentType: "application/octet-stream", .acceptEncoding: "gzip", .host: "localhost",
      .session: "a", .methodOverride: "PATCH", .origin: "http://localhost:5173", .connection: "keep-alive, X-Hop",
      .contentEncoding: "gzip", .expect: "100-continue", .via: "1.1 a",
    ]
    for (name, value) in [("X-Hop", "1"), ("Keep-Alive", "5"), ("X-Kept", "a"), ("X-Kept", "b")] {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    let body = try #require(ContentCoding.gzip.compress([0, 255, 10], level: 1))
    fields[.contentLength] = "\(body.count)"
    let request = Request(method: .post, target: "/elsewhere", headerFields: fields, body: body)
    let response = await server.respond(to: request)
    #expect(response.status == .accepted)
    let asked = try #require(upstream.asked.first?.request)
    #expect(asked.method == .patch)
    #expect(asked.bytes == [0, 255, 10])
    let names = Set(asked.headerFields.map { $0.name.canonicalName })
    #expect(names == ["authorization", "content-type", "x-kept", "via"])
    #expect(asked.headerFields[values: try #require(HTTPField.Name("X-Kept"))] == ["a", "b"])
    #expect(asked.headerFields[values: .via].count == 2)
    let entries = await server.session("a").journal
    #expect(entries.count == 1)
    #expect(await server.journal.isEmpty)
  }

  @Test func `gets the other server's response, with our own CORS fields`() async throws {
    let upstream = UpstreamFixture()
    let bytes = (0...255).map { UInt8($0) }
    let server = try await upstream.server { _ in
    } respond: { _, _ in
      var fields: HTTPFields = [
        .contentType: "image/png", .eTag: "\"1\"", .accessControlAllowOrigin: "https://foreign.example",
        .accessControlExposeHeaders: "X-Kept", .transferEncoding: "chunked", .connection: "x-hop",
        .location: "https://API.example.com:443/v2/elsewhere/1",
      ]
      for (name, value) in [("X-Hop", "1"), ("X-Kept", "2"), ("Set-Cookie", "a=b"), ("Set-Cookie", "c=d")] {
        HTTPField.Name(name).map { fields.append(HTTPField(name: $0, value: value)) }
      }
      return Response(
        status: .init(code: 418, reasonPhrase: "Teapot"), headerFields: fields, body: .bytes(bytes))
    }
    let response = await server.send(.get, "/elsewhere", fields: [.origin: "http://localhost:5173"])
    #expect(response.status.code == 418)
    #expect(response.status.reasonPhrase == "Teapot")
    #expect(response.bytes == bytes)
    #expect(response.headerFields[.accessControlAllowOrigin] == "http://localhost:5173")
    #expect(response.headerFields[.accessControlExposeHeaders] == "X-Kept, Location, ETag")
    #expect(response.headerFields[.location] == "http://localhost/elsewhere/1")
    #expect(response.headerFields[values: .setCookie] == ["a=b", "c=d"])
    #expect(response.headerFields[.eTag] == "\"1\"")
    for name in ["x-hop", "transfer-encoding", "connection"] {
      #expect(!response.headerFields.contains { $0.name.canonicalName == name })
    }
    let entry = try await server.get("/__admin/requests")[0]
    #expect(entry?["matched"] == ["proxy": .string(UpstreamFixture.url)])
  }

  @Test func `has the length that a HEAD says, and no validator of a body that did not come`() async throws {
    let server = try await UpstreamFixture().server { _ in
    } respond: { _, _ in
      Response(headerFields: [.contentLength: "1234", .contentType: "text/plain"])
    }
    let response = await server.send(.head, "/elsewhere")
    #expect(response.headerFields[.contentLength] == "1234")
    #expect(response.headerFields[.eTag] == nil)
  }

  @Test func `is expected by a strict server when the other one responds, even with 404`() async throws {
    let server = try await UpstreamFixture().server {
      $0.isStrict = true
    } respond: { _, _ in
      Response(status: .notFound)
    }
    #expect(await server.send(.get, "/elsewhere").status == .notFound)
    #expect(await server.unexpectedRequests.isEmpty)
    #expect(await server.send(.put, "/posts").status == .badRequest)
    #expect(await server.unexpectedRequests.count == 1)
  }

  @Test func `is not asked by a read-only server when it could change something`() async throws {
    let upstream = UpstreamFixture()
    let server = try await upstream.server { $0.isReadOnly = true }
    #expect(await server.send(.post, "/elsewhere").status == .forbidden)
    #expect(await server.send(.get, "/elsewhere").status == .accepted)
    #expect(upstream.asked.count == 1)
  }

  @Test func `goes there without signing in, while guarded resources do not`() async throws {
    let upstream = UpstreamFixture()
    var data = AdminFixture.posts.object ?? JSONObject()
    data["users"] = []
    let value = JSONValue.object(data)
    let server = try await upstream.server {
      $0.source = .value(value)
      $0.signIn = Server.SignIn(users: "users")
    }
    #expect(await server.send(.get, "/posts").status == .unauthorized)
    #expect(await server.send(.get, "/elsewhere").status == .accepted)
    #expect(upstream.asked.count == 1)
  }
}
