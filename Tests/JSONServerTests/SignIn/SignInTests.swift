import HTTPTypes
import OrderedJSON
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

  @Test func `takes a number in the fixture as a password`() async throws {
    let server = try await server()
    #expect(await server.send(.post, "/login", ["email": "bob@x.org", "password": "4711"]).status == .ok)
  }

  @Test func `works with user names in the place of addresses`() async throws {
    let server = try await server(["people": [["id": "p", "username": "ada", "password": "lovelace"]]]) {
      $0.users = "people"
    }
    let response = await server.send(.post, "/login", ["username": "ada", "password": "lovelace"])
    #expect(try response.json["user"] == ["id": "p", "username": "ada"])
    #expect(await server.send(.get, "/people/p", fields: try bearer(response)).status == .ok)
    let taken = await server.send(.post, "/register", ["username": "ada", "password": "another"])
    #expect(try taken.json["message"] == "Username already exists")
    #expect(await server.send(.post, "/people", ["username": "bob", "password": "another"]).status == .created)
  }

  @Test func `is refused where an address or a name is missing`() async throws {
    let server = try await server()
    for body: JSONValue in [["password": "lovelace"], ["email": 1, "password": "lovelace"], [:], "ada", 1] {
      #expect(await server.send(.post, "/register", body).status == .badRequest)
      #expect(await server.send(.post, "/login", body).status == .badRequest)
    }
  }

  @Test func `is a change like any other, that a read-only server refuses`() async throws {
    var configuration = Server.Configuration(source: .value(Self.data))
    configuration.signIn = Server.SignIn()
    configuration.isReadOnly = true
    let server = try await Server.load(configuration)
    #expect(await server.send(.post, "/register", ["email": "c@x.org", "password": "lovelace"]).status == .forbidden)
    #expect(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]).status == .ok)
  }

  @Test func `is asked for before delays, faults and stubs, and never by the admin interface`() async throws {
    let server = try await server()
    try await server.stub(Stub(.get, "/posts", body: ["stub": true]))
    try await server.addFault(Fault(path: "/posts", times: 1, status: .serviceUnavailable))
    #expect(await server.send(.get, "/posts").status == .unauthorized)
    let fields = try bearer(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]))
    #expect(await server.send(.get, "/posts", fields: fields).status == .serviceUnavailable)
    #expect(try await server.send(.get, "/posts", fields: fields).json == ["stub": true])
    #expect(await server.send(.get, "/__admin/resources").status == .ok)
    #expect(await server.send(.get, "/posts", fields: [.page: "1"]).status == .ok)
    try await server.stub(Stub(.post, "/login", status: .tooManyRequests))
    #expect(await server.send(.post, "/login").status == .tooManyRequests)
  }

  @Test func `lets a patch change only what is the user's`() async throws {
    let posts = try #require(Guard("600"))
    let server = try await server { $0.guards = ["posts": posts] }
    func token(_ email: String, _ password: String) async throws -> HTTPFields {
      try bearer(await server.send(.post, "/login", ["email": .string(email), "password": .string(password)]))
    }
    let (ada, bob) = (try await token("ada@x.org", "lovelace"), try await token("bob@x.org", "4711"))
    func patch(_ target: String, _ fields: HTTPFields, _ body: JSONValue) async -> Response {
      var fields = fields
      fields[.contentType] = "application/json-patch+json"
      return await server.send(.patch, target, body, fields: fields)
    }
    let rename: JSONValue = [["op": "replace", "path": "/title", "value": "z"]]
    #expect(await patch("/posts/1", ada, rename).status == .ok)
    #expect(await patch("/posts/1", bob, rename).status == .forbidden)
    // Whether a test fails is nobody else's business.
    #expect(await patch("/posts/1", bob, [["op": "test", "path": "/title", "value": "y"]]).status == .forbidden)
    #expect(await patch("/posts/1", ada, [["op": "test", "path": "/title", "value": "y"]]).status == .conflict)
    #expect(await patch("/posts/1", ada, [["op": "replace", "path": "/userId", "value": 2]]).status == .forbidden)
    #expect(await patch("/posts/1", ada, [["op": "remove", "path": "/userId"]]).status == .forbidden)
  }

  /// Of a name given twice, in a whole record or below it, the first value is what is stored.
  @Test(arguments: [
    (#"{"id": 1, "userId": 2, "userId": 1, "title": "forged"}"#, HTTPResponse.Status.forbidden),
    (#"{"id": 1, "userId": [1], "userId": 1}"#, .forbidden),
    (#"{"id": 1, "user\u0049d": 2, "userId": 1}"#, .forbidden),
    (#"{"id": 1, "userId": 1, "userId": 2, "title": "mine"}"#, .ok),
  ])
  func `lets a patch give no record away by a name given twice`(
    record: String, status: HTTPResponse.Status
  ) async throws {
    let posts = try #require(Guard("600"))
    let server = try await server { $0.guards = ["posts": posts] }
    var fields = try bearer(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]))
    fields[.host] = "localhost"
    fields[.contentType] = "application/json-patch+json"
    let body = Array(#"[{"op": "replace", "path": "", "value": \#(record)}]"#.utf8)
    let response = await server.respond(
      to: Request(method: .patch, target: "/posts/1", headerFields: fields, body: body))
    #expect(response.status == status, "\(response.text)")
    #expect(await server.value["posts"]?[0]?["userId"] == 1)
  }

  @Test func `ends for users who are gone, also when data is replaced`() async throws {
    let server = try await server()
    let response = await server.send(.post, "/register", ["email": "c@x.org", "password": "lovelace"])
    let fields = try bearer(response)
    #expect(await server.send(.get, "/posts", fields: fields).status == .ok)
    await server.send(.post, "/__admin/reset")
    #expect(await server.send(.post, "/register", ["email": "d@x.org", "password": "lovelace"]).status == .created)
    #expect(await server.send(.get, "/posts", fields: fields).status == .unauthorized)
  }

  @Test func `keeps passwords in the data, where they are found after a change`() async throws {
    let server = try await server()
    let fields = try bearer(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]))
    #expect(await server.send(.patch, "/users/1", ["name": "Ada"], fields: fields).status == .ok)
    #expect(await server.send(.patch, "/users/1", ["password": "byron"], fields: fields).status == .ok)
    #expect(
      await server.value["users"]?[0]
        == ["id": 1, "email": "ada@x.org", "password": "byron", "name": "Ada"])
    #expect(await server.send(.post, "/login", ["email": "ada@x.org", "password": "byron"]).status == .ok)
    let taken = await server.send(.patch, "/users/1", ["email": "bob@x.org"], fields: fields)
    #expect(try taken.json["message"] == "Email already exists")
    #expect(await server.send(.patch, "/users/1", ["email": "ada@x.org"], fields: fields).status == .ok)
  }

  @Test(arguments: [
    ("application/merge-patch+json", #"{"name": "Ada", "nick": null}"#, 200, "lovelace"),
    ("application/merge-patch+json", #"{"password": "byron"}"#, 200, "byron"),
    ("application/merge-patch+json", #"{"password": null}"#, 200, "lovelace"),
    ("application/merge-patch+json", #"{"email": "bob@x.org"}"#, 400, "lovelace"),
    ("application/merge-patch+json", #"{"email": "nobody"}"#, 400, "lovelace"),
    ("application/json-patch+json", #"[{"op": "add", "path": "/password", "value": "byron"}]"#, 200, "byron"),
    ("application/json-patch+json", #"[{"op": "add", "path": "/password", "value": "b"}]"#, 400, "lovelace"),
    ("application/json-patch+json", #"[{"op": "test", "path": "/password", "value": "lovelace"}]"#, 409, "lovelace"),
    ("application/json-patch+json", #"[{"op": "copy", "from": "/password", "path": "/name"}]"#, 409, "lovelace"),
    ("application/json-patch+json", #"[{"op": "move", "from": "/password", "path": "/name"}]"#, 409, "lovelace"),
  ])
  func `lets patches change users, and find no password`(
    type: String, body: String, status: Int, password: JSONValue
  ) async throws {
    let server = try await server()
    var fields = try bearer(await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"]))
    fields[.host] = "localhost"
    fields[.contentType] = type
    for (target, expected) in [("/users/2", 403), ("/users/1", status)] {
      let request = Request(method: .patch, target: target, headerFields: fields, body: Array(body.utf8))
      let response = await server.respond(to: request)
      #expect(response.status.code == expected, "\(response.text)")
      #expect(!response.text.contains("lovelace"))
    }
    #expect(await server.value["users"]?[0]?["password"] == password)
    #expect(try await server.send(.get, "/users/1", fields: fields).json["password"] == nil)
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

  /// What would let a user write what is another's, by a second spelling of the same thing.
  @Test(arguments: [
    #"[{"id": 1.0, "userId": 2}]"#, #"[{"id": 1e0, "userId": 2}]"#, #"[{"id": "1", "userId": 2}]"#,
    #"{"userId": 2, "userId": 1}"#, #"{"\u0075serId": 1}"#, #"{"userId": [2]}"#, #"{"userId": null}"#,
  ])
  func `is not evaded by another spelling`(body: String) async throws {
    let server = try await server { $0.guards = ["posts": Guard("640") ?? .ownOnly] }
    var fields = try bearer(await server.send(.post, "/login", ["email": "bob@x.org", "password": "4711"]))
    fields[.host] = "localhost"
    fields[.contentType] = "application/json"
    let before = await server.value
    let request = Request(method: .post, target: "/posts", headerFields: fields, body: Array(body.utf8))
    #expect(await server.respond(to: request).status == .forbidden)
    #expect(await server.value == before)
  }

  @Test(arguments: [
    "/Posts", "//posts", "/posts/", "/%70osts", "/posts?x", "/posts/1", "/posts/1/", "/640/posts", "/640//posts/1",
    "/640/%70osts", "//640/posts/1", "/users/1/posts", "/posts/1/users", "/db", "/DB", "/users", "/USERS/1",
  ])
  func `is needed for every spelling of a path`(target: String) async throws {
    let server = try await server()
    for method in [HTTPRequest.Method.get, .head] {
      let response = await server.send(method, target)
      #expect(response.status == .unauthorized)
      #expect(response.headerFields[.wwwAuthenticate] == "Bearer")
    }
    let override = try #require(HTTPField.Name("X-HTTP-Method-Override"))
    #expect(await server.send(.post, target, fields: [override: "GET"]).status == .unauthorized)
  }

  @Test func `follows json-server-auth's short form in a routes file`() async throws {
    var configuration = Server.Configuration(source: .value(Self.data))
    configuration.signIn = Server.SignIn()
    configuration.routes = JSONObject([("users", 600), ("posts", "644"), ("/p/:id", "/posts/:id")])
    let server = try await Server.load(configuration)
    #expect(await server.send(.get, "/posts").status == .ok)
    #expect(await server.send(.get, "/posts/1").status == .ok)
    #expect(await server.send(.get, "/p/1").status == .ok)
    #expect(await server.send(.patch, "/posts/1", ["title": "x"]).status == .unauthorized)
    #expect(await server.send(.get, "/users/1").status == .unauthorized)
    #expect(await server.send(.post, "/users", ["email": "c@x.org", "password": "lovelace"]).status == .created)
  }

  @Test(arguments: [
    (Server.SignIn(users: "people"), "--auth"), (Server.SignIn(users: "profile"), "--auth"),
    (Server.SignIn(guards: ["pots": .signedIn]), "--guard"), (Server.SignIn(tokenLifetime: .zero), "--token-lifetime"),
  ])
  func `is refused at start, by the option's name, when the data has no place for it`(
    signIn: Server.SignIn, option: String
  ) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(#"{"users": [], "profile": {}}"#, to: "db.json")
    var configuration = Server.Configuration(source: .file(directory.path("db.json")))
    configuration.signIn = signIn
    let error = await #expect(throws: ServerError.self) { try await Server.load(configuration) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.hasPrefix(option) == true)
    // The file is not locked any more.
    configuration.signIn = Server.SignIn()
    try await Server.load(configuration).stop()
  }
}
