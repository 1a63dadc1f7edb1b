import HTTPTypes
import JSONDatabase
import JSONServerValues
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import JSONServer

@Suite struct `Signing in` {
  private static let data: JSONValue = [
    "users": [
      ["id": 1, "email": "ada@x.org", "password": "lovelace"], ["id": 2, "email": "bob@x.org", "password": 4711],
    ],
    "posts": [["id": 1, "title": "a", "userId": 1]],
  ]

  private func server(
    _ data: JSONValue = Self.data, _ adjust: (inout Server.SignIn) -> Void = { _ in }
  ) async throws -> Server {
    try await AdminFixture.server(data) { configuration in
      var signIn = Server.SignIn()
      adjust(&signIn)
      configuration.signIn = signIn
    }
  }

  private func bearer(_ response: Response) throws -> HTTPFields {
    [.authorization: "Bearer \(try #require(try response.json["accessToken"]?.string))"]
  }

  @Test func `is a change like any other, that a read-only server refuses`() async throws {
    var configuration = Server.Configuration(source: .value(Self.data))
    configuration.signIn = Server.SignIn()
    configuration.isReadOnly = true
    let server = try await Server.load(configuration)
    #expect(await server.send(.post, "/register", ["email": "c@x.org", "password": "lovelace"]).status == .forbidden)
    #expect(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]).status == .ok)
  }

  @Test(arguments: [(10_000, true), (500_000, false)])
  func `shows a user with a large record from another thread`(size: Int, isAtOnce: Bool) async throws {
    let photo = JSONValue.string(String(repeating: "a", count: size))
    let user: JSONValue = ["id": 1, "email": "ada@x.org", "password": "lovelace", "photo": photo]
    let engine = try EngineFixture(["users": [user]], configure: { $0.signIn = Server.SignIn() }).engine
    let body: JSONValue = ["email": "ada@x.org", "password": "lovelace"]
    let login = Request(
      method: .post, target: "/login", headerFields: [.host: "localhost", .contentType: "application/json"],
      body: body.utf8Text())
    let (response, isEarly) = await withCheckedContinuation { continuation in
      engine.loop.execute {
        let hasReturned = NIOLockedValueBox(false)
        engine.respond(to: login, progress: { _ in }) { response in
          continuation.resume(returning: (response.response, !hasReturned.withLockedValue { $0 }))
        }
        hasReturned.withLockedValue { $0 = true }
      }
    }
    #expect(isEarly == isAtOnce)
    #expect(response.status == .ok)
    #expect(try response.json["user"] == ["id": 1, "email": "ada@x.org", "photo": photo])
    let token = try #require(try response.json["accessToken"]?.string)
    #expect(await engine.run { $0.writes.state[.token, token] } != nil)
  }

