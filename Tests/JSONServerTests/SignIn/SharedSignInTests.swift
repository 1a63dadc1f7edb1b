import HTTPTypes
import JSONStorage
import OrderedJSON
import Testing

@testable import JSONServer

/// Servers of one database whose clients sign in.
@Suite struct `Tokens that servers share` {
  private static let ada = #"{"email": "ada@example.com", "password": "secret"}"#
  private static let bob = #"{"email": "bob@example.com", "password": "secret"}"#

  private func servers(
    _ shared: SharedDatabaseFixture = SharedDatabaseFixture()
  ) throws -> (SharedDatabaseFixture.Server, SharedDatabaseFixture.Server) {
    func server() throws -> SharedDatabaseFixture.Server {
      try shared.server(["users": [], "posts": [["id": 1]]]) { $0.signIn = Server.SignIn() }
    }
    return (try server(), try server())
  }

  private func text(_ value: JSONValue?) throws -> String { try #require(value?.string) }

  @Test func `hold on all of them, until one is signed out at any`() async throws {
    let (one, other) = try servers()
    let registered = await one.send(.post, "/register", Self.ada)
    #expect(registered.status == .created)
    #expect(registered.headerFields[.location]?.hasSuffix("/users/1") == true)
    #expect(try registered.json["user"] == ["id": 1, "email": "ada@example.com"])
    let token = try text(registered.json["accessToken"])
    for server in [other, one] { #expect(await server.send(.get, "/posts", token: token).status == .ok) }
    #expect(await other.send(.get, "/posts", token: "a.b.c").status == .unauthorized)
    #expect(await other.send(.post, "/logout", token: token).status == .noContent)
    for server in [one, other] { #expect(await server.send(.get, "/posts", token: token).status == .unauthorized) }
    #expect(await one.send(.post, "/logout", token: token).status == .unauthorized)
    let signedIn = try await other.send(.post, "/login", Self.ada).json
    #expect(signedIn["user"] == ["id": 1, "email": "ada@example.com"])
    #expect(await one.send(.get, "/posts", token: try text(signedIn["accessToken"])).status == .ok)
  }

  @Test func `are renewed once, wherever that is asked for`() async throws {
    let (one, other) = try servers()
    let first = try await one.send(.post, "/register", Self.ada).json
    let refreshToken: JSONValue = ["refreshToken": first["refreshToken"] ?? .null]
    let body = refreshToken.text()
    let renewed = await other.send(.post, "/refresh", body)
    #expect(renewed.status == .ok)
    #expect(await one.send(.post, "/refresh", body).status == .unauthorized)
    #expect(await one.send(.get, "/posts", token: try text(renewed.json["accessToken"])).status == .ok)
    #expect(await one.send(.get, "/posts", token: try text(renewed.json["refreshToken"])).status == .unauthorized)
    #expect(await one.send(.post, "/logout", token: try text(first["accessToken"])).status == .noContent)
    #expect(await other.send(.get, "/posts", token: try text(renewed.json["accessToken"])).status == .unauthorized)
  }

  @Test func `expire everywhere at once`() async throws {
    let (one, other) = try servers()
    let token = try text(try await one.send(.post, "/register", Self.ada).json["accessToken"])
    #expect(await other.send(.get, "/posts", token: token).status == .ok)
    #expect(try await one.send(.post, "/__admin/auth/expire").json == ["expired": 1])
    let refused = await other.send(.get, "/posts", token: token)
    #expect(try refused.json["message"] == "jwt expired")
  }

  @Test func `are not those of whoever gets the id of a user who is gone`() async throws {
    let (one, other) = try servers()
    let token = try text(try await one.send(.post, "/register", Self.ada).json["accessToken"])
    #expect(await other.send(.get, "/posts", token: token).status == .ok)
    #expect(await one.send(.delete, "/users/1", token: token).status == .ok)
    #expect(await other.send(.get, "/posts", token: token).status == .unauthorized)
    #expect(try await other.send(.post, "/register", Self.bob).json["user"]?["id"] == 1)
    for server in [one, other] { #expect(await server.send(.get, "/posts", token: token).status == .unauthorized) }
  }

  @Test func `cannot be looked up while the database is away`() async throws {
    let shared = SharedDatabaseFixture()
    let (one, other) = try servers(shared)
    let token = try text(try await one.send(.post, "/register", Self.ada).json["accessToken"])
    shared.fail(StorageError(.unavailable, "The database is away."))
    #expect(await other.send(.get, "/posts", token: token).status == .serviceUnavailable)
    #expect(await other.send(.post, "/login", Self.ada).status == .serviceUnavailable)
    shared.fail(nil)
    #expect(await other.send(.get, "/posts", token: token).status == .ok)
  }
}
