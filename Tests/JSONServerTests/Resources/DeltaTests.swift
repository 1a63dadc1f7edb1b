import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage
import Testing

@testable import JSONServer

/// What a client gets that asks for what has changed.
@Suite(.timeLimit(.minutes(1))) struct `A list with _since` {
  private static let data: JSONValue = [
    "posts": [["id": 1, "title": "a", "userId": 1], ["id": 2, "title": "b", "userId": 2]],
    "comments": [["id": 1, "postId": 1]],
    "users": [
      ["id": 1, "email": "a@x.org", "password": "lovelace"], ["id": 2, "email": "b@x.org", "password": "lovelace"],
    ],
  ]

  /// Asks with a token, and returns the body and the next token.
  private static func ask(
    _ server: Server, _ target: String, _ token: String = "", fields: HTTPFields = [:]
  ) async throws -> (JSONValue, String) {
    let joint = target.contains("?") ? "&" : "?"
    let response = await server.send(.get, "\(target)\(joint)_since=\(token)", fields: fields)
    try #require(response.status == .ok, "\(response.text)")
    return (try response.json, try #require(response.headerFields[.xNextSince]))
  }

  private static func mark(_ id: JSONValue) -> JSONValue { ["id": id, "_deleted": true] }

  @Test(arguments: [Server.Configuration.Dialect.classic, .v1])
  func `gives everything at first, and then what has changed, in order`(
    _ dialect: Server.Configuration.Dialect
  ) async throws {
    let server = try await AdminFixture.server(Self.data) { $0.dialect = dialect }
    let (all, token) = try await Self.ask(server, "/comments")
    // In the dialect of 1.0, ids are texts.
    let first: JSONValue = dialect == .v1 ? "1" : 1
    #expect(all == [["id": first, "postId": 1]])
    let (none, same) = try await Self.ask(server, "/comments", token)
    #expect((none, same) == ([], token))
    let id = try #require(try await server.send(.post, "/comments", ["postId": 2]).json["id"])
    await server.send(.patch, "/comments/1", ["text": "x"])
    let (delta, next) = try await Self.ask(server, "/comments", token)
    #expect(delta == [["postId": 2, "id": id], ["id": first, "postId": 1, "text": "x"]])
    await server.send(.delete, "/comments/1")
    #expect(try await Self.ask(server, "/comments", next).0 == [Self.mark(first)])
    #expect(try await Self.ask(server, "/comments", token).0 == [["postId": 2, "id": id], Self.mark(first)])
    #expect(try await server.get("/comments").array?.count == 1)
  }

  @Test func `counts records that match no more as deleted`() async throws {
    let server = try await AdminFixture.server(Self.data)
    let (all, token) = try await Self.ask(server, "/posts?title=a")
    #expect(all.array?.count == 1)
    await server.send(.patch, "/posts/1", ["title": "c"])
    await server.send(.patch, "/posts/2", ["title": "a"])
    await server.send(.post, "/posts", ["title": "d"])
    #expect(
      try await Self.ask(server, "/posts?title=a", token).0
        == [Self.mark(1), ["id": 2, "title": "a", "userId": 2], Self.mark(3)])
    let (_, below) = try await Self.ask(server, "/users/1/posts")
    await server.send(.patch, "/posts/1", ["userId": 2])
    #expect(try await Self.ask(server, "/users/1/posts", below).0 == [Self.mark(1)])
  }

  @Test func `comes in pages, which show the version in which the client began`() async throws {
    let server = try await AdminFixture.server(["posts": .array((1...5).map { ["id": JSONValue($0)] })])
    var (page, token) = try await Self.ask(server, "/posts?_limit=2")
    #expect(page == [["id": 1], ["id": 2]])
    await server.send(.delete, "/posts/1")
    await server.send(.delete, "/posts/3")
    await server.send(.post, "/posts", ["n": 1])
    var ids: [JSONValue] = []
    var link: String? = ""
    while link != nil {
      let response = await server.send(.get, "/posts?_limit=2&_since=\(token)")
      ids += try response.json.array?.compactMap { $0["id"] } ?? []
      token = try #require(response.headerFields[.xNextSince])
      link = response.headerFields[.link]
      if let link { #expect(link == "<http://localhost/posts?_limit=2&_since=\(token)>; rel=\"next\"") }
    }
    #expect(ids == [3, 4, 5])
    (page, token) = try await Self.ask(server, "/posts?_limit=2", token)
    #expect(page == [Self.mark(1), Self.mark(3)])
    (page, token) = try await Self.ask(server, "/posts?_limit=2", token)
    #expect(page == [["n": 1, "id": 6]])
  }

  @Test func `is shaped as a list is`() async throws {
    let server = try await AdminFixture.server(Self.data) { $0.wrapName = "data" }
    let (_, token) = try await Self.ask(server, "/posts?_fields=title")
    await server.send(.patch, "/posts/1", ["title": "c"])
    await server.send(.delete, "/posts/2")
    #expect(
      try await Self.ask(server, "/posts?_fields=title", token).0
        == ["data": [["title": "c"], Self.mark(2)], "total": 2])
  }

  @Test func `shows records again when embedded ones have changed`() async throws {
    let server = try await AdminFixture.server(Self.data)
    let (_, token) = try await Self.ask(server, "/posts?_embed=comments")
    await server.send(.delete, "/posts/2")
    await server.send(.patch, "/posts/1", ["title": "c"])
    let (delta, _) = try await Self.ask(server, "/posts?_embed=comments", token)
    #expect(delta == [Self.mark(2), ["id": 1, "title": "c", "userId": 1, "comments": [["id": 1, "postId": 1]]]])
    await server.send(.delete, "/comments/1")
    #expect(
      try await Self.ask(server, "/posts?_embed=comments", token).0
        == [["id": 1, "title": "c", "userId": 1, "comments": []], Self.mark(2)])
  }

  @Test(arguments: [
    ("/posts?_since=x", 400), ("/posts?_since=a-b-c", 400), ("/posts?_since=&_sort=id", 400),
    ("/posts?_since=&_page=1", 400), ("/posts?_since=&_start=1", 400), ("/posts?title=a&_since=TOKEN", 400),
    ("/comments?_since=TOKEN", 400), ("/posts?_limit=1&_since=TOKEN", 200), ("/posts?_since=TOKEN-9", 410),
    ("/posts?_since=0TOKEN", 410), ("/posts?_since=TOKEN0", 410),
  ])
  func `refuses what is no token of it`(_ target: String, _ status: Int) async throws {
    let server = try await AdminFixture.server(Self.data)
    await server.send(.get, "/posts?_since=")
    await server.send(.patch, "/posts/1", ["title": "c"])
    let (_, token) = try await Self.ask(server, "/posts")
    #expect(await server.send(.get, target.replacing("TOKEN", with: token)).status.code == status)
  }

  @Test func `begins anew after a reset and a snapshot, and in another session`() async throws {
    let server = try await AdminFixture.server(Self.data)
    await server.saveSnapshot("s")
    for renew in ["/__admin/reset", "/__admin/snapshots/s"] {
      let (_, token) = try await Self.ask(server, "/posts")
      #expect(await server.session("a").send(.get, "/posts?_since=\(token)").status == .gone)
      #expect(await server.send(.post, renew).status == .ok)
      #expect(await server.send(.get, "/posts?_since=\(token)").status == .gone)
    }
  }

  @Test func `tells a browser its token, also when nothing has changed`() async throws {
    let server = try await AdminFixture.server(Self.data)
    let origin: HTTPFields = [.origin: "http://localhost:5173"]
    let first = await server.send(.get, "/posts?_since=", fields: origin)
    let exposed = try #require(first.headerFields[.accessControlExposeHeaders])
    #expect(exposed.contains("X-Next-Since") && exposed.contains("X-Total-Count"))
    let tag = try #require(first.headerFields[.eTag])
    let again = await server.send(.get, "/posts?_since=", fields: [.ifNoneMatch: tag])
    #expect(again.status == .notModified)
    #expect(again.headerFields[.xNextSince] == first.headerFields[.xNextSince])
  }

  @Test func `remembers 10,000 deletions`() async throws {
    let count = ChangeHistory.capacity + 1
    let server = try await AdminFixture.server(["posts": .array((1...count).map { ["id": JSONValue($0)] })])
    let (_, token) = try await Self.ask(server, "/posts")
    await server.send(.delete, "/posts?id_ne=7")
    let (delta, next) = try await Self.ask(server, "/posts", token)
    #expect(delta.array?.count == ChangeHistory.capacity)
    await server.send(.delete, "/posts/7")
    #expect(await server.send(.get, "/posts?_since=\(token)").status == .gone)
    #expect(try await Self.ask(server, "/posts", next).0 == [Self.mark(7)])
  }

  @Test func `shows no more than a list`() async throws {
    let server = try await AdminFixture.server(Self.data) {
      $0.signIn = Server.SignIn(guards: ["posts": .ownOnly])
    }
    let login = await server.send(.post, "/login", ["email": "a@x.org", "password": "lovelace"])
    let fields: HTTPFields = [.authorization: "Bearer \(try #require(try login.json["accessToken"]?.string))"]
    let (all, token) = try await Self.ask(server, "/posts", fields: fields)
    #expect(all == [["id": 1, "title": "a", "userId": 1]])
    _ = await server.respondUnseen(.post, "/posts", body: ["userId": 2], headers: [:])
    _ = await server.respondUnseen(.delete, "/posts/2", body: nil, headers: [:])
    #expect(try await Self.ask(server, "/posts", token, fields: fields).0 == [])
    _ = await server.respondUnseen(.patch, "/posts/1", body: ["userId": 2], headers: [:])
    _ = await server.respondUnseen(.patch, "/posts/3", body: ["userId": 1], headers: [:])
    #expect(try await Self.ask(server, "/posts", token, fields: fields).0 == [Self.mark(1), ["userId": 1, "id": 3]])
    #expect(await server.send(.get, "/posts?_since=\(token)").status == .unauthorized)
  }

  @Test(
    arguments: [
      (
        ["posts": [["id": 2, "title": "b"], ["id": 1, "title": "c"], ["id": 3]]], [["id": 1, "title": "c"], ["id": 3]]
      ),
      (["posts": [["id": 2, "title": "b"]]], [mark(1)]),
      (["posts": [["id": 1], ["id": 1]]], nil), (["posts": [["title": "c"]]], nil),
    ] as [(JSONValue, JSONValue?)])
  func `follows an edit that can be compared`(_ edit: JSONValue, _ delta: JSONValue?) async throws {
    let fixture = try EngineFixture(["posts": [["id": 1, "title": "a"], ["id": 2, "title": "b"]]])
    let first = await fixture.send(.get, "/posts?_since=")
    let token = try #require(first.headerFields[.xNextSince])
    try await fixture.edit(edit, generation: 1)
    let second = await fixture.send(.get, "/posts?_since=\(token)")
    #expect(second.status == (delta == nil ? .gone : .ok))
    if let delta { #expect(try second.json == delta) }
  }

  @Test func `follows a write that could not be saved`() async throws {
    let failure = CommitResult.failed(StorageError(.noSpace, "The disk is full."))
    let fixture = try EngineFixture(["posts": [["id": 1]]], commits: [failure])
    let token = try #require(await fixture.send(.get, "/posts?_since=").headerFields[.xNextSince])
    #expect(await fixture.send(.delete, "/posts/1").status.code == 507)
    let response = await fixture.send(.get, "/posts?_since=\(token)")
    #expect(try response.json == [["id": 1]])
  }
}
