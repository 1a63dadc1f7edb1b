import HTTPTypes
import JSONStorage
import NIOConcurrencyHelpers
import OrderedJSON
import Testing

@testable import JSONServer

/// Servers whose data other servers write, too.
@Suite(.timeLimit(.minutes(2))) struct `Servers of one database` {
  private static let start: JSONValue = ["posts": [["id": 1]]]

  @Test func `show at once what the other has acknowledged`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    #expect(await other.send(.get, "/posts/2").status == .notFound)
    #expect(await one.send(.post, "/posts").status == .created)
    #expect(await other.send(.get, "/posts/2").status == .ok)
    #expect(await other.send(.delete, "/posts/1").status == .ok)
    #expect(await one.send(.get, "/posts/1").status == .notFound)
  }

  @Test func `show their own version where they need not ask`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start, reads: .local))
    _ = await one.send(.post, "/posts")
    #expect(await other.send(.get, "/posts/2").status == .notFound)
    shared.fail(StorageError(.unavailable, "The database is away."))
    #expect(await other.send(.get, "/posts/1").status == .ok)
  }

  @Test func `carry out a write again that met another's`() async throws {
    let shared = SharedDatabaseFixture()
    // Neither knows of the other's before it commits.
    let (one, other) = (try shared.server(Self.start, reads: .local), try shared.server(Self.start, reads: .local))
    #expect(try await one.send(.post, "/posts").json["id"] == 2)
    #expect(try await other.send(.post, "/posts").json["id"] == 3)
    #expect(try await one.send(.post, "/posts").json["id"] == 4)
    #expect(shared.turns == 0)
  }

  @Test func `wait for their turn after another has come between, until none does`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start, reads: .local), try shared.server(Self.start, reads: .local))
    for id in 2..<10 {
      #expect(try await (id % 2 == 0 ? one : other).send(.post, "/posts").json["id"] == .number(JSONNumber(id)))
    }
    // The first met nothing, and the next two were carried out twice; before each of the others a server asked.
    #expect(shared.turns == 5)
    // What it asked for shows what the other has written.
    #expect(await one.send(.delete, "/posts/9").status == .ok)
    let before = shared.turns
    for _ in 0..<20 { #expect(await one.send(.post, "/posts").status == .created) }
    #expect(shared.turns - before == 8)
  }

  @Test func `carry out a write as often as others come between`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start)
    shared.overtake(5)
    #expect(await server.send(.post, "/posts").status == .created)
    #expect(await server.send(.get, "/posts/2").status == .ok)
    #expect(await server.send(.get, "/posts/3").status == .notFound)
  }

  @Test func `begin a large write again in turn when another comes between, and serve reads meanwhile`() async throws {
    let shared = SharedDatabaseFixture()
    let records = (1...3_000).map { JSONValue.object(JSONObject([("id", .number(JSONNumber($0))), ("by", "nobody")])) }
    let server = try shared.server(.object(JSONObject([("posts", .array(records))])))
    let gate = WorkerGate()
    async let changed = server.send(.patch, "/posts?_all=true", #"{"by": "server"}"#)
    while await !server.engine.isChangingMuch { await Task.yield() }
    shared.change([(0, 6, #"{"id": 7, "by": "other"}"#)])
    #expect(try await server.send(.get, "/posts/7").json["by"] == "other")
    gate.open()
    #expect(await changed.status == .ok)
    #expect(try await server.send(.get, "/posts/7").json["by"] == "server")
    #expect(shared.turns == 1)
  }

  @Test func `refuse what waits for its turn when the database goes away`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start, reads: .local)
    shared.overtake(1)
    #expect(await server.send(.post, "/posts").status == .created)
    shared.fail(StorageError(.unavailable, "The database is away."))
    #expect(await server.send(.post, "/posts").status == .serviceUnavailable)
    shared.fail(nil)
    #expect(try await server.send(.post, "/posts").json["id"] == 3)
  }

  @Test func `put back what they deleted, until another has written`() async throws {
    let shared = SharedDatabaseFixture()
    let start: JSONValue = ["posts": [["id": 1], ["id": 2]]]
    let (one, other) = (try shared.server(start), try shared.server(start))
    let deletion = #"{"resource": "posts", "ids": [1]}"#
    #expect(try await one.send(.post, "/__admin/deletions", deletion).json["undo"] == 1)
    #expect(await one.send(.post, "/__admin/undo/1").status == .ok)
    #expect(await other.send(.get, "/posts/1").status == .ok)
    #expect(try await one.send(.post, "/__admin/deletions", deletion).json["undo"] == 2)
    #expect(await other.send(.post, "/posts").status == .created)
    // It knows of the other's by now.
    #expect(await one.send(.get, "/posts/1").status == .notFound)
    #expect(await one.send(.post, "/__admin/undo/2").status == .notFound)
    #expect(await other.send(.post, "/__admin/undo/1").status == .notFound)
  }

  @Test func `give large bodies another validator when another has written`() async throws {
    let text = JSONValue.string(String(repeating: "x", count: 1 << 20))
    let start: JSONValue = ["posts": [["id": 1, "text": text], ["id": 2, "text": text]]]
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(start), try shared.server(start))
    let first = await one.send(.get, "/posts").headerFields[.eTag]
    #expect(first != nil)
    #expect(await one.send(.get, "/posts").headerFields[.eTag] == first)
    #expect(await other.send(.delete, "/posts/2").status == .ok)
    let second = await one.send(.get, "/posts").headerFields[.eTag]
    #expect(second != nil)
    #expect(second != first)
  }

  @Test func `take over what comes together with a row that cannot be served`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start)
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    shared.change([(0, 0, deep), (0, 1, #"{"id": 2}"#)])
    #expect(await server.send(.get, "/posts/2").status == .ok)
    #expect(await server.send(.get, "/posts/1").status == .ok)
    #expect(try await server.send(.get, "/__admin/health").json["invalid"] != .null)
    shared.change([(0, 0, #"{"id": 3}"#)])
    #expect(await server.send(.get, "/posts/3").status == .ok)
    #expect(await server.send(.get, "/posts/1").status == .notFound)
    #expect(try await server.send(.get, "/__admin/health").json["invalid"] == .null)
  }

  @Test func `show nothing before it is committed, whatever it is to survive`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start) { $0.durability = .fast }
    shared.hold()
    async let written = server.send(.put, "/posts/1", #"{"title": "new"}"#)
    while shared.heldCount == 0 { await Task.yield() }
    let checks = shared.checks
    async let read = server.send(.get, "/posts/1")
    while shared.checks == checks { await Task.yield() }
    for _ in 0..<2 { await server.settle() }
    shared.fail(StorageError(.unavailable, "The database is away."))
    shared.release()
    #expect(await written.status == .serviceUnavailable)
    #expect(try await read.json == ["id": 1])
  }

  @Test func `add no record where another's is that they cannot read`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start)
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    shared.change([(0, 1, deep)])
    #expect(try await server.send(.post, "/posts").json["id"] == 2)
    #expect(shared.text(0, 1) == deep)
    #expect(shared.text(0, 2)?.contains("2") == true)
  }

  @Test(.timeLimit(.minutes(1)))
  func `go on with a database that lacks what they have seen`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = (try shared.server(Self.start), try shared.server(Self.start))
    let fault = #"{"path": "/posts/1", "status": 500}"#
    #expect(await one.send(.post, "/__admin/faults", fault).status == .created)
    #expect(await other.send(.get, "/posts/1").status == .internalServerError)
    shared.hold()
    async let written = one.send(.post, "/posts")
    while shared.heldCount == 0 { await Task.yield() }
    for _ in 0..<3 { shared.change([(0, 1, #"{"id": 7}"#)]) }
    let checks = shared.checks
    async let read = one.send(.get, "/posts/7")
    while shared.checks == checks { await Task.yield() }
    for _ in 0..<2 { await one.settle() }
    // It waits for a version that will not come.
    shared.lose()
    shared.release()
    #expect(try await written.json["id"] == 2)
    #expect(await read.status == .notFound)
    for server in [one, other] {
      #expect(try await server.send(.get, "/posts").json == [["id": 1], ["id": 2]])
      #expect(await server.send(.get, "/posts/1").status == .ok)
      let id = try await server.send(.post, "/__admin/faults", fault).json["id"]
      #expect(id != nil)
      #expect(await server.send(.get, "/posts/1").status == .internalServerError)
      #expect(await server.send(.delete, "/__admin/faults").status == .ok)
      #expect(await server.send(.get, "/posts/1").status == .ok)
      shared.lose()
      #expect(await server.send(.get, "/posts/2").status == .notFound)
      #expect(await server.send(.post, "/posts").status == .created)
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `replace all data although others write all the time`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start) { $0.hasResetRoutes = true }
    let other = try shared.server(Self.start)
    let text = String(repeating: "x", count: 50)
    let body = (1...3_000).map { #"{"id": \#($0), "text": "\#(text)"}"# }.joined(separator: ", ")
    let isDone = NIOLockedValueBox(false)
    async let replaced = {
      defer { isDone.withLockedValue { $0 = true } }
      return await server.send(.post, "/reset", #"{"posts": [\#(body)]}"#).status
    }()
    while !isDone.withLockedValue(\.self), !Task.isCancelled {
      shared.change([(0, 0, #"{"id": 1, "title": "new"}"#)])
      server.notify()
      await server.settle()
    }
    #expect(await replaced == .ok)
    for server in [server, other] {
      #expect(try await server.send(.get, "/posts/3000").json == ["id": 3000, "text": .string(text)])
    }
  }

  @Test func `have a resource read again of which others changed much`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(["posts": [["id": 1]], "tags": []])
    await server.engine.subscribe(1)
    shared.change((1...200).map { (0, $0, #"{"id": \#($0)}"#) } + [(1, 0, #"{"id": 7}"#)])
    #expect(await server.send(.get, "/posts/200").status == .ok)
    let events = await server.engine.events(of: 1)
    #expect(events.count(of: "event: change") == 2)
    #expect(events.contains("reloaded") && events.contains("tags") && events.contains("7"))
  }

  @Test func `refuse with 503 while the database is away, but for what is asked about themselves`() async throws {
    let shared = SharedDatabaseFixture()
    let server = try shared.server(Self.start)
    shared.fail(StorageError(.unavailable, "The database is away."))
    for (method, target) in [(HTTPRequest.Method.get, "/posts"), (.post, "/posts"), (.delete, "/posts/1")] {
      let refused = await server.send(method, target)
      #expect(refused.status == .serviceUnavailable)
      #expect(try refused.json["message"]?.string?.contains("The database is away.") == true)
    }
    let health = await server.send(.get, "/__admin/health")
    #expect(health.status == .serviceUnavailable)
    #expect(try health.json["database"]?["reached"] == false)
    shared.fail(nil)
    #expect(await server.send(.get, "/__admin/health").status == .ok)
    #expect(await server.send(.get, "/posts/1").status == .ok)
    #expect(await server.send(.get, "/posts/2").status == .notFound)
  }
}

extension Engine {
  fileprivate func subscribe(_ number: Int) { simulation.events.add(number, EventFilter(), lastEventID: nil) }

  /// The text of what has happened.
  fileprivate func events(of number: Int) -> String {
    var text: [UInt8] = []
    while let piece = simulation.events.nextPiece(for: number, resources: []) { text += piece }
    return String(decoding: text, as: UTF8.self)
  }
}

extension String {
  fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
