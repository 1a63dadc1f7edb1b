#if PostgreSQL
  import HTTPTypes
  import JSONServerValues
  import Testing

  @testable import JSONServer

  extension DatabaseSharingTests {
    /// Servers of one database whose clients sign in.
    @Suite struct `Tokens that servers share` {
      private static let ada: JSONValue = ["email": "ada@example.com", "password": "secret"]
      private static let bob: JSONValue = ["email": "bob@example.com", "password": "secret"]

      private func run(_ test: (DatabaseFixture, Server, Server) async throws -> Void) async throws {
        try await DatabaseFixture.run(
          ["users": [], "posts": [["id": 1]]], configure: { $0.signIn = Server.SignIn() }, test)
      }

      private func bearer(_ token: JSONValue?) throws -> HTTPFields {
        [.authorization: "Bearer \(try #require(token?.string))"]
      }

      @Test func `hold on all of them, until one is signed out at any`() async throws {
        try await run { _, one, other in
          let registered = await one.send(.post, "/register", Self.ada)
          #expect(registered.status == .created)
          #expect(registered.headerFields[.location]?.hasSuffix("/users/1") == true)
          #expect(try registered.json["user"] == ["id": 1, "email": "ada@example.com"])
          let fields = try bearer(registered.json["accessToken"])
          for server in [other, one] { #expect(await server.send(.get, "/posts", fields: fields).status == .ok) }
          #expect(try await other.send(.get, "/posts", fields: bearer("a.b.c")).status == .unauthorized)
          #expect(await other.send(.post, "/logout", fields: fields).status == .noContent)
          for server in [one, other] {
            #expect(await server.send(.get, "/posts", fields: fields).status == .unauthorized)
          }
          #expect(await one.send(.post, "/logout", fields: fields).status == .unauthorized)
          let signedIn = try await other.send(.post, "/login", Self.ada).json
          #expect(signedIn["user"] == ["id": 1, "email": "ada@example.com"])
          #expect(try await one.send(.get, "/posts", fields: bearer(signedIn["accessToken"])).status == .ok)
        }
      }

      @Test func `belong to users whose passwords no event shows`() async throws {
        try await run { _, one, other in
          await other.engine.subscribe(1)
          let registered = try await one.send(.post, "/register", Self.ada).json
          let fields = try bearer(registered["accessToken"])
          // Otherwise the other server might read both changes at once, and tell of one.
          #expect(await other.send(.get, "/posts", fields: fields).status == .ok)
          #expect(await one.send(.patch, "/users/1", ["password": "another secret"], fields: fields).status == .ok)
          #expect(await other.send(.get, "/posts", fields: fields).status == .ok)
          let events = await other.engine.events(of: 1)
          #expect(events.contains("created") && events.contains("updated") && events.contains("ada@example.com"))
          #expect(!events.contains("secret"))
        }
      }

      @Test func `are renewed once, wherever that is asked for`() async throws {
        try await run { _, one, other in
          let first = try await one.send(.post, "/register", Self.ada).json
          let body: JSONValue = ["refreshToken": first["refreshToken"] ?? .null]
          let renewed = await other.send(.post, "/refresh", body)
          #expect(renewed.status == .ok)
          #expect(await one.send(.post, "/refresh", body).status == .unauthorized)
          let (access, refresh) = (try bearer(renewed.json["accessToken"]), try bearer(renewed.json["refreshToken"]))
          #expect(await one.send(.get, "/posts", fields: access).status == .ok)
          #expect(await one.send(.get, "/posts", fields: refresh).status == .unauthorized)
          #expect(try await one.send(.post, "/logout", fields: bearer(first["accessToken"])).status == .noContent)
          #expect(await other.send(.get, "/posts", fields: access).status == .unauthorized)
        }
      }

      @Test func `are asked about where a server has not heard of them yet`() async throws {
        let configure: @Sendable (inout Server.Configuration) -> Void = { configuration in
          configuration.signIn = Server.SignIn()
          configuration.reads = .local
        }
        try await DatabaseFixture.run(["users": [], "posts": [["id": 1]]], configure: configure) { _, one, other in
          await one.send(.post, "/register", Self.ada)
          for _ in 0..<20 {
            let tokens = try await one.send(.post, "/login", Self.ada).json
            #expect(await other.send(.get, "/posts", fields: try bearer(tokens["accessToken"])).status == .ok)
            let last = try await one.send(.post, "/login", Self.ada).json
            #expect(await other.send(.post, "/refresh", ["refreshToken": last["refreshToken"] ?? .null]).status == .ok)
          }
        }
      }

      @Test func `expire everywhere at once`() async throws {
        try await run { _, one, other in
          let fields = try bearer(try await one.send(.post, "/register", Self.ada).json["accessToken"])
          #expect(await other.send(.get, "/posts", fields: fields).status == .ok)
          #expect(try await one.send(.post, "/__admin/auth/expire").json == ["expired": 1])
          #expect(try await other.send(.get, "/posts", fields: fields).json["message"] == "jwt expired")
        }
      }

      @Test func `are not those of whoever gets the id of a user who is gone`() async throws {
        try await run { _, one, other in
          let fields = try bearer(try await one.send(.post, "/register", Self.ada).json["accessToken"])
          #expect(await other.send(.get, "/posts", fields: fields).status == .ok)
          #expect(await one.send(.delete, "/users/1", fields: fields).status == .ok)
          #expect(await other.send(.get, "/posts", fields: fields).status == .unauthorized)
          #expect(try await other.send(.post, "/register", Self.bob).json["user"]?["id"] == 1)
          for server in [one, other] {
            #expect(await server.send(.get, "/posts", fields: fields).status == .unauthorized)
          }
        }
      }

      @Test func `cannot be looked up while the database is away`() async throws {
        try await run { shared, one, other in
          let fields = try bearer(try await one.send(.post, "/register", Self.ada).json["accessToken"])
          try await shared.goAway()
          #expect(await other.send(.get, "/posts", fields: fields).status == .serviceUnavailable)
          #expect(await other.send(.post, "/login", Self.ada).status == .serviceUnavailable)
          try await shared.comeBack()
          #expect(await other.send(.get, "/posts", fields: fields).status == .ok)
        }
      }
    }
  }
#endif
