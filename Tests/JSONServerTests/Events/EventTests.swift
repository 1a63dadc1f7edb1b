import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1))) struct Events {
  @Test func `tell of changes as they are answered`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events?types=change")
    await server.send(.post, "/posts", ["title": "c"])
    await server.send(.patch, "/posts/3", ["title": "d"])
    await server.send(.post, "/posts", [["id": 4]])
    await server.send(.put, "/profile", ["name": "x"])
    await server.send(.delete, "/posts/1")
    let all = await events.next(6)
    #expect(all.allSatisfy { $0.type == "change" })
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
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

  @Test func `tell of requests, but not of those to the admin routes`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events")
    await server.send(.get, "/__admin/health")
    await server.send(.get, "/posts?_page=1")
    await server.send(.delete, "/posts/2")
    let all = await events.next(3)
    #expect(all.map(\.type) == ["request", "change", "request"])
    #expect(all.map(\.id) == [all[0].id, all[0].id + 1, all[0].id + 2])
    #expect(all[0].data.object?.names == ["id", "time", "method", "path", "status", "milliseconds"])
    #expect(all[0].data["path"] == "/posts?_page=1")
  }

  @Test func `of one resource come from its own address`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/comments?_watch")
    await server.send(.delete, "/posts/2")
    await server.send(.delete, "/comments/1")
    #expect(await events.next(1).map(\.data["resource"]) == ["comments"])
    var profile = try await server.events("/profile?_watch")
    await server.send(.patch, "/profile", ["name": "Ada"])
    #expect(await profile.next(1).map(\.data["resource"]) == ["profile"])
    #expect(await server.send(.get, "/nothing?_watch").status == .notFound)
  }

  @Test func `of a reset name every resource`() async throws {
    let server = try await AdminFixture.server { $0.hasResetRoutes = true }
    var events = try await server.events("/__admin/events?types=change")
    await server.send(.post, "/reset", ["tags": []])
    try await server.reset()
    let names = await events.next(8).map(\.data["resource"]?.string)
    #expect(names == ["posts", "comments", "profile", "tags", "tags", "posts", "comments", "profile"])
  }

  @Test func `of an edit of the file name every resource there is or was`() async throws {
    let server = try EngineFixture(AdminFixture.posts)
    var events = try await server.send(.get, "/__admin/events?types=change").events
    try await server.edit(["posts": [], "tags": []], generation: 1)
    let names = await events.next(4).map(\.data["resource"]?.string)
    #expect(names == ["posts", "comments", "profile", "tags"])
  }

  @Test func `go on where a reader was`() async throws {
    let server = try await AdminFixture.server()
    var first = try await server.events("/posts?_watch")
    await server.send(.delete, "/posts/1")
    let seen = await first.next(1)[0].id
    await server.send(.post, "/posts")
    await server.send(.delete, "/posts/2")
    var byField = try await server.events("/posts?_watch", fields: [.lastEventID: "\(seen)"])
    var byParameter = try await server.events("/posts?_watch&lastEventId=\(seen)")
    #expect(await byField.next(2).map(\.data["kind"]) == ["created", "deleted"])
    #expect(await byParameter.next(2).map(\.data["kind"]) == ["created", "deleted"])
  }

  @Test(arguments: ["1", "99999999999999"])
  func `begin with a reload for a reader that missed too many, or saw those of another server`(
    _ id: String
  ) async throws {
    let server = try await AdminFixture.server()
    await server.send(.delete, "/posts/2")
    var events = try await server.events("/posts?_watch&lastEventId=\(id)")
    #expect(await events.next(2).map(\.data["kind"]) == ["reloaded", "deleted"])
  }

  @Test func `of requests are kept from the first reader on`() async throws {
    let server = try await AdminFixture.server()
    await server.send(.get, "/posts/1")
    var first = try await server.events("/__admin/events?types=request")
    await server.send(.get, "/posts/2")
    #expect(await first.next(1).map(\.data["path"]) == ["/posts/2"])
    var late = try await server.events("/__admin/events?types=request&lastEventId=1")
    #expect(await late.next(1).map(\.data["path"]) == ["/posts/2"])
  }

  @Test func `are kept up to a thousand`() async throws {
    let server = try await AdminFixture.server()
    var first = try await server.events("/__admin/events")
    await server.send(.get, "/posts/1")
    let seen = await first.next(1)[0].id
    for _ in 1...1_000 { await server.send(.get, "/posts/1") }
    var all = try await server.events("/__admin/events?lastEventId=\(seen)")
    #expect(await all.next(1_000).map(\.id) == Array((seen + 1)...(seen + 1_000)))
    await server.send(.get, "/posts/1")
    var tooLate = try await server.events("/__admin/events?lastEventId=\(seen)")
    #expect(await tooLate.next(3).map(\.data["kind"]) == ["reloaded", "reloaded", "reloaded"])
  }

  @Test func `end for a reader that does not keep up`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events")
    for _ in 1...300 { await server.send(.get, "/posts/1") }
    #expect(await events.next(300).count == EventFeed.maximumLag)
    #expect(await server.engine.simulation.events.hasReaders == false)
  }

  @Test func `end when the server stops`() async throws {
    let server = try await AdminFixture.server()
    var events = try await server.events("/__admin/events")
    await server.stop()
    #expect(await events.next(1).isEmpty)
    var late = try await server.events("/__admin/events")
    #expect(await late.next(1).isEmpty)
  }

  @Test func `are no longer made for a reader that has gone`() async throws {
    let server = try await AdminFixture.server()
    do {
      let events = try await server.events("/posts?_watch")
      #expect(await server.engine.simulation.events.hasReaders)
      _ = events
    }
    while await server.engine.simulation.events.hasReaders { await Task.yield() }
  }

  @Test func `have comments between them that keep the connection alive`() async throws {
    let server = try await AdminFixture.server()
    let response = await server.send(.get, "/__admin/events")
    #expect(response.headerFields[.contentType] == "text/event-stream; charset=utf-8")
    guard case .stream(let stream, _) = response.body else {
      Issue.record("The answer is no stream.")
      return
    }
    var chunks = stream.makeAsyncIterator()
    await server.engine.beat()
    #expect(await chunks.next() == Array(":\n\n".utf8))
    await server.stop()
  }
}

