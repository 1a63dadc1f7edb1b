import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer
@testable import JSONServerRehearsal

/// Servers that change what they respond, as a backend may.
struct RehearsalTests {
  private static let data: JSONValue = [
    "posts": [
      ["id": 1, "title": "Hello all", "state": "draft", "tagIds": [1, 2], "author": ["name": "Ada King"], "likes": 3],
      ["id": 2, "title": "Good bye", "state": "live", "tagIds": [2], "author": nil, "likes": 5],
    ],
    "comments": [["id": "a", "text": "Well done", "postId": 1], ["id": "b", "text": "I see", "postId": 2]],
    "tags": [["id": 1, "name": "swift"], ["id": 2, "name": "http"]],
    "profile": ["name": "Ada King", "theme": "dark"],
    "empty": [],
  ]

  private static func server(
    _ configure: (inout Server.Configuration) -> Void = { _ in }
  ) async throws -> Server {
    var configuration = Server.Configuration(source: .value(data))
    configure(&configuration)
    return try await Server.load(configuration)
  }

  /// A server that makes the change of a name for what some targets show.
  private static func changed(
    _ name: String, for targets: String..., configure: (inout Server.Configuration) -> Void = { _ in }
  ) async throws -> Server {
    let original = try await server(configure)
    let rehearsal = await Rehearsal(of: original)
    let plain = try await Server.load(rehearsal.unchanged)
    for target in targets { _ = await plain.send(.get, target) }
    let changes = try rehearsal.changes(for: await plain.journal, only: [name])
    let change = try #require(changes.first { "\($0.place):\($0.row.name)" == name } ?? changes.first)
    return try await Server.load(rehearsal.configuration(for: change))
  }

  private static func json(
    _ method: HTTPRequest.Method, _ target: String, _ body: JSONValue? = nil, on server: Server
  ) async -> JSONValue? {
    try? await server.send(method, target, body).json
  }

  /// A change, what a client asks for, and the value in a place of what it gets.
  struct Case: Sendable, CustomTestStringConvertible {
    let change: String
    let target: String
    let path: [String]
    let value: JSONValue?

    init(_ change: String, _ target: String, _ path: String..., value: JSONValue?) {
      (self.change, self.target, self.path, self.value) = (change, target, path, value)
    }

    var testDescription: String { "\(change) at \(target)" }
  }

  @Test(arguments: [
    Case("posts.author:null", "/posts/1", "author", value: .null),
    Case("posts.author:absent", "/posts/1", "author", value: nil),
    Case("posts.author.name:characters", "/posts", "0", "author", "name", value: "Ada King 👩🏽‍🚀 مرحبا"),
    Case("posts.state:new-value", "/posts/2", "state", value: "live-2"),
    Case("posts.state:new-value", "/comments?_expand=post", "0", "post", "state", value: "draft-2"),
    Case("posts.tagIds:empty-list", "/posts/1", "tagIds", value: []),
    Case("posts:new-member", "/posts/1", "addedLater", "note", value: "Added later"),
    Case("posts.likes:number", "/posts/1", "likes", value: 3.0),
    Case("posts.id", "/posts/1", "id", value: 900_000_000_001),
    Case("posts.id", "/comments/a", "postId", value: 900_000_000_001),
    Case("posts.id", "/posts?_embed=comments", "0", "comments", "0", "postId", value: 900_000_000_001),
    Case("tags.id", "/posts/1", "tagIds", value: [900_000_000_001, 900_000_000_002]),
    Case("comments.id:other-id", "/posts/1/comments", "0", "id", value: "obj_a"),
    Case("profile.theme:new-value", "/profile", "theme", value: "dark-2"),
    Case("tags.name:new-value", "/db", "tags", "1", "name", value: "http-2"),
    Case("comments:empty-list", "/posts/1?_embed=comments", "comments", value: []),
    Case("errors", "/posts/404", "title", value: "The request failed"),
  ])
  func `A change shows wherever the value does`(_ test: Case) async throws {
    let server = try await Self.changed(test.change, for: test.target)
    var value = await Self.json(.get, test.target, on: server)
    for step in test.path { value = Int(step).map { value?[$0] } ?? value?[step] }
    #expect(value == test.value)
  }

