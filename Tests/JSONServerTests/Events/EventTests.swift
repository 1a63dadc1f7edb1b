import HTTPTypes
import JSONServerValues
import TestSupport
import Testing

@testable import JSONDatabase
@testable import JSONServer
@testable import JSONServerResources

@Suite(.timeLimit(.minutes(1))) struct Events {
  @Test func `report changes as the requests are responded to`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events?types=change")
    await server.send(.post, "/posts", ["title": "c"])
    await server.send(.patch, "/posts/3", ["title": "d"])
    await server.send(.post, "/posts", [["id": 4]])
    await server.send(.put, "/profile", ["name": "x"])
    await server.send(.delete, "/posts/1")
    let all = try await events.next(6)
    #expect(all.allSatisfy { $0.type == "change" })
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.number < $1.number })
    #expect(Set(all.map(\.run)).count == 1)
    #expect(
      all.map(\.data) == [
        ["resource": "posts", "kind": "created", "id": "3", "record": ["title": "c", "id": 3]],
        ["resource": "posts", "kind": "updated", "id": "3", "record": ["title": "d", "id": 3]],
        ["resource": "posts", "kind": "reloaded"],
        ["resource": "profile", "kind": "reloaded"],
        ["resource": "posts", "kind": "deleted", "id": "1", "record": nil],
        ["resource": "comments", "kind": "reloaded"],
      ])
  }

  @Test func `name each record that one request changes, as long as they are few`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events?types=change")
    await server.send(.patch, "/posts?id=1&id=2", ["title": "c"])
    await server.send(.delete, "/posts?id=1&id=2")
    await server.send(.post, "/posts", .array((1...101).map { ["id": .init($0)] }))
    await server.send(.patch, "/posts?_all=true", ["title": "d"])
    await server.send(.delete, "/posts?_all=true")
    let all = try await events.next(8).map(\.data)
    #expect(
      all.map { $0["kind"] } == ["updated", "updated", "deleted", "deleted", "reloaded"]
        + Array(repeating: "reloaded", count: 3))
    #expect(all[0]["record"]?["title"] == "c")
    #expect(all[..<4].map { $0["id"] } == ["1", "2", "1", "2"])
    #expect(all.map { $0["resource"] } == ["posts", "posts", "posts", "posts", "comments", "posts", "posts", "posts"])
  }

  @Test func `report requests, but not those to the admin routes`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events")
    await server.send(.get, "/__admin/health")
    await server.send(.get, "/posts?_page=1")
    await server.send(.delete, "/posts/2")
    let all = try await events.next(3)
    #expect(all.map(\.type) == ["request", "change", "request"])
    #expect(all.map(\.number) == [1, 2, 3])
    #expect(
      all[0].data.object?.names == [
        "id", "time", "method", "path", "status", "milliseconds", "state", "delivery", "matched",
      ])
    #expect(all[0].data["path"] == "/posts?_page=1")
  }

  @Test func `of one resource come from its own address`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/comments?_watch")
    await server.send(.delete, "/posts/2")
    await server.send(.delete, "/comments/1")
    #expect(try await events.next(1).map(\.data["resource"]) == ["comments"])
    var profile = try await server.events("/profile?_watch")
    await server.send(.patch, "/profile", ["name": "Ada"])
    #expect(try await profile.next(1).map(\.data["resource"]) == ["profile"])
    let filtered = await server.send(.get, "/comments?_watch=true&lastEventId=1&_delay=1&postId=1&_sort=id")
    #expect(filtered.headerFields[HTTPField.Name.xIgnoredParameters] == "postId, _sort")
    #expect(await server.send(.get, "/nothing?_watch").status == .notFound)
  }

  @Test func `of a reset name every resource`() async throws {
    let server = try await AdminFixture.server { $0.hasResetRoutes = true }
    var events = try await server.events("/__admin/events?types=change")
    await server.send(.post, "/reset", ["tags": []])
    try await server.reset()
    let names = try await events.next(8).map(\.data["resource"]?.string)
    #expect(names == ["posts", "comments", "profile", "tags", "tags", "posts", "comments", "profile"])
  }

  @Test func `of an edit of the file name every resource there is or was`() async throws {
    let server = try EngineFixture(AdminFixture.posts)
    var events = try await server.send(.get, "/__admin/events?types=change").events
    try await server.edit(["posts": [], "tags": []], generation: 1)
    let names = try await events.next(4).map(\.data["resource"]?.string)
    #expect(names == ["posts", "comments", "profile", "tags"])
  }

  @Test func `go on where a subscriber was`() async throws {
    let server = try await AdminFixture.server()
    var first = try await server.events("/posts?_watch")
    await server.send(.delete, "/posts/1")
    let seen = try await first.next(1)[0].id
    await server.send(.post, "/posts")
    await server.send(.delete, "/posts/2")
    var byField = try await server.events("/posts?_watch", fields: [.lastEventID: "\(seen)"])
    var byParameter = try await server.events("/posts?_watch&lastEventId=\(seen)")
    #expect(try await byField.next(2).map(\.data["kind"]) == ["created", "deleted"])
    #expect(try await byParameter.next(2).map(\.data["kind"]) == ["created", "deleted"])
  }

  @Test(arguments: [
    "1", "99999999999999", "run-1", "RUN-9", "RUN-99999999999999", "RUN-+1", "RUN-01", "RUN--1", "-", "é",
  ])
  func `begin with a reload for a subscriber that saw what this run did not publish`(_ id: String) async throws {
    let server = try await AdminFixture.server()
    var first = try await server.events("/posts?_watch")
    await server.send(.delete, "/posts/2")
    let run = try await first.next(1)[0].run
    let id = PercentEncoding.encodeSegment(id.replacing("RUN", with: run))
    var events = try await server.events("/posts?_watch&lastEventId=\(id)")
    let seen = try await events.next(2)
    #expect(seen.map(\.data["kind"]) == ["reloaded", "deleted"])
    #expect(seen.map(\.run) == [run, run])
  }

  /// A run counts from its own start, so that its numbers are soon those of the run before.
  @Test func `of another run are known by their identifier alone`() async throws {
    let (before, after) = (try await AdminFixture.server(), try await AdminFixture.server())
    var first = try await before.events("/posts?_watch")
    await before.send(.post, "/posts")
    let seen = try await first.next(1)[0].id
    await after.send(.post, "/posts")
    await after.send(.post, "/posts")
    var events = try await after.events("/posts?_watch&lastEventId=\(seen)")
    #expect(try await events.next(3).map(\.data["kind"]) == ["reloaded", "created", "created"])
  }

  @Test func `of requests are kept from the first subscriber on`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.get, "/posts/1")
    var first = try await server.events("/__admin/events?types=request")
    await server.send(.get, "/posts/2")
    #expect(try await first.next(1).map(\.data["path"]) == ["/posts/2"])
    var late = try await server.events("/__admin/events?types=request&lastEventId=1")
    #expect(try await late.next(1).map(\.data["path"]) == ["/posts/2"])
  }

  @Test func `are kept up to a thousand`() async throws {
    let server = try await AdminFixture.server()
    var first = try await server.events("/__admin/events")
    await server.send(.get, "/posts/1")
    let seen = try await first.next(1)[0].id
    for _ in 1...1_000 { await server.send(.get, "/posts/1") }
    var all = try await server.events("/__admin/events?lastEventId=\(seen)")
    #expect(try await all.next(1_000).map(\.number) == Array(2...1_001))
    await server.send(.get, "/posts/1")
    var tooLate = try await server.events("/__admin/events?lastEventId=\(seen)")
    let reloads = try await tooLate.next(3)
    #expect(reloads.map(\.data["kind"]) == ["reloaded", "reloaded", "reloaded"])
    // A connection that breaks among them must not pass for one that brought them all.
    #expect(reloads.map(\.id.isEmpty) == [true, true, false])
  }

  @Test func `begin anew, with a reload, for a subscriber that does not keep up`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events")
    await server.send(.get, "/posts/1")
    #expect(try await events.next(1).map(\.number) == [1])
    for _ in 1...(EventHistory.capacity + 5) { await server.send(.get, "/posts/1") }
    let late = try await events.next(1_003)
    #expect(late.prefix(3).map(\.data["kind"]) == ["reloaded", "reloaded", "reloaded"])
    #expect(late.dropFirst(3).map(\.number) == Array(7...1_006))
  }

  @Test func `that a subscriber did not ask for do not make it fall behind`() async throws {
    let server = try await AdminFixture.server()
    let first = Task {
      var events = try await server.events("/posts?_watch")
      return try await events.next(1).map(\.data["kind"])
    }
    try await wait { await server.engine.run({ $0.events.subscribers.values.contains { $0.pull != nil } }) }
    for _ in 1...(EventHistory.capacity + 5) { await server.send(.get, "/posts/1") }
    await server.send(.delete, "/posts/2")
    #expect(try await first.value == ["deleted"])
  }

  @Test func `are the same bytes for all, taken in pieces`() throws {
    let feed = EventFeed(run: "run")
    feed.add(0, EventFilter(), lastEventID: nil)
    let long = String(repeating: "é", count: 15_000)
    for id in ["1", long, "3", "4"] {
      feed.publish(.deleted("posts", ids: [id], dependents: [:]), resources: ["posts"])
    }
    var pieces: [[UInt8]] = []
    while let piece = feed.nextPiece(for: 0, resources: []) { pieces.append(piece) }
    #expect(pieces.count == 4)
    #expect(pieces.allSatisfy { $0.count <= EventFeed.maximumPieceBytes })
    #expect(String(decoding: pieces.joined(), as: UTF8.self).contains(long))
    #expect(pieces.last.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("id: run-3\n") == true)
    // All that a subscriber holds is its position: it takes what the others have taken.
    for number in 1...2 {
      feed.add(number, EventFilter(), lastEventID: "run-0")
      let piece = feed.nextPiece(for: number, resources: [])
      let first = try #require(piece)
      let (known, taken) = (pieces[0].withUnsafeBytes(\.baseAddress), first.withUnsafeBytes(\.baseAddress))
      #expect(known == taken)
    }
  }

  @Test func `that are too large together are forgotten, the oldest first and the newest never`() {
    let feed = EventFeed(run: "run", byteCapacity: 1_000)
    feed.add(0, EventFilter(), lastEventID: nil)
    let record = WrittenRecord(text: ValidJSON(writing: .string(String(repeating: "a", count: 300))), id: "1")
    for _ in 1...5 { feed.publish(.created("posts", record), resources: ["posts"]) }
    #expect(feed.byteCount <= 1_000)
    let reload = feed.nextPiece(for: 0, resources: ["posts"]).map { String(decoding: $0, as: UTF8.self) }
    #expect(reload?.contains(#""kind":"reloaded""#) == true)
    let late = feed.nextPiece(for: 0, resources: []).map { String(decoding: $0, as: UTF8.self) }
    #expect(late?.contains("run-5") == true)
    feed.limit(to: 0)
    feed.publish(.created("posts", record), resources: ["posts"])
    let last = feed.nextPiece(for: 0, resources: []).map { String(decoding: $0, as: UTF8.self) }
    #expect(last?.contains("run-6") == true)
  }

  @Test func `end when the server stops`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events")
    await server.stop()
    #expect(await events.hasEnded())
    var late = try await server.events("/__admin/events")
    #expect(await late.hasEnded())
  }

  @Test func `are no longer made for a subscriber that has left`() async throws {
    let server = try await AdminFixture.server()
    do {
      let events = try await server.events("/posts?_watch")
      #expect(await server.engine.run { $0.events.hasSubscribers })
      _ = events
    }
    try await wait { await !server.engine.run({ $0.events.hasSubscribers }) }
  }

  @Test func `have comments between them that keep the connection alive`() async throws {
    let server = try await AdminFixture.server()
    let response = await server.send(.get, "/__admin/events")
    #expect(response.headerFields[.contentType] == "text/event-stream; charset=utf-8")
    guard case .stream(let stream, _) = response.content else {
      Issue.record("The answer is no stream.")
      return
    }
    var chunks = stream.makeAsyncIterator()
    await server.engine.run { $0.events.beat(on: $0) }
    #expect(await chunks.next() == Array(":\n\n".utf8))
    await server.stop()
  }
}

