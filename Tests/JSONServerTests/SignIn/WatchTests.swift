import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1))) struct `A stream of changes that a user watches` {
  private static let data: JSONValue = [
    "users": [["id": 1, "email": "ada@x.org", "password": "Tr0ub4dor"]], "posts": [["id": 1]],
  ]

  /// Signs in and watches the posts, or something else.
  private static func watch(
    _ server: Server, _ target: String = "/posts?_watch"
  ) async throws -> (events: EventReader, token: HTTPFields) {
    let answer = await server.send(.post, "/login", ["email": "ada@x.org", "password": "Tr0ub4dor"])
    let token = try #require(try JSONValue(parsing: answer.bytes)["accessToken"]?.string)
    let fields: HTTPFields = [.authorization: "Bearer \(token)"]
    let response = await server.send(.get, target, fields: fields)
    guard case .stream(let stream, _) = response.content else { throw ServerError(.notSaved, "\(response.status)") }
    return (EventReader(stream), fields)
  }

  private static func server() async throws -> Server {
    var configuration = Server.Configuration(source: .value(data))
    configuration.signIn = Server.SignIn(users: "users")
    return try await Server.load(configuration)
  }

  @Test func `goes on while the token is valid`() async throws {
    let server = try await Self.server()
    var (events, token) = try await Self.watch(server)
    await server.send(.post, "/posts", ["title": "a"], fields: token)
    #expect(try await events.next(1).count == 1)
  }

  @Test func `has only the user's own records where only owners may read`() async throws {
    var configuration = Server.Configuration(
      source: .value([
        "users": [
          ["id": 1, "email": "ada@x.org", "password": "Tr0ub4dor"],
          ["id": 2, "email": "bob@x.org", "password": "Tr0ub4dor"],
        ], "posts": [["id": 1, "userId": 1], ["id": 2, "userId": 2]],
      ]))
    configuration.signIn = Server.SignIn(guards: ["posts": try #require(Guard("600"))])
    let server = try await Server.load(configuration)
    var (events, ada) = try await Self.watch(server)
    var (users, _) = try await Self.watch(server, "/users?_watch")
    let login = await server.send(.post, "/login", ["email": "bob@x.org", "password": "Tr0ub4dor"])
    let token = try #require(try JSONValue(parsing: login.bytes)["accessToken"]?.string)
    let bob: HTTPFields = [.authorization: "Bearer \(token)"]
    for (fields, user, own) in [(bob, 2, 2), (ada, 1, 1)] as [(HTTPFields, Int, Int)] {
      await server.send(.post, "/posts", ["title": "a", "userId": .init(user)], fields: fields)
      await server.send(.patch, "/posts/\(own)", ["title": "b"], fields: fields)
      await server.send(.delete, "/posts/\(own)", fields: fields)
      await server.send(.patch, "/users/\(user)", ["name": "n"], fields: fields)
    }
    let changes = try await events.next(3).map(\.data)
    #expect(changes.map { $0["kind"]?.string } == ["created", "updated", "deleted"])
    #expect(changes.map { $0["id"]?.string } == ["4", "1", "1"])
    let user = try await users.next(1).map(\.data)
    #expect(user.map { $0["id"]?.string } == ["1"])
    #expect(user.first?["record"]?["password"] == nil)
  }

  @Test func `ends when the tokens expire, the user signs out or is gone`() async throws {
    for target in ["/__admin/auth/expire", "/logout", "/users/1"] {
      let server = try await Self.server()
      var (events, token) = try await Self.watch(server)
      await server.send(target == "/users/1" ? .delete : .post, target, fields: token)
      #expect(await events.hasEnded(), "\(target)")
    }
  }
}