  @Test func `Pages of 1.0 and objects around data are looked into`() async throws {
    let paged = try await Self.changed("posts.state:new-value", for: "/posts?_page=1") { $0.dialect = .v1 }
    #expect(await Self.json(.get, "/posts?_page=1", on: paged)?["data"]?[0]?["state"] == "draft-2")
    let empty = try await Self.changed("comments:empty-list", for: "/comments?_page=1") { $0.dialect = .v1 }
    let page = await Self.json(.get, "/comments?_page=1", on: empty)
    #expect(page?["data"] == [] && page?["items"] == 0 && page?["next"] == .null)
    let wrapped = try await Self.changed("posts.state:new-value", for: "/posts", "/posts/1") { $0.wrapName = "data" }
    #expect(await Self.json(.get, "/posts", on: wrapped)?["data"]?[1]?["state"] == "live-2")
    #expect(await Self.json(.get, "/posts/1", on: wrapped)?["data"]?["state"] == "draft-2")
  }

  @Test func `Ids in another form lead back to their records`() async throws {
    let server = try await Self.changed("posts.id", for: "/posts")
    #expect(await Self.json(.get, "/posts/900000000001", on: server)?["title"] == "Hello all")
    #expect(await Self.json(.get, "/comments?postId=900000000001", on: server)?.array?.count == 1)
    // A time in milliseconds is no id.
    let body: JSONValue = ["text": "New", "postId": 900000000002, "at": 1_764_000_000_000]
    let created = await Self.json(.post, "/comments", body, on: server)
    #expect(created?["postId"] == 900_000_000_002)
    #expect(await Self.json(.get, "/posts/2/comments", on: server)?.array?.count == 2)
    #expect(await server.value["comments"]?[2]?["postId"] == 2)
    #expect(await server.value["comments"]?[2]?["at"] == 1_764_000_000_000)
    let post = await server.send(.post, "/posts", ["title": "New"])
    #expect(post.headerFields[.location]?.hasSuffix("/posts/900000000003") == true)
    #expect(await Self.json(.get, "/posts/900000000003", on: server)?["title"] == "New")
    #expect(await server.send(.delete, "/posts/900000000003").status == .ok)
  }

  @Test func `State goes on working, and is shown changed alike`() async throws {
    let server = try await Self.changed("posts.state:new-value", for: "/posts")
    let body: JSONValue = ["title": "New one", "state": "draft"]
    #expect(await Self.json(.post, "/posts", body, on: server)?["state"] == "draft-2")
    #expect(await Self.json(.get, "/posts/3", on: server)?["state"] == "draft-2")
    #expect(await Self.json(.patch, "/posts/3", ["state": "draft-2"], on: server)?["state"] == "draft-2")
    #expect(await Self.json(.get, "/posts", on: server)?[2]?["state"] == "draft-2")
    // What was asked for by its value is as it was asked for.
    #expect(await Self.json(.get, "/posts?state=live", on: server)?[0]?["state"] == "live")
  }

  @Test func `An empty list has what the client adds, and says how long it is`() async throws {
    let server = try await Self.changed("posts:empty-list", for: "/posts?_page=1", "/comments")
    let page = await server.send(.get, "/posts?_page=1&_limit=1")
    #expect((try? page.json) == [] && page.headerFields[.xTotalCount] == "0" && page.headerFields[.link] == nil)
    // What refers to the records is not there either.
    #expect(await Self.json(.get, "/comments", on: server) == [])
    _ = await server.send(.post, "/posts", ["title": "New"])
    #expect(await Self.json(.get, "/posts", on: server)?.array?.count == 1)
  }