/// One event as a reader sees it.
struct ReceivedEvent {
  let id: Int
  let type: String
  let data: JSONValue

  init(_ text: Substring) throws {
    let lines = text.split(separator: "\n")
    func value(_ name: String) throws -> String {
      let line = try #require(lines.first { $0.hasPrefix(name + ": ") })
      return String(line.dropFirst(name.count + 2))
    }
    id = try #require(Int(try value("id")))
    type = try value("event")
    data = try JSONValue(parsing: try value("data"))
  }
}

/// Reads the events of a stream.
struct EventReader {
  private var chunks: AsyncStream<[UInt8]>.Iterator
  private var received: [ReceivedEvent] = []

  init(_ stream: AsyncStream<[UInt8]>) {
    chunks = stream.makeAsyncIterator()
  }

  /// Returns the next events, fewer when the stream ends.
  mutating func next(_ count: Int) async -> [ReceivedEvent] {
    while received.count < count, let chunk = await chunks.next() {
      let events = String(decoding: chunk, as: UTF8.self).split(separator: "\n\n")
      // On a slow machine a heartbeat, which is a comment, comes in between.
      received += events.filter { !$0.hasPrefix(":") }.compactMap { try? ReceivedEvent($0) }
    }
    defer { received.removeFirst(min(count, received.count)) }
    return Array(received.prefix(count))
  }
}

extension Response {
  /// The events of the stream that the answer is.
  fileprivate var events: EventReader {
    get throws {
      guard case .stream(let stream, _) = body else {
        throw ServerError(.notSaved, "The answer, \(status), is no stream.")
      }
      return EventReader(stream)
    }
  }
}

extension Server {
  /// Opens a stream of events.
  fileprivate func events(_ target: String, fields: HTTPFields = [:]) async throws -> EventReader {
    try await send(.get, target, fields: fields).events
  }
}
