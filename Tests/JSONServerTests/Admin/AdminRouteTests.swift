import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

@Suite struct `The admin routes` {
  @Test(
    arguments: [
      (HTTPRequest.Method.post, "stubs", ["request": ["path": "/a"], "response": ["body": large]], 201),
      (.put, "stubs/1", ["request": ["path": "/a"], "response": ["body": large]], 200),
      (.patch, "stubs/1", ["response": ["body": large]], 200), (.post, "faults", ["path": "/b", "body": large], 201),
      (.post, "holds", ["path": "/b", "body": large], 201), (.patch, "settings", ["delay": large], 400),
      (.post, "snapshots", ["name": large], 201), (.post, "resources", ["more": [["text": large]]], 201),
      (
        .post, "deletions",
        ["resource": "posts", "ids": .array((1...40_000).map { .number(JSONNumber($0)) }), "preview": true], 404
      ),
    ] as [(HTTPRequest.Method, String, JSONValue, Int)])
  func `read large bodies on another thread, while requests go on`(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue, _ status: Int
  ) async throws {
    let fixture = try EngineFixture(
      AdminFixture.posts, isInMemory: true, configure: { $0.stubs = [Stub(.get("/a"), .json(1))] })
    let request = Request(
      method: method, target: "/__admin/\(path)", headerFields: [.host: "localhost", .contentType: "application/json"],
      body: body.utf8Text())
    let small = EngineFixture.request((.get, "/posts/1"))
    #expect(await fixture.send(request, overtakenBy: small) == [200, status])
    if path.hasPrefix("stubs") { #expect(await fixture.send(.get, "/a").bytes.count == 200_002) }
  }

  private static let large = JSONValue.string(String(repeating: "a", count: 200_000))

  @Test func `report the health of the server`() async throws {
    let server = try await AdminFixture.server()
    let health = try await server.get("/__admin/health")
    #expect(
      health.object?.names == [
        "status", "version", "uptime", "resources", "readOnly", "delay", "rules", "log", "reads", "invalid", "users",
        "sessions",
      ])
    #expect(health["status"] == "ok")
    #expect(health["version"] == "1.0.0")
    #expect(health["resources"] == 3)
    #expect(health["rules"] == ["faults": 0, "holds": 0, "stubs": 0])
    try await server.addFault(Fault(.any(), delay: .milliseconds(1) ... .milliseconds(1)))
    await server.send(.patch, "/__admin/settings", ["delay": 300])
    let changed = try await server.get("/__admin/health")
    #expect(changed["rules"]?["faults"] == 1)
    #expect(changed["delay"] == 300)
  }

  @Test func `list the resources`() async throws {
    let server = try await AdminFixture.server { $0.idNames = ["comments": "key"] }
    #expect(
      try await server.get("/__admin/resources") == [
        ["name": "posts", "kind": "collection", "count": 2, "idName": "id", "url": "/posts", "parents": [:]],
        [
          "name": "comments", "kind": "collection", "count": 1, "idName": "key", "url": "/comments",
          "parents": ["postId": "posts"],
        ],
        ["name": "profile", "kind": "object", "count": 1, "idName": "id", "url": "/profile", "parents": [:]],
      ])
  }

  @Test func `add a resource`() async throws {
    let server = try await AdminFixture.server()
    let answer = await server.send(.post, "/__admin/resources", ["tags": [["name": "swift"]], "posts": [["id": 7]]])
    #expect(answer.status == .created)
    #expect(try await server.get("/tags") == [["name": "swift"]])
    #expect(try await server.get("/posts/7") == ["id": 7])
    #expect(await server.send(.post, "/tags", ["name": "vapor"]).status == .created)
    #expect(await server.send(.post, "/__admin/resources", []).status == .badRequest)
  }

  @Test(arguments: ["", ".", "..", "a/b"])
  func `refuse the name of a snapshot that no path can hold`(_ name: String) async throws {
    let server = try await AdminFixture.server()
    let answer = await server.send(.post, "/__admin/snapshots", ["name": .string(name)])
    #expect(answer.status == .badRequest)
    #expect(answer.text.contains("neither '.' nor '..'"))
  }

  @Test func `change the settings while the server runs`() async throws {
    let server = try await AdminFixture.server()
    #expect(try await server.get("/__admin/settings") == ["delay": 0, "readOnly": false])
    let answer = await server.send(.patch, "/__admin/settings", ["readOnly": true])
    #expect(try answer.json == ["delay": 0, "readOnly": true])
    #expect(await server.send(.delete, "/posts/1").status == .forbidden)
    await server.send(.patch, "/__admin/settings", ["readOnly": false, "delay": 5])
    let start = ContinuousClock.now
    #expect(await server.send(.delete, "/posts/1").status == .ok)
    #expect(.now - start >= .milliseconds(5))
  }

  @Test(arguments: [
    ("", "/__admin/", "/__admin"), ("", "/__admin/docs/?x=1", "/__admin/docs"), ("/mock", "/mock", "/mock/"),
    ("/mock", "/mock/__admin/", "/mock/__admin"),
  ])
  func `lead to the pages where their files lie beside them`(
    _ prefix: String, _ target: String, _ location: String
  ) async throws {
    let server = try await AdminFixture.server { $0.pathPrefix = prefix }
    let answer = await server.send(.get, target)
    #expect(answer.status == .found)
    #expect(answer.headerFields[.location] == location)
    #expect(await server.send(.get, location).status == .ok)
  }

  @Test func `meet no faults and no delay`() async throws {
    let server = try await AdminFixture.server { $0.delay = .seconds(600) }
    try await server.addFault(Fault(.any(), .hang))
    #expect(await server.send(.get, "/__admin/health").delivery == .normal)
  }
}

@Suite struct `Typed reading` {
  struct Post: Decodable, Equatable {
    let id: Int
    let title: String
  }

  @Test func `gives the records of a collection, or one`() async throws {
    let server = try await AdminFixture.server()
    #expect(try await server.records("posts", as: Post.self) == [Post(id: 1, title: "a"), Post(id: 2, title: "b")])
    #expect(try await server.record("posts", id: "2", as: Post.self).title == "b")
  }

  @Test func `says what is not there`() async throws {
    let server = try await AdminFixture.server()
    let list = await #expect(throws: ServerError.self) { try await server.records("nothing", as: Post.self) }
    #expect(list?.message.contains("'nothing'") == true)
    let record = await #expect(throws: ServerError.self) { try await server.record("posts", id: "7", as: Post.self) }
    #expect(record?.code == .unknownRecord)
    await #expect(throws: DecodingError.self) { try await server.records("comments", as: Post.self) }
  }
}