  @Test func `A long list has pages, and records with ids of their own`() async throws {
    let server = try await Self.changed("comments:long-list", for: "/comments")
    let page = await server.send(.get, "/comments?_page=1")
    #expect(page.headerFields[.xTotalCount] == "101" && page.headerFields[.link] != nil)
    let records = await Self.json(.get, "/comments", on: server)?.array ?? []
    #expect(Set(records.compactMap { $0["id"] }).count == 101)
  }

  @Test func `Conditions go by the tags that the client got`() async throws {
    let server = try await Self.changed("posts.state:new-value", for: "/posts/1")
    let tag = try #require(await server.send(.get, "/posts/1").headerFields[.eTag])
    #expect(await server.send(.get, "/posts/1", fields: [.ifNoneMatch: tag]).status == .notModified)
    let body: JSONValue = ["title": "New"]
    #expect(await server.send(.patch, "/posts/1", body, fields: [.ifMatch: tag]).status == .ok)
    #expect(await server.send(.patch, "/posts/1", body, fields: [.ifMatch: tag]).status == .preconditionFailed)
  }

  @Test func `HEAD and compressed responses are those of the changed body`() async throws {
    let server = try await Self.changed("posts.title:long-text", for: "/posts")
    let whole = await server.send(.get, "/posts")
    #expect(await server.send(.head, "/posts").headerFields[.contentLength] == "\(whole.bytes.count)")
    let compressed = await server.send(.get, "/posts", fields: [.acceptEncoding: "gzip"])
    #expect(compressed.headerFields[.contentEncoding] == "gzip" && compressed.bytes.count < whole.bytes.count)
  }

  @Test func `Only what was asked for is changed`() async throws {
    let rehearsal = await Rehearsal(of: try await Self.server())
    let plain = try await Server.load(rehearsal.unchanged)
    _ = await plain.send(.get, "/posts?_fields=id,title")
    let changes = try rehearsal.changes(for: await plain.journal)
    #expect(Set(changes.map { $0.outcome([]).place }) == ["posts", "posts.id", "posts.title"])
    let journal = await plain.journal
    #expect(throws: ServerError.self) {
      try rehearsal.changes(for: journal, only: ["posts.state"])
    }
    let error = #expect(throws: ServerError.self) { try rehearsal.changes(for: journal, only: ["offset"]) }
    #expect(try #require(error).message.hasPrefix("The change 'offset' does not apply to this data; there are "))
    #expect(try rehearsal.changes(for: journal, ignored: ["posts.title", "order"], limit: 2).count == 2)
    await plain.clearJournal()
    #expect(throws: ServerError.self) { try rehearsal.changes(for: []) }
  }

  @Test func `Members that a record of an empty resource gets are known by what was shown`() async throws {
    let rehearsal = await Rehearsal(of: try await Self.server())
    let plain = try await Server.load(rehearsal.unchanged)
    _ = await plain.send(.post, "/empty", ["title": "Good day"])
    _ = await plain.send(.get, "/empty")
    #expect(try rehearsal.changes(for: await plain.journal).contains { "\($0.place)" == "empty.title" })
  }

  @Test(arguments: [
    (#"Expectation failed: (list[0].state → .unknown("live-2")) == .live"#, true),
    (#"XCTAssertEqual failed: ("live-2") is not equal to ("live")"#, true),
    (#"Expectation failed: (list.count → 0) == 2"#, true),
    (#"DecodingError: Cannot initialize State from invalid String value live-2"#, false),
    ("LiveTests.swift:2:2: Fatal error: no live post", false),
    ("Index out of range", false),
  ])
  func `A failure that quotes the old value is told apart`(_ text: String, _ isQuoted: Bool) {
    #expect(Quotation.quotes(text, ["live", "2"], notIn: ["live-2"]) == isQuoted)
  }
}
