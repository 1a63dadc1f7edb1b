import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

/// No response of any route shows a password, whoever asks.
struct SecrecyTests {
  private static let passwords = ["Tr0ub4dor", "c0rrect-horse"]
  private static let data: JSONValue = [
    "users": [
      ["id": 1, "email": "ada@x.org", "password": "Tr0ub4dor", "name": "Ada"],
      [
        "id": 2, "email": "bob@x.org", "pass\u{77}ord": "c0rrect-horse", "name": "Bob",
        "address": ["password": "c0rrect-horse", "keys": [["password": "c0rrect-horse"], ["city": "x"]]],
      ],
    ],
    "posts": [["id": 1, "title": "a", "userId": 1], ["id": 2, "title": "b", "userId": 2]],
  ]

  private static func server(_ adjust: (inout Server.Configuration) -> Void = { _ in }) async throws -> Server {
    try await AdminFixture.server(data) { configuration in
      configuration.signIn = Server.SignIn()
      adjust(&configuration)
    }
  }

  private static func token(_ server: Server, _ user: Int) async throws -> String {
    let email = ["ada@x.org", "bob@x.org"][user]
    let response = await server.send(.post, "/login", ["email": .string(email), "password": .string(passwords[user])])
    return try #require(try response.json["accessToken"]?.string)
  }

  private static func people(_ server: Server) async throws -> [HTTPFields] {
    [
      [:], [.authorization: "Bearer \(try await token(server, 0))"],
      [.authorization: "Bearer \(try await token(server, 1))"], [.page: "1"],
    ]
  }

  private static let targets = [
    "/users", "/users/1", "/users/2", "/users?_page=1&_limit=1", "/users?_page=1&_per_page=1", "/users?_embed=posts",
    "/posts?_expand=user", "/posts?_embed=user", "/posts/1?_expand=user", "/posts/2?_embed=user", "/db",
    "/users/1/posts",
    "/666/users", "/666/users/1", "/444/users?q=Ada", "/666/users?callback=f", "/666/posts?_expand=user",
    "/__admin/openapi.json", "/__admin/requests", "/__admin/resources", "/__admin/health", "/__admin/settings",
    "/__admin/snapshots", "/__admin/faults", "/__rules", "/", "/__admin",
  ]