/// One event as a subscriber sees it.
struct ReceivedEvent {
  /// Empty when there is none.
  let id: String
  let type: String
  let data: JSONValue

  init(_ text: Substring) throws {
    let lines = text.split(separator: "\n")
    func value(_ name: String) -> String? {
      lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
    }
    id = value("id") ?? ""
    type = try #require(value("event"))
    data = try JSONValue(parsing: try #require(value("data")))
  }
}

extension ReceivedEvent {
  /// The run and the number of its identifier.
  private var parts: [Substring] { id.split(separator: "-") }
  var run: String { parts.first.map(String.init) ?? "" }
  var number: Int { parts.last.flatMap { Int($0) } ?? 0 }
}

/// Reads the events of a stream.
struct EventReader {
  private var chunks: AsyncStream<[UInt8]>.Iterator
  private var received: [ReceivedEvent] = []
  private var text = ""

  init(_ stream: AsyncStream<[UInt8]>) {
    chunks = stream.makeAsyncIterator()
  }

  /// Waits for the end, or for an event that comes before.
  mutating func hasEnded() async -> Bool {
    while let chunk = await chunks.next() {
      // On a slow machine a heartbeat, which is a comment, comes in between.
      if chunk.first != UInt8(ascii: ":") { return false }
    }
    return true
  }

  /// Returns the next events.
  /// - Throws: When the stream ends before.
  mutating func next(_ count: Int) async throws -> [ReceivedEvent] {
    while received.count < count, let chunk = await chunks.next() {
      text += String(decoding: chunk, as: UTF8.self)
      while let end = text.firstRange(of: "\n\n") {
        // On a slow machine a heartbeat, which is a comment, comes in between.
        if !text.hasPrefix(":"), let event = try? ReceivedEvent(text[..<end.lowerBound]) { received.append(event) }
        text.removeSubrange(..<end.upperBound)
      }
    }
    try #require(received.count >= count, "the stream ended after \(received.count) events")
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }
}

extension Response {
  /// The events of the stream that the response is.
  fileprivate var events: EventReader {
    get throws {
      guard case .stream(let stream, _) = content else {
        throw ServerError(.notSaved, "The answer, \(status), is no stream.")
      }
      return EventReader(stream)
    }
  }
}

extension Server {
  /// Opens a stream of events.
  func events(_ target: String, fields: HTTPFields = [:]) async throws -> EventReader {
    try await send(.get, target, fields: fields).events
  }
}
