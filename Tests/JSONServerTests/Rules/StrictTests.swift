import HTTPTypes
import Testing

@testable import JSONServer

@Suite struct `A strict server` {
  private static let requests: [(HTTPRequest.Method, String, isUnexpected: Bool)] = [
    (.get, "/post", true), (.delete, "/posts", true), (.get, "/posts?titel=a", true),
    (.delete, "/posts/1?force=1", true), (.get, "/posts/9", false), (.get, "/posts?title=a&_page=1", false),
    (.options, "/posts", false), (.get, "/", false), (.get, "/stubbed?whatever=1", false),
    (.get, "/__admin/nothing", false),
  ]

  @Test func `lists what it refused in Swift, too, until the journal is emptied`() async throws {
    let server = try await AdminFixture.server {
      $0.isStrict = true
      $0.stubs = [Stub(.any("/stubbed"), .status(299))]
    }
    for (method, target, isUnexpected) in Self.requests {
      #expect((await server.send(method, target).status == .badRequest) == isUnexpected, "\(target)")
    }
    #expect(
      await server.unexpectedRequests.map(\.request.target) == Self.requests.filter(\.isUnexpected).map { $0.1 })
    await server.send(.delete, "/__admin/requests")
    #expect(await server.unexpectedRequests.isEmpty)
  }

  @Test func `lists what it refused in sessions, too, also after their end`() async throws {
    let server = try await AdminFixture.server { ($0.isStrict, $0.hasSessions) = (true, true) }
    for target in ["/__session/a/two", "/__session/b/three", "/one"] { await server.send(.get, target) }
    await server.send(.delete, "/__admin/sessions/a")
    #expect(
      await server.allUnexpectedRequests.map(\.request.target) == ["/one", "/__session/a/two", "/__session/b/three"])
    #expect(await server.unexpectedRequests.map(\.request.target) == ["/one"])
  }

  @Test func `keeps what it refused after the journal has forgotten it`() async throws {
    let server = try await AdminFixture.server { ($0.isStrict, $0.journalCapacity) = (true, 1) }
    for target in ["/one", "/posts", "/two", "/posts"] { await server.send(.get, target) }
    let listed = try await server.get("/__admin/requests?unexpected=true").array ?? []
    #expect(listed.map { $0["path"] } == ["/one", "/two"])
    #expect(try await server.get("/__admin/requests/1")["path"] == "/one")
    #expect(try await server.get("/__admin/requests").array?.map { $0["id"] } == [4])
  }

  @Test func `keeps no more bytes of what it refused, in sessions and out of them, than its health says`() async throws
  {
    let server = try await AdminFixture.server {
      ($0.isStrict, $0.hasSessions, $0.journalByteCapacity) = (true, true, 400_000)
    }
    var events = try await server.events("/__admin/events")
    let body = JSONValue.string(String(repeating: "a", count: 20_000)).utf8Text()
    for session in ["", "/__session/a", "/__session/b"] {
      for _ in 1...20 { await server.send(.post, session + "/nothing", bytes: body) }
      for _ in 1...3 { await server.send(.post, session + "/posts", bytes: body) }
    }
    await server.send(.delete, "/__admin/sessions/a")
    let log = try await server.get("/__admin/health")["log"]
    #expect(log?["limit"] == JSONValue(400_000 + Repetitions.byteCapacity))
    let kept = await server.allUnexpectedRequests + server.allExchanges
    let sizes = Dictionary(kept.map { (ObjectIdentifier($0), $0.byteCount) }) { first, _ in first }.values
    let used = try #require(log?["bytes"]?.int)
    #expect(sizes.reduce(0, +) > 200_000)
    #expect(used >= sizes.reduce(0, +))
    #expect(used <= 400_000)
    #expect(await server.unexpectedRequests.count == 4)
    _ = try await events.next(1)
  }

  @Test func `is not what a server is by default`() async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.get, "/nothing").status == .notFound)
    #expect(await server.send(.get, "/posts?titel=a").status == .ok)
    #expect(await server.unexpectedRequests.isEmpty)
  }
}