  @Test func `takes no address that differs from another's by letter case alone`() async throws {
    let server = try await server()
    let ada = ["email": "ADA@x.org", "password": "lovelace"] as JSONValue
    #expect(await server.send(.post, "/register", ada).status == .badRequest)
    let fields = try bearer(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]))
    let patch = await server.send(.patch, "/users/1", ["email": "Ada@X.org"], fields: fields)
    #expect(patch.status == .ok, "\(patch.text)")
    // What only contains the address is another.
    #expect(await server.send(.post, "/register", ["email": "bada@x.org", "password": "lovelace"]).status == .created)
  }

  /// Of a name given twice, in a whole record or below it, the last value is what is stored, as in JavaScript.
  @Test(arguments: [
    (#"{"id": 1, "userId": 2, "userId": 1, "title": "mine"}"#, HTTPResponse.Status.ok),
    (#"{"id": 1, "userId": [1], "userId": 1}"#, .ok),
    (#"{"id": 1, "user\u0049d": 2, "userId": 1}"#, .ok),
    (#"{"id": 1, "userId": 1, "userId": 2, "title": "forged"}"#, .forbidden),
    (#"{"id": 1, "userId": 1, "user\u0049d": [1]}"#, .forbidden),
  ])
  func `lets a patch give no record away by a name given twice`(
    record: String, status: HTTPResponse.Status
  ) async throws {
    let posts = try #require(Guard("600"))
    let server = try await server { $0.guards = ["posts": posts] }
    var fields = try bearer(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]))
    fields[.contentType] = "application/json-patch+json"
    let body = #"[{"op": "replace", "path": "", "value": \#(record)}]"#.utf8
    let response = await server.send(.patch, "/posts/1", fields: fields, bytes: body)
    #expect(response.status == status, "\(response.text)")
    #expect(await server.value["posts"]?[0]?["userId"] == 1)
  }

  @Test func `lets If-Match name what a GET shows`() async throws {
    let server = try await server()
    var fields = try bearer(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]))
    let tag = await server.send(.get, "/users/1", fields: fields).headerFields[.eTag]
    fields[.ifMatch] = "\"other\""
    #expect(await server.send(.patch, "/users/1", ["name": "x"], fields: fields).status == .preconditionFailed)
    fields[.ifMatch] = tag
    #expect(await server.send(.patch, "/users/1", ["name": "x"], fields: fields).status == .ok)
  }

  @Test func `reads no body of more than a mebibyte`() async throws {
    let server = try await server()
    let text = JSONValue.string(String(repeating: "a", count: 1 << 20))
    let body: JSONValue = ["email": "ada@example.com", "password": "secret", "text": text]
    for path in ["/register", "/users", "/login", "/refresh", "/logout"] {
      let response = await server.send(.post, path, body)
      #expect(response.status == .contentTooLarge, "\(path)")
      #expect(response.text.contains("PATCH /users/1"), "\(path)")
    }
  }

  @Test func `takes an empty field of a form for no name`() async throws {
    let server = try await server()
    for email in ["c@x.org", "d@x.org"] {
      let body: JSONValue = ["email": .string(email), "username": "", "password": "secret"]
      #expect(await server.send(.post, "/register", body).status == .created)
    }
  }

  @Test func `leaves its paths to static pages`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("<p>Log in</p>", to: "login.html")
    let server = try await AdminFixture.server(Self.data) { configuration in
      configuration.signIn = Server.SignIn()
      configuration.staticDirectories = [directory.path]
    }
    #expect(await server.send(.get, "/login").text == "<p>Log in</p>")
    #expect(await server.send(.get, "/signup").status == .methodNotAllowed)
    #expect(await server.send(.put, "/login").status == .methodNotAllowed)
    #expect(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]).status == .ok)
  }

  @Test(arguments: [
    (Server.SignIn(users: "people"), "Server.SignIn.users:"), (Server.SignIn(users: "profile"), "Server.SignIn.users:"),
    (Server.SignIn(guards: ["pots": .signedIn]), "Server.SignIn.guards:"),
    (Server.SignIn(tokenLifetime: .zero), "Server.SignIn.tokenLifetime:"),
    (signIn(["path": "login"]), "Server.SignIn.routes: row 1: 'path' must be a path"),
    (signIn(["path": "/a", "does": "fly"]), "Server.SignIn.routes: row 1: 'does' must be one of register, login"),
    (signIn(["path": "/a", "response": ["shape": "$record"]]), "Server.SignIn.routes: row 1: '$record' is not known"),
  ])
  func `is refused at start, by the member's name, when the data has no place for it`(
    signIn: Server.SignIn, member: String
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(#"{"users": [], "profile": {}}"#, to: "db.json")
    var configuration = Server.Configuration(source: .file(directory.path("db.json")))
    configuration.signIn = signIn
    let error = await #expect(throws: ServerError.self) { try await Server.load(configuration) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.hasPrefix(member) == true)
    // The file is not locked any more.
    configuration.signIn = Server.SignIn()
    try await Server.load(configuration).stop()
  }

  private static func signIn(_ row: JSONValue) -> Server.SignIn {
    var signIn = Server.SignIn()
    signIn.routes = [row]
    return signIn
  }
}
