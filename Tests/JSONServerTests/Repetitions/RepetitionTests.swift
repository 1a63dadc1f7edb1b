import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

/// Requests with an `Idempotency-Key`. The recorded exchanges `offline` have those that come one after the other.
@Suite(.timeLimit(.minutes(1))) struct `A repeated request` {
  private static func key(_ key: String) -> HTTPFields { [.idempotencyKey: key] }

  @Test func `waits for the first one, which a lost response does not carry out twice`() async throws {
    let server = try await AdminFixture.server()
    try await server.addFault(Fault(.post("/posts"), .lost, times: 1))
    let first = await server.send(.post, "/posts", ["title": "c"], fields: Self.key("k"))
    #expect(first.delivery == .lost)
    let second = await server.send(.post, "/posts", ["title": "c"], fields: Self.key("k"))
    #expect(second.delivery == .normal)
    #expect((second.status, second.bytes) == (first.status, first.bytes))
    #expect(second.headerFields[.location] == first.headerFields[.location])
    #expect(try await server.get("/posts").array?.count == 3)
  }

  @Test func `counts in what the health says of memory, in sessions and out of them`() async throws {
    let server = try await AdminFixture.server { $0.hasSessions = true }
    let session = server.session("a")
    func kept(by server: Server) async throws -> Int {
      try await server.send(.get, "/__admin/health").json["log"]?["bytes"]?.int ?? 0
    }
    let text: JSONValue = ["title": .string(String(repeating: "a", count: 10_000))]
    for server in [server, session] {
      await server.send(.post, "/posts", text)
      let before = try await kept(by: server)
      await server.send(.post, "/posts", text, fields: Self.key("k"))
      // The journal keeps the request and the response, too.
      #expect(try await kept(by: server) - before > 30_000)
    }
    let log = try await session.send(.get, "/__admin/health").json["log"]
    #expect(log?["limit"] == JSONValue(2 * (Repetitions.byteCapacity / 8 * 3)))
  }

  @Test func `waits while the first one is under way, and gets its response`() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let server = try await AdminFixture.server {
      $0.stubs = [
        Stub(.post("/posts")) { _ in
          arrival.yield()
          for await _ in gate { break }
          return nil
        }
      ]
    }
    async let first = server.send(.post, "/posts", ["title": "c"], fields: Self.key("k"))
    for await _ in arrivals { break }
    async let second = server.send(.post, "/posts", ["title": "c"], fields: Self.key("k"))
    let other = await server.send(.post, "/posts", ["title": "d"], fields: Self.key("k"))
    #expect(other.status == .unprocessableContent)
    open.yield()
    #expect(await first.bytes == second.bytes)
    #expect(try await server.get("/posts").array?.count == 3)
  }

  @Test func `is carried out when the first one was not`() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let server = try await AdminFixture.server {
      $0.stubs = [
        Stub(.post("/posts"), times: 1) { _ in
          arrival.yield()
          for await _ in gate { break }
          return .status(500)
        }
      ]
    }
    async let first = server.send(.post, "/posts", ["title": "c"], fields: Self.key("k"))
    for await _ in arrivals { break }
    async let second = server.send(.post, "/posts", ["title": "c"], fields: Self.key("k"))
    open.yield()
    #expect(await first.status == .internalServerError)
    #expect(await second.status == .created)
    #expect(try await server.get("/posts").array?.count == 3)
  }

  @Test func `is of its user and of its session alone`() async throws {
    let users: JSONValue = [
      "users": [
        ["id": 1, "email": "a@x.org", "password": "lovelace"], ["id": 2, "email": "b@x.org", "password": "lovelace"],
      ], "posts": [],
    ]
    let server = try await AdminFixture.server(users) {
      $0.signIn = Server.SignIn()
      $0.hasSessions = true
    }
    for (name, count) in [("a@x.org", 1), ("b@x.org", 2)] {
      let login = await server.send(.post, "/login", ["email": .string(name), "password": "lovelace"])
      let fields: HTTPFields = [
        .authorization: "Bearer \(try #require(try login.json["accessToken"]?.string))", .idempotencyKey: "k",
      ]
      #expect(await server.send(.post, "/posts", [:], fields: [.idempotencyKey: "k"]).status == .unauthorized)
      for _ in 0..<2 { #expect(await server.send(.post, "/posts", [:], fields: fields).status == .created) }
      #expect(await server.value["posts"]?.array?.count == count)
    }
    let session = server.session("s")
    for _ in 0..<2 {
      #expect(
        await session.send(.post, "/register", ["email": "c@x.org", "password": "lovelace"], fields: Self.key("k"))
          .status
          == .created)
    }
    #expect(await session.value["users"]?.array?.count == 3)
    #expect(await server.value["users"]?.array?.count == 2)
  }

  @Test func `is forgotten when later ones need its place`() async throws {
    let server = try await AdminFixture.server()
    await server.engine.run { $0.repetitions.capacity = 4 }
    for number in 0...5 {
      #expect(await server.send(.patch, "/posts/1", ["n": 1], fields: Self.key("\(number)")).status == .ok)
    }
    #expect(await server.send(.patch, "/posts/1", ["n": 2], fields: Self.key("2")).status == .unprocessableContent)
    #expect(await server.send(.patch, "/posts/1", ["n": 2], fields: Self.key("1")).status == .ok)
  }
}
