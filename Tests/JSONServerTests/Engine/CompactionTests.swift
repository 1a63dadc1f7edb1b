import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase
@testable import JSONServer

/// What is left of records that were removed over HTTP.
struct ServedCompactionTests {
  @Test(arguments: [true, false])
  func `Records that come and go before one that stays take no slots`(_ isInMemory: Bool) async throws {
    let server = try EngineFixture(["posts": [["id": 1], ["id": 2]]], isInMemory: isInMemory)
    for id in 2...3_000 {
      #expect(await server.send(.post, "/posts").status == .created)
      #expect(await server.send(.delete, "/posts/\(id)").status == .ok)
    }
    #expect(await server.value == ["posts": [["id": 1], ["id": 3_001]]])
    guard case .collection(let posts)? = await server.engine.database.resource(named: "posts") else {
      Issue.record("The posts are gone.")
      return
    }
    #expect(posts.rows.slotCount < 1_100)
  }

  @Test func `A deletion of the page can be undone, however much it leaves empty`() async throws {
    let records = (1...5_000).map { JSONValue.object(JSONObject([("id", .number(JSONNumber($0)))])) }
    let server = try await AdminFixture.server(["posts": .array(records)])
    let ids = JSONValue.array((1...2_600).map { .number(JSONNumber($0)) })
    let deleted = await server.send(.post, "/__admin/deletions", ["resource": "posts", "ids": ids])
    #expect(await server.send(.post, "/posts", [:]).status == .created)
    let number = try #require(try deleted.json["undo"]?.int)
    #expect(await server.send(.post, "/__admin/undo/\(number)").status == .ok)
    #expect(try await server.send(.get, "/posts").json.array?.first == ["id": 1])
    #expect(try await server.send(.get, "/posts").json.array?.last == ["id": 5_001])
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `Where much is left the ids are read again ahead of whoever needs them`(_ isInMemory: Bool) async throws {
    let records = (1...5_000).map { JSONValue.object(JSONObject([("id", .number(JSONNumber($0)))])) }
    let server = try EngineFixture(.object(JSONObject([("posts", .array(records))])), isInMemory: isInMemory)
    #expect(await server.send(.delete, "/posts?id_lte=2600").status == .ok)
    try await wait { await server.engine.database.isReadAhead }
    #expect(await server.send(.get, "/posts/5000").status == .ok)
  }
}
