import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

/// Deletions of which the server says what they take with them, and which it can undo.
@Suite struct `Deletions` {
  private static let data: JSONValue = [
    "posts": [["id": 1, "title": "a"], ["id": 2, "title": "b"], ["id": "c", "title": "c"]],
    "comments": [["id": 1, "postId": 1], ["id": 2, "postId": 2], ["id": 3, "postId": 1]],
    "likes": [["id": 1, "commentId": 3]],
  ]

  private static func delete(_ ids: JSONValue, preview: Bool = false) -> JSONValue {
    ["resource": "posts", "ids": ids, "preview": .bool(preview)]
  }

  @Test func `are counted before, and nothing is changed by that`() async throws {
    let server = try await AdminFixture.server(Self.data)
    let counts = try await server.send(.post, "/__admin/deletions", Self.delete([1, "c"], preview: true)).json
    #expect(counts == ["deleted": ["comments": 2, "likes": 1, "posts": 2], "changed": [:]])
    #expect(await server.value == Self.data)
  }

  @Test func `are undone with all that went with them, in its place`() async throws {
    let server = try await AdminFixture.server(Self.data)
    let deletion = try await server.send(.post, "/__admin/deletions", Self.delete([1, "c"])).json
    #expect(deletion["undo"] == 1)
    #expect(try await server.get("/posts") == [["id": 2, "title": "b"]])
    #expect(try await server.get("/comments") == [["id": 2, "postId": 2]])
    let undone = try await server.send(.post, "/__admin/undo/1").json
    #expect(undone == ["restored": ["comments": 2, "likes": 1, "posts": 2], "changed": [:]])
    #expect(await server.value == Self.data)
  }

  @Test func `give back what records referred to that stayed`() async throws {
    let server = try await AdminFixture.server(Self.data) { $0.dialect = .v1 }
    let deletion = try await server.send(.post, "/__admin/deletions", Self.delete([1])).json
    #expect(deletion["changed"] == ["comments": 2])
    #expect(try await server.get("/comments/3")["postId"] == .null)
    #expect(await server.send(.post, "/__admin/undo/1").status == .ok)
    #expect(try await server.get("/comments/3")["postId"] == 1)
  }

  @Test func `are undone beside what was added since, which moves on`() async throws {
    let server = try await AdminFixture.server(Self.data)
    await server.send(.post, "/__admin/deletions", Self.delete(["c"]))
    await server.send(.post, "/posts", ["id": 9])
    await server.send(.post, "/posts", ["id": 10])
    #expect(await server.send(.post, "/__admin/undo/1").status == .ok)
    #expect(try await server.get("/posts").array?.compactMap { $0["id"] } == [1, 2, "c", 9, 10])
    #expect(await server.send(.delete, "/posts/9").status == .ok)
    #expect(try await server.get("/posts/c")["title"] == "c")
  }

  @Test func `are not undone when an id was taken since, and nothing is changed`() async throws {
    let server = try await AdminFixture.server(Self.data)
    await server.send(.post, "/__admin/deletions", Self.delete([1]))
    await server.send(.post, "/comments", ["id": 3])
    let before = await server.value
    let refusal = await server.send(.post, "/__admin/undo/1")
    #expect(refusal.status == .conflict)
    #expect(try refusal.json["message"]?.string?.contains("comments has a record with id 3 again") == true)
    #expect(await server.value == before)
  }

  @Test func `are not undone when a record that they changed was changed since`() async throws {
    let server = try await AdminFixture.server(Self.data) { $0.dialect = .v1 }
    await server.send(.post, "/__admin/deletions", Self.delete([1]))
    await server.send(.patch, "/comments/3", ["text": "new"])
    let before = await server.value
    let refusal = await server.send(.post, "/__admin/undo/1")
    #expect(refusal.status == .conflict)
    #expect(try refusal.json["message"]?.string?.contains("comments/3 was changed") == true)
    #expect(await server.value == before)
  }

  @Test func `are forgotten when all data is replaced`() async throws {
    let server = try await AdminFixture.server(Self.data)
    await server.send(.post, "/__admin/deletions", Self.delete([1]))
    await server.send(.post, "/__admin/reset")
    #expect(await server.send(.post, "/__admin/undo/1").status == .notFound)
    #expect(await server.value == Self.data)
  }

  @Test func `are refused by a read-only server, which still counts`() async throws {
    let server = try await AdminFixture.server(Self.data)
    await server.send(.post, "/__admin/deletions", Self.delete([1]))
    await server.send(.patch, "/__admin/settings", ["readOnly": true])
    #expect(await server.send(.post, "/__admin/undo/1").status == .forbidden)
    #expect(await server.send(.post, "/__admin/deletions", Self.delete([2])).status == .forbidden)
    #expect(await server.send(.post, "/__admin/deletions", Self.delete([2], preview: true)).status == .ok)
  }

  @Test func `of records of which one is not there change nothing`() async throws {
    let server = try await AdminFixture.server(Self.data)
    #expect(await server.send(.post, "/__admin/deletions", Self.delete([1, 7])).status == .notFound)
    #expect(await server.value == Self.data)
  }

  @Test func `are kept up to a number`() async throws {
    let server = try await AdminFixture.server([
      "posts": .array((1...20).map { ["id": .number(JSONNumber($0))] })
    ])
    for id in 1...17 { await server.send(.post, "/__admin/deletions", Self.delete([.number(JSONNumber(id))])) }
    #expect(await server.send(.post, "/__admin/undo/1").status == .notFound)
    for number in 2...17 { #expect(await server.send(.post, "/__admin/undo/\(number)").status == .ok) }
    #expect(try await server.get("/posts").array?.count == 19)
  }

  @Test func `revoke the tokens of the users that they remove`() async throws {
    let server = try await AdminFixture.server(["users": [["id": 1, "email": "a@b.de", "password": "secret"]]]) {
      $0.signIn = .init(users: "users")
    }
    let login = try await server.send(.post, "/login", ["email": "a@b.de", "password": "secret"]).json
    let token = try #require(login["accessToken"]?.string)
    #expect(await server.send(.get, "/users/1", fields: [.authorization: "Bearer \(token)"]).status == .ok)
    await server.send(.post, "/__admin/deletions", ["resource": "users", "ids": [1]])
    #expect(await server.send(.get, "/users/1", fields: [.authorization: "Bearer \(token)"]).status == .unauthorized)
  }
}

@Suite struct `A single request of the journal` {
  @Test func `is shown with its whole bodies`() async throws {
    let server = try await AdminFixture.server()
    let long = String(repeating: "x", count: 100_000)
    await server.send(.patch, "/posts/1", ["title": .string(long)])
    let listed = try #require(try await server.get("/__admin/requests").array?.first)
    let id = try #require(listed["id"]?.integer)
    #expect(listed["requestBody"]?.string?.count == 64 * 1024)
    let whole = try await server.get("/__admin/requests/\(id)")
    #expect(whole["requestBody"]?.string?.count == long.count + 17)
    #expect(whole["path"] == "/posts/1")
  }
}
