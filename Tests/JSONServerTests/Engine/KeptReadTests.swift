import HTTPTypes
import JSONServerResources
import JSONServerValues
import TestSupport
import Testing

@testable import JSONServer
@testable import JSONStorage

/// The responses that are kept for equal reads.
@Suite struct `Kept responses` {
  private static let data: JSONValue = ["posts": [["id": 1, "title": "a"], ["id": 2, "title": "b"]], "users": []]

  private static func fixture(_ configure: (inout Server.Configuration) -> Void = { _ in }) throws -> EngineFixture {
    try EngineFixture(data, isInMemory: true, configure: configure)
  }

  @Test func `last until the data changes`() async throws {
    let fixture = try Self.fixture()
    var tags: Set<String?> = []
    for _ in 1...3 {
      let response = await fixture.send(.get, "/posts/1")
      #expect(try response.json == ["id": 1, "title": "a"])
      tags.insert(response.headerFields[.eTag])
      #expect(await fixture.engine.keptBytes == response.bytes.count)
    }
    #expect(tags.count == 1)
    #expect(await fixture.send(.delete, "/posts/2").status == 200)
    #expect(try await fixture.send(.get, "/posts").json == [["id": 1, "title": "a"]])
    #expect(await fixture.send(.delete, "/posts/1").status == 200)
    #expect(await fixture.send(.get, "/posts/1").status == 404)
  }

  @Test func `take no more memory than their limit`() async throws {
    let fixture = try EngineFixture(
      ["posts": [["id": 1, "body": .string(String(repeating: "a", count: 500_000))]]], isInMemory: true)
    for number in 1...40 {
      #expect(await fixture.send(.get, "/posts?_=\(number)").status == 200)
      #expect(await 500_000...KeptReads.byteCapacity ~= fixture.engine.keptBytes)
    }
  }

  @Test func `are for requests with the same header fields`() async throws {
    let fixture = try Self.fixture()
    for host in ["localhost", "localhost", "localhost", "127.0.0.1", "127.0.0.1", "localhost"] {
      let request = Request(method: .get, target: "/posts?_page=1&_limit=1", headerFields: [.host: host])
      #expect(await fixture.send(request).headerFields[.link]?.hasPrefix("<http://\(host)/posts") == true)
    }
    let head = Request(method: .head, target: "/posts/1", headerFields: [.host: "localhost"])
    for _ in 1...3 { #expect(await fixture.send(.get, "/posts/1").status == 200) }
    #expect(await fixture.send(head).status == 200)
    let tag = await fixture.send(.get, "/posts/1").headerFields[.eTag]
    let conditional = Request(
      method: .get, target: "/posts/1", headerFields: [.host: "localhost", .ifNoneMatch: tag ?? ""])
    for _ in 1...3 { #expect(await fixture.send(conditional).status == 304) }
    for _ in 1...3 {
      #expect(await fixture.send(.get, "/posts/1?callback=show").headerFields[.contentType]?.contains("script") == true)
    }
  }

  @Test func `are for no request that is refused`() async throws {
    let fixture = try Self.fixture()
    var request = Request(method: .get, target: "/posts/1")
    request.mayLackHost = true
    for _ in 1...3 { #expect(await fixture.send(request).status == 200) }
    request.mayLackHost = false
    #expect(await fixture.send(request).status == 400)
    let posts = Request(method: .get, target: "/posts", headerFields: [.host: "localhost"])
    for target in ["/posts", "//posts", "/posts", "/%70osts", "/posts/../posts", "/posts"] {
      var other = posts
      other.target = target
      for _ in 1...2 { #expect(try await fixture.send(other).json == Self.data["posts"]) }
    }
  }

  @Test func `are none where rights, a session or middleware decide`() async throws {
    let signedIn = try Self.fixture { $0.signIn = Server.SignIn() }
    let enclosed = try Self.fixture { $0.middleware = [Passing()] }
    // The request has no token.
    for (fixture, status) in [(signedIn, 401), (enclosed, 200)] {
      for _ in 1...3 { #expect(await fixture.send(.get, "/posts/1").status.code == status) }
      #expect(await fixture.engine.keptBytes == 0)
    }
    let fixture = try Self.fixture { $0.hasSessions = true }
    let session = Request(method: .get, target: "/posts/1", headerFields: [.host: "localhost", .session: "one"])
    for _ in 1...3 { #expect(await fixture.send(session).status == 200) }
    #expect(await fixture.engine.keptBytes == 0)
  }

  @Test func `are for the stored data of an OpenAPI document, and not for its examples`() async throws {
    let directory = try TemporaryDirectory()
    let post = "{content: {application/json: {schema: {properties: {id: {type: integer}, title: {type: string}}}}}}"
    try directory.write(
      """
      openapi: 3.1.0
      paths:
        /posts/{id}:
          parameters: [{name: id, in: path, schema: {type: integer}}]
          get: {responses: {200: \(post)}}
          delete: {responses: {204: {description: Gone.}}}
        /posts: {post: {requestBody: \(post), responses: {201: \(post)}}}
        /about: {get: {responses: {200: {content: {application/json: {example: 1}}}}}}
      """, to: "api.yaml")
    let contract = try Contract(path: directory.path + "/api.yaml")
    let fixture = try Self.fixture { $0.contract = contract }
    for _ in 1...3 { #expect(try await fixture.send(.get, "/about").json == 1) }
    #expect(await fixture.engine.keptBytes == 0)
    for _ in 1...3 {
      let response = await fixture.send(.get, "/posts/1")
      #expect(try response.json == ["id": 1, "title": "a"])
      #expect(await fixture.engine.keptBytes == response.bytes.count)
    }
    #expect(await fixture.send(.delete, "/posts/1").status == 204)
    #expect(await fixture.send(.get, "/posts/1").status == 404)
  }

  @Test func `come after a file that comes to the path`() async throws {
    let directory = try TemporaryDirectory()
    let fixture = try Self.fixture { $0.staticDirectories = [directory.path] }
    for _ in 1...3 { #expect(try await fixture.send(.get, "/posts").json != nil) }
    try directory.write("hello", to: "posts")
    #expect(await fixture.send(.get, "/posts").headerFields[.contentType]?.contains("json") != true)
  }

  @Test func `show an edit, and what is left after a commit that failed`() async throws {
    let fixture = try EngineFixture(Self.data, commits: [.failed(StorageError(.noSpace, "The disk is full."))])
    for _ in 1...3 { #expect(try await fixture.send(.get, "/posts").json == Self.data["posts"]) }
    #expect(await fixture.send(.delete, "/posts/1").status != 200)
    for _ in 1...3 { #expect(try await fixture.send(.get, "/posts").json == Self.data["posts"]) }
    try await fixture.edit(["posts": [["id": 3]]], generation: 1)
    for _ in 1...3 { #expect(try await fixture.send(.get, "/posts").json == [["id": 3]]) }
  }
}

private struct Passing: Middleware {
  func respond(to request: Request, next: @Sendable (Request) async throws -> Response) async throws -> Response {
    try await next(request)
  }
}

extension Engine {
  fileprivate var keptBytes: Int { writes.reads.byteCount }
}
