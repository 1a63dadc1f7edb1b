import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

@Suite struct `The admin routes` {
  @Test func `report the health of the server`() async throws {
    let server = try await AdminFixture.server()
    let health = try await server.get("/__admin/health")
    #expect(health.object?.names == ["status", "version", "uptime", "resources", "readOnly", "invalid"])
    #expect(health["status"] == "ok")
    #expect(health["version"] == "1.0.0")
    #expect(health["resources"] == 3)
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
    ("/__admin/nothing", "GET"), ("/__admin/health/x", "GET"), ("/__admin/snapshots/a/b", "POST"),
    ("/__administration", "GET"), ("/__admin/faults/x", "DELETE"), ("/__admin/requests/7", "GET"),
    ("/__admin/deletions/1", "POST"), ("/__admin/undo", "POST"), ("/__admin/undo/1", "POST"),
  ])
  func `are not found elsewhere`(_ target: String, _ method: String) async throws {
    let server = try await AdminFixture.server()
    let answer = await server.send(try #require(HTTPRequest.Method(method)), target)
    #expect(answer.status == .notFound)
    #expect(try answer.json["statusCode"] == 404)
  }

  @Test(arguments: [
    ("/__admin/health", "POST", "GET, HEAD, OPTIONS"),
    ("/__admin/resources", "DELETE", "GET, HEAD, OPTIONS"),
    ("/__admin/requests", "POST", "GET, HEAD, DELETE, OPTIONS"),
    ("/__admin/events", "POST", "GET, HEAD, OPTIONS"),
    ("/__admin/reset", "GET", "POST, OPTIONS"),
    ("/__admin/snapshots", "PUT", "GET, HEAD, POST, OPTIONS"),
    ("/__admin/snapshots/a", "GET", "POST, DELETE, OPTIONS"),
    ("/__admin/faults", "PUT", "GET, HEAD, POST, DELETE, OPTIONS"),
    ("/__admin/faults/1", "GET", "DELETE, OPTIONS"),
    ("/__admin/holds", "PUT", "GET, HEAD, POST, DELETE, OPTIONS"),
    ("/__admin/holds/1", "POST", "DELETE, OPTIONS"),
    ("/__admin/stubs", "PUT", "GET, HEAD, POST, DELETE, OPTIONS"),
    ("/__admin/stubs/1", "POST", "GET, HEAD, DELETE, OPTIONS"),
    ("/__admin/requests/1", "DELETE", "GET, HEAD, OPTIONS"),
    ("/__admin/deletions", "GET", "POST, OPTIONS"),
    ("/__admin/undo/1", "DELETE", "POST, OPTIONS"),
    ("/__admin/settings", "PUT", "GET, HEAD, PATCH, OPTIONS"),
  ])
  func `name the methods they take`(_ target: String, _ method: String, _ allowed: String) async throws {
    let server = try await AdminFixture.server()
    let answer = await server.send(try #require(HTTPRequest.Method(method)), target)
    #expect(answer.status == .methodNotAllowed)
    #expect(answer.headerFields[.allow] == allowed)
  }

  @Test(arguments: [
    ("PATCH", "/__admin/settings", #"{"delay": -1}"#, "'delay'"),
    ("PATCH", "/__admin/settings", #"{"delay": "1"}"#, "'delay'"),
    ("PATCH", "/__admin/settings", #"{"readOnly": 1}"#, "'readOnly'"),
    ("PATCH", "/__admin/settings", #"{"readonly": true}"#, "'readonly'"),
    ("PATCH", "/__admin/settings", "[]", "object"),
    ("PATCH", "/__admin/settings", "{", "not JSON"),
    ("POST", "/__admin/snapshots", #"{"name": 1}"#, "'name'"),
    ("POST", "/__admin/snapshots", #"{"name": "a/b"}"#, "'name'"),
    ("POST", "/__admin/snapshots", #"{"title": "a"}"#, "'title'"),
    ("POST", "/__admin/faults", "", "does nothing"),
    ("POST", "/__admin/faults", #"{"path": "/posts"}"#, "does nothing"),
    ("POST", "/__admin/faults", #"{"status": 100}"#, "'status'"),
    ("POST", "/__admin/faults", #"{"status": 503, "method": "a b"}"#, "'method'"),
    ("POST", "/__admin/faults", #"{"status": 503, "times": 0}"#, "'times'"),
    ("POST", "/__admin/faults", #"{"delay": [2, 1]}"#, "'delay'"),
    ("POST", "/__admin/faults", #"{"delay": [1]}"#, "'delay'"),
    ("POST", "/__admin/faults", #"{"headers": {"a b": "1"}}"#, "'headers'"),
    ("POST", "/__admin/faults", #"{"headers": {"a": 1}}"#, "'headers'"),
    ("POST", "/__admin/faults", #"{"retryAfter": -1}"#, "'retryAfter'"),
    ("POST", "/__admin/faults", #"{"action": "explode"}"#, "'action'"),
    ("POST", "/__admin/faults", #"{"staus": 503}"#, "'staus'"),
    ("POST", "/__admin/faults", #"{"status": 503, "path": "/a/../b"}"#, "'..'"),
    ("POST", "/__admin/faults", #"{"status": 503, "response": {"status": 503}}"#, "'response'"),
    ("POST", "/__admin/faults", #"{"request": {"pth": "/"}, "status": 503}"#, "'pth'"),
    ("POST", "/__admin/faults", #"{"request": {"path": "/"}, "path": "/", "status": 503}"#, "'request'"),
    ("POST", "/__admin/faults", #"{"response": {"action": "reset"}}"#, "'action'"),
    ("POST", "/__admin/faults", #"{"body": 1, "bodyFile": "a.json"}"#, "'bodyFile'"),
    ("POST", "/__admin/deletions", #"{"ids": [1]}"#, "'resource'"),
    ("POST", "/__admin/deletions", #"{"resource": "posts"}"#, "'ids'"),
    ("POST", "/__admin/deletions", #"{"resource": "posts", "ids": []}"#, "'ids'"),
    ("POST", "/__admin/deletions", #"{"resource": "posts", "ids": [1, null]}"#, "'ids'"),
    ("POST", "/__admin/deletions", #"{"resource": "posts", "ids": [1], "preview": 1}"#, "'preview'"),
    ("POST", "/__admin/deletions", #"{"resource": "posts", "id": 1}"#, "'id'"),
    ("GET", "/__admin/events?types=changes", "", "'types'"),
    ("GET", "/__admin/requests?limit=x", "", "'limit'"),
  ])
  func `name what is wrong with a request`(
    _ method: String, _ target: String, _ body: String, _ hint: String
  ) async throws {
    let server = try await AdminFixture.server()
    let answer = await server.send(try #require(HTTPRequest.Method(method)), target, bytes: Array(body.utf8))
    #expect(answer.status == .badRequest)
    #expect(try answer.json["message"]?.string?.contains(hint) == true)
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
    try await server.addFault(Fault(action: .hang))
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
