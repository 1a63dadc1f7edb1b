import HTTPTypes
import JSONDatabase
import JSONStorage
import OrderedJSON
import Testing

@testable import JSONServer

/// Servers of one database, and what they share besides the data.
@Suite struct `Servers that share` {
  private static let start: JSONValue = ["posts": [["id": 1]]]
  private static let away = StorageError(.unavailable, "The database is away.")

  private func statuses(
    _ count: Int, _ servers: [SharedDatabaseFixture.Server], _ target: String = "/posts"
  ) async -> [Int] {
    var statuses: [Int] = []
    for number in 0..<count { statuses.append(await servers[number % servers.count].send(.get, target).status.code) }
    return statuses
  }

  @Test func `a fault meet it at once, and count it together`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    let fault = try await one.send(.post, "/__admin/faults", #"{"path": "/posts", "status": 503, "times": 3}"#).json
    #expect(fault == ["id": 1, "path": "/posts", "times": 3, "status": 503])
    #expect(await statuses(6, [other, one]) == [503, 503, 503, 200, 200, 200])
    #expect(try await other.send(.get, "/__admin/faults").json == [])
  }

  @Test func `faults list how many requests they are still for, wherever they were met`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    _ = await one.send(.post, "/__admin/faults", #"{"status": 503, "times": 3}"#)
    _ = await statuses(2, [other])
    #expect(try await one.send(.get, "/__admin/faults").json == [["id": 1, "times": 1, "status": 503]])
    #expect(await other.send(.delete, "/__admin/faults/1").status == .ok)
    #expect(await other.send(.delete, "/__admin/faults/1").status == .notFound)
    #expect(await statuses(1, [one]) == [200])
  }

  @Test func `a fault meet the next one when another server has used it up`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    for status in [502, 503] {
      _ = await one.send(.post, "/__admin/faults", #"{"status": \#(status), "times": 1}"#)
    }
    #expect(await statuses(3, [one, other]) == [502, 503, 200])
  }

  @Test func `a stub respond in turn`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    let stub = #"{"request": {"path": "/job"}, "responses": [{"status": 201}, {"status": 202}, {"status": 203}]}"#
    #expect(await one.send(.post, "/__admin/stubs", stub).status == .created)
    #expect(await statuses(5, [one, other], "/job") == [201, 202, 203, 203, 203])
    #expect(await other.send(.delete, "/__admin/stubs").status == .ok)
    #expect(await statuses(1, [one], "/job") == [404])
  }

  @Test func `stubs put them before their own, which make room for their ids`() async throws {
    let shared = SharedDatabaseFixture()
    let one = try shared.server(Self.start)
    let other = try shared.server(Self.start) {
      $0.stubs = [Stub(.get, "/own"), Stub(.get, "/both", status: .accepted)]
    }
    let stub = #"{"request": {"path": "/both"}, "response": {"status": 203}}"#
    #expect(try await one.send(.post, "/__admin/stubs", stub).json["id"] == 1)
    #expect(await statuses(2, [one, other], "/both") == [203, 203])
    #expect(await statuses(2, [one, other], "/own") == [404, 200])
    let ids = try await other.send(.get, "/__admin/stubs").json.array?.compactMap { $0["id"] }
    #expect(ids == [1, 3, 2])
    #expect(await other.send(.delete, "/__admin/stubs/3").status == .ok)
    #expect(await statuses(1, [other], "/own") == [404])
    #expect(try await other.send(.post, "/__admin/stubs", stub).json["id"] == 4)
  }

  @Test func `settings change them for all, but stay read-only where they were started so`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    let closed = try shared.server(Self.start) { $0.isReadOnly = true }
    #expect(try await one.send(.patch, "/__admin/settings", #"{"readOnly": true}"#).json["readOnly"] == true)
    #expect(await other.send(.post, "/posts", "{}").status == .forbidden)
    #expect(await closed.send(.patch, "/__admin/settings", #"{"readOnly": false}"#).status == .forbidden)
    #expect(await other.send(.patch, "/__admin/settings", #"{"readOnly": false, "delay": 0}"#).status == .ok)
    #expect(await one.send(.post, "/posts", "{}").status == .created)
    #expect(await closed.send(.post, "/posts", "{}").status == .forbidden)
  }

  @Test func `a database refuse what has to be counted while it is away`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start, reads: .local)
    _ = await server.send(.post, "/__admin/faults", #"{"path": "/posts", "status": 429, "times": 1}"#)
    _ = await server.send(.post, "/__admin/faults", #"{"path": "/posts/1", "status": 418}"#)
    shared.fail(Self.away)
    let refused = await server.send(.get, "/posts")
    #expect(refused.status == .serviceUnavailable)
    #expect(try refused.json["message"]?.string?.contains("The database is away.") == true)
    #expect(await server.send(.get, "/posts/1").status.code == 418)
    #expect(await server.send(.post, "/__admin/faults", #"{"status": 500}"#).status == .serviceUnavailable)
    shared.fail(nil)
    #expect(await server.send(.get, "/posts").status.code == 429)
  }

  @Test func `stubs keep all of them when their removal is refused`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start) { $0.stubs = [Stub(.get, "/own")] }
    let stub = #"{"request": {"path": "/job"}, "response": {"status": 203}}"#
    #expect(await server.send(.post, "/__admin/stubs", stub).status == .created)
    #expect(await statuses(1, [server], "/job") == [203])
    shared.fail(Self.away)
    #expect(await server.send(.delete, "/__admin/stubs").status == .serviceUnavailable)
    shared.fail(nil)
    #expect(await statuses(1, [server], "/job") == [203])
    #expect(await statuses(1, [server], "/own") == [200])
    #expect(await server.send(.delete, "/__admin/stubs").status == .ok)
    #expect(await statuses(1, [server], "/job") == [404])
    #expect(await statuses(1, [server], "/own") == [404])
  }

  @Test func `rules keep what a deletion removed, so that it can be put back`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    _ = await one.send(.post, "/__admin/deletions", #"{"resource": "posts", "ids": [1]}"#)
    #expect(await other.send(.post, "/__admin/faults", #"{"path": "/x", "status": 500}"#).status == .created)
    #expect(await one.send(.get, "/x").status == .internalServerError)
    #expect(await one.send(.post, "/__admin/undo/1").status == .ok)
  }

  @Test func `records keep their slots, however many are deleted`() async throws {
    let records = (1...3_000).map { number -> JSONValue in ["id": JSONValue(number)] }
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(["posts": .array(records)]), try shared.server(["posts": .array(records)]))
    let ids = (1...2_999).map(String.init).joined(separator: ",")
    #expect(
      await one.send(.post, "/__admin/deletions", #"{"resource": "posts", "ids": [\#(ids)]}"#).status == .ok)
    #expect(await other.send(.patch, "/posts/3000", #"{"n": 1}"#).status == .ok)
    #expect(try await one.send(.get, "/posts").json == [["id": 3000, "n": 1]])
    for server in [one, other] {
      let database = await server.engine.database
      #expect(database.slot(of: "3000", in: "posts") == 2_999)
    }
  }
}