  private static func expectNoPassword(_ response: Response, _ label: String) {
    let text = response.text + String(describing: response.headerFields)
    for password in passwords { #expect(!text.contains(password), "\(label): \(response.text.prefix(300))") }
  }

  @Test(arguments: [Server.Configuration.Dialect.classic, .v1])
  func `No read shows one`(_ dialect: Server.Configuration.Dialect) async throws {
    let server = try await Self.server { $0.dialect = dialect }
    for fields in try await Self.people(server) {
      for target in Self.targets {
        for method in [HTTPRequest.Method.get, .head, .options] {
          Self.expectNoPassword(await server.send(method, target, fields: fields), "\(method) \(target)")
        }
      }
    }
  }

  @Test(arguments: [Server.Configuration.Dialect.classic, .v1])
  func `No write shows one`(_ dialect: Server.Configuration.Dialect) async throws {
    let user: JSONValue = ["email": "cyd@x.org", "password": "Tr0ub4dor"]
    let writes: [(HTTPRequest.Method, String, JSONValue?)] = [
      (.post, "/users", user), (.post, "/register", ["email": "eve@x.org", "password": "Tr0ub4dor"]),
      (.post, "/users", .array([user])), (.patch, "/users/1", ["name": "x"]),
      (.patch, "/users/1", ["password": "Tr0ub4dor"]), (.post, "/users/1", ["name": "x"]),
      (.put, "/users/2", ["email": "bob@x.org", "password": "c0rrect-horse"]), (.post, "/posts/1/users", user),
      (.post, "/login", ["email": "ada@x.org", "password": "Tr0ub4dor"]), (.post, "/refresh", user),
      (.post, "/logout", user),
      (.patch, "/db", user), (.delete, "/users", user), (.patch, "/posts/1", ["title": "x"]),
      (.delete, "/users/1", nil),
      (.delete, "/users/2", nil),
    ]
    for index in 0..<4 {
      let server = try await Self.server { $0.dialect = dialect }
      let fields = try await Self.people(server)[index]
      for (method, target, body) in writes {
        Self.expectNoPassword(await server.send(method, target, body, fields: fields), "\(method) \(target)")
        let etag: HTTPFields = [.ifMatch: "\"x\""]
        var conditional = fields
        conditional.append(contentsOf: etag)
        Self.expectNoPassword(await server.send(method, target, body, fields: conditional), "\(method) \(target)")
      }
      Self.expectNoPassword(await server.send(.get, "/__admin/requests"), "journal")
    }
  }

  @Test(arguments: [
    ("password=Tr0ub4dor", "password=nothing"), ("password_like=^T", "password_like=^x"),
    ("password_ne=Tr0ub4dor", "password_ne=nothing"), ("password_gte=a", "password_gte=A"),
    ("password:contains=ub4", "password:contains=xyz"), ("password_in=Tr0ub4dor", "password_in=x"),
    ("_sort=password", "_sort=nothing"), ("_sort=-password", "_sort=-nothing"), ("q=Tr0ub4dor", "q=nothing-at-all"),
    (#"_where={"password":{"eq":"Tr0ub4dor"}}"#, #"_where={"password":{"eq":"x"}}"#),
    (#"_where={"or":[{"password":{"contains":"T"}}]}"#, #"_where={"or":[{"password":{"contains":"~"}}]}"#),
    ("address.password_like=^c", "address.password_like=^x"), ("_sort=address.password", "_sort=address.nothing"),
    ("password.0=T", "password.0=x"), ("password[0]=T", "password[0]=x"), ("password[gte]=a", "password[gte]=A"),
    ("user.password_like=^T", "user.password_like=^x"), ("user[password][ne]=Tr0ub4dor", "user[password][ne]=x"),
    ("_sort=user.password", "_sort=user.nothing"), ("user.password_exists=true", "user.nothing_exists=true"),
    (#"_where={"user":{"password":{"contains":"T"}}}"#, #"_where={"user":{"password":{"contains":"~"}}}"#),
  ])
  func `No filter, order or search tells one`(right: String, wrong: String) async throws {
    for dialect in Server.Configuration.Dialect.allCases {
      let server = try await Self.server {
        $0.dialect = dialect
        $0.signIn?.guards["users"] = Guard("666")
      }
      for target in ["/users?", "/666/posts?_expand=user&"] {
        var answers: Set<[String?]> = []
        for query in [right, wrong] {
          let encoded = PercentEncoding.encodeSegment(query).replacing("%3D", with: "=")
          let response = await server.send(.get, target + encoded)
          answers.insert([response.text, response.headerFields[.xTotalCount], "\(response.status)"])
        }
        #expect(answers.count == 1)
      }
      // What was searched for in everything is not known to be a password.
      if !right.hasPrefix("q=") { Self.expectNoPassword(await server.send(.get, "/__admin/requests"), "journal") }
    }
  }

  @Test(arguments: [
    ("application/json", #"{"pass\u0077ord": "Tr0ub4dor"}"#),
    ("application/json", #"{"users": [{"deep": {"newPassword": "Tr0ub4dor"}}]}"#),
    ("application/json-patch+json", #"[{"op": "replace", "path": "/password", "value": "Tr0ub4dor"}]"#),
    ("application/x-www-form-urlencoded", "email=a%40x.org&pass%77ord=Tr0ub4dor"),
    ("text/csv", "email,password\na@x.org,Tr0ub4dor\n"),
    (
      "multipart/form-data; boundary=b",
      "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nTr0ub4dor\r\n--b--"
    ),
    ("text/plain", #"{"password": "Tr0ub4dor""#),
    // A mistake in typing, with the type that curl sends.
    ("application/x-www-form-urlencoded", #"{"email":"a@x.org","password":"Tr0ub4dor""#),
    ("application/x-www-form-urlencoded", #"{"email":"a@x.org","password":"a=Tr0ub4dor""#),
    ("application/x-www-form-urlencoded", #""password":"a&b=Tr0ub4dor""#),
    ("application/x-www-form-urlencoded", "100%&password%zz=Tr0ub4dor"),
    ("application/x-www-form-urlencoded", "password+%zz=Tr0ub4dor"),
    ("application/x-www-form-urlencoded", "user%5Bpassword%5D=Tr0ub4dor"),
    ("application/x-www-form-urlencoded", "password%00:Tr0ub4dor"),
  ])
  func `The journal has no password that a client sent`(type: String, body: String) async throws {
    let server = try await Self.server()
    for target in ["/register", "/login", "/users", "/posts", "/nothing?password=Tr0ub4dor"] {
      Self.expectNoPassword(await server.send(.post, target, fields: [.contentType: type], bytes: body.utf8), target)
    }
    Self.expectNoPassword(await server.send(.get, "/__admin/requests"), "journal")
    // Swift code gets what was sent.
    #expect(await server.journal.map(\.request.bytes) == Array(repeating: Array(body.utf8), count: 5))
  }

  @Test func `No event shows one`() async throws {
    let server = try await Self.server()
    let fields = try await Self.people(server)[1]
    guard case .stream(let stream, _) = await server.send(.get, "/__admin/events").content else {
      Issue.record("no stream")
      return
    }
    await server.send(.post, "/register", ["email": "cyd@x.org", "password": "Tr0ub4dor"])
    await server.send(.patch, "/users/1", ["password": "c0rrect-horse"], fields: fields)
    await server.send(.delete, "/users/1", fields: fields)
    var text = ""
    for await piece in stream {
      text += String(decoding: piece, as: UTF8.self)
      if text.contains("DELETE") { break }
    }
    #expect(text.contains("created") && text.contains("updated") && text.contains("deleted"))
    for password in Self.passwords { #expect(!text.contains(password)) }
  }
}
