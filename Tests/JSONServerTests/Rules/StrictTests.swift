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

  @Test func `is not what a server is by default`() async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.get, "/nothing").status == .notFound)
    #expect(await server.send(.get, "/posts?titel=a").status == .ok)
    #expect(await server.unexpectedRequests.isEmpty)
  }
}
