import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

@Suite(.timeLimit(.minutes(1))) struct `A stream of changes that a user watches` {
  private static let data: JSONValue = [
    "users": [["id": 1, "email": "ada@x.org", "password": "Tr0ub4dor"]], "posts": [["id": 1]],
  ]

  /// Signs in and watches the posts.
  private static func watch(_ server: Server) async throws -> (events: EventReader, token: HTTPFields) {
    let answer = await server.send(.post, "/login", ["email": "ada@x.org", "password": "Tr0ub4dor"])
    let token = try #require(try JSONValue(parsing: answer.bytes)["accessToken"]?.string)
    let fields: HTTPFields = [.authorization: "Bearer \(token)"]
    let response = await server.send(.get, "/posts?_watch", fields: fields)
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

  @Test func `ends when the tokens expire, the user signs out or is gone`() async throws {
    for target in ["/__admin/auth/expire", "/logout", "/users/1"] {
      let server = try await Self.server()
      var (events, token) = try await Self.watch(server)
      await server.send(target == "/users/1" ? .delete : .post, target, fields: token)
      #expect(await events.hasEnded(), "\(target)")
    }
  }
}
