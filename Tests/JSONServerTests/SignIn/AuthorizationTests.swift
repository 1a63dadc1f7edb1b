import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage
import Testing

@testable import JSONServer

/// Who may do what, whichever way a request takes.
@Suite(.timeLimit(.minutes(1))) struct AuthorizationTests {
  private static let data: JSONValue = [
    "users": [
      ["id": 1, "email": "ada@x.org", "password": "lovelace"], ["id": 2, "email": "bob@x.org", "password": "hopper"],
    ],
    "posts": [["id": 1, "userId": 1], ["id": 2, "userId": 2]],
    "comments": [["id": 1, "postId": 1, "userId": 2], ["id": 2, "postId": 2, "userId": 2]],
  ]

  private static func server(
    _ data: JSONValue = data, guards: [String: String] = [:], _ adjust: (inout Server.Configuration) -> Void = { _ in }
  ) async throws -> Server {
    try await AdminFixture.server(data) { configuration in
      configuration.signIn = Server.SignIn(guards: guards.compactMapValues(Guard.init))
      adjust(&configuration)
    }
  }

  private static func ada(_ server: Server) async throws -> HTTPFields {
    let response = await server.send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"])
    return [.authorization: "Bearer \(try #require(try response.json["accessToken"]?.string))"]
  }

  private static func held(_ server: Server) async throws {
    _ = try #require(await server.exchange(timeout: .seconds(60)) { $0.state == .received })
  }

  // MARK: Tokens

  @Test(arguments: [("/refresh", HTTPResponse.Status.ok), ("/logout", .noContent)])
  func `What voids a token waits for no commit, after which it would begin again`(
    path: String, status: HTTPResponse.Status
  ) async throws {
    let gate = CommitGate()
    let fixture = try EngineFixture(
      Self.data, commits: [.failed(StorageError(.noSpace, "The disk is full."))], gate: gate,
      configure: { $0.signIn = Server.SignIn() })
    func request(_ path: String, _ body: JSONValue) -> Request {
      Request(
        method: .post, target: path, headerFields: [.host: "localhost", .contentType: "application/json"],
        body: body.utf8Text())
    }
    let (answers, answer) = AsyncStream.makeStream(of: Response.self)
    let user: JSONValue = ["email": "eve@x.org", "password": "secret"]
    let login = request("/login", ["email": "ada@x.org", "password": "lovelace"])
    let engine = fixture.engine
    engine.loop.execute { engine.respond(to: login, progress: { _ in }) { answer.yield($0.response) } }
    var arrived = answers.makeAsyncIterator()
    let tokens = try #require(await arrived.next()).json
    let requests = [request("/users", user), request(path, ["refreshToken": tokens["refreshToken"] ?? .null])]
    engine.loop.execute {
      engine.respond(to: requests[0], progress: { _ in }) { answer.yield($0.response) }
      engine.loop.execute {
        engine.respond(to: requests[1], progress: { _ in }) {
          answer.yield($0.response)
          gate.open()
        }
      }
    }
    #expect(await arrived.next()?.status == status)
    #expect(await arrived.next()?.status.code == 507)
  }

  @Test func `A user keeps the tokens until the deletion is saved`() async throws {
    let full = CommitResult.failed(StorageError(.noSpace, "The disk is full."))
    let edit = try EngineFixture.source(Self.data, generation: 1)
    let fixture = try EngineFixture(
      Self.data, commits: [full, full, .moved(to: edit)], configure: { $0.signIn = Server.SignIn() })
    let ada = try await Self.ada(fixture)
    let selection: JSONValue = ["resource": "users", "ids": [1]]
    #expect(await Self.send(.delete, "/users/1", fields: ada, to: fixture).status.code == 507)
    #expect(await Self.send(.post, "/__admin/deletions", selection, to: fixture).status.code == 507)
    #expect(await Self.send(.get, "/posts", fields: ada, to: fixture).status == .ok)
    // The deletion is carried out again, on the edited data.
    #expect(await Self.send(.delete, "/users/1", fields: ada, to: fixture).status == .ok)
    #expect(await Self.send(.get, "/posts", fields: ada, to: fixture).status == .unauthorized)
  }

  @Test func `A user whom an edit removes leaves no tokens to the next user with the same id`() async throws {
    let fixture = try EngineFixture(Self.data, configure: { $0.signIn = Server.SignIn() })
    let ada = try await Self.ada(fixture)
    try await fixture.edit(["users": [["id": 0, "email": "bob@x.org"]], "posts": []], generation: 1)
    let eve: JSONValue = ["email": "eve@x.org", "password": "secret"]
    #expect(try await Self.send(.post, "/register", eve, to: fixture).json["user"]?["id"] == 1)
    #expect(await Self.send(.get, "/posts", fields: ada, to: fixture).status == .unauthorized)
  }

  /// - Parameter replacement: The request that brings a former user back; `nil` for an edit.
  @Test(arguments: ["/__admin/snapshots/s", "/__admin/reset", "/reset", "/merge", nil])
  func `Data that gives an id to another user leaves no token to the last one`(replacement: String?) async throws {
    let fixture = try EngineFixture(
      Self.data,
      configure: {
        $0.signIn = Server.SignIn(guards: ["users": .signedIn])
        $0.hasResetRoutes = true
      })
    #expect(await Self.send(.post, "/__admin/snapshots", ["name": "s"], to: fixture).status == .created)
    let ada = try await Self.ada(fixture)
    #expect(await Self.send(.delete, "/users/2", fields: ada, to: fixture).status == .ok)
    let eve: JSONValue = ["email": "eve@x.org", "password": "secret"]
    let tokens = try await Self.send(.post, "/register", eve, to: fixture).json
    #expect(tokens["user"]?["id"] == 2)
    if let replacement {
      #expect(await Self.send(.post, replacement, Self.data, fields: ada, to: fixture).status == .ok)
    } else {
      try await fixture.edit(Self.data, generation: 1)
    }
    let fields: HTTPFields = [.authorization: "Bearer \(try #require(tokens["accessToken"]?.string))"]
    #expect(await Self.send(.get, "/users/2", fields: fields, to: fixture).status == .unauthorized)
    let refresh: JSONValue = ["refreshToken": tokens["refreshToken"] ?? .null]
    #expect(await Self.send(.post, "/refresh", refresh, to: fixture).status == .unauthorized)
    #expect(await Self.send(.get, "/users/1", fields: ada, to: fixture).status == .ok)
  }

  @Test func `Tokens that an edit has voided stay void after a write that fails`() async throws {
    let full = CommitResult.failed(StorageError(.noSpace, "The disk is full."))
    let fixture = try EngineFixture(Self.data, commits: [full], configure: { $0.signIn = Server.SignIn() })
    let ada = try await Self.ada(fixture)
    try await fixture.edit(["users": [["id": 1, "email": "bob@x.org"]], "posts": []], generation: 1)
    #expect(await Self.send(.get, "/posts", fields: ada, to: fixture).status == .unauthorized)
    let eve: JSONValue = ["email": "eve@x.org", "password": "secret"]
    #expect(await Self.send(.post, "/register", eve, to: fixture).status.code == 507)
    #expect(await Self.send(.get, "/posts", fields: ada, to: fixture).status == .unauthorized)
  }

  @Test func `A user who changes the own address keeps the tokens`() async throws {
    let fixture = try EngineFixture(Self.data, configure: { $0.signIn = Server.SignIn() })
    let ada = try await Self.ada(fixture)
    #expect(await Self.send(.patch, "/users/1", ["email": "a@x.org"], fields: ada, to: fixture).status == .ok)
    #expect(await Self.send(.post, "/posts", [["id": 9], ["id": 1]], fields: ada, to: fixture).status == .created)
    #expect(await Self.send(.get, "/users/1", fields: ada, to: fixture).status == .ok)
    var edited = await fixture.value.object ?? JSONObject()
    edited["posts"] = []
    try await fixture.edit(.object(edited), generation: 1)
    #expect(await Self.send(.get, "/users/1", fields: ada, to: fixture).status == .ok)
  }

  private static func ada(_ fixture: EngineFixture) async throws -> HTTPFields {
    let response = await send(.post, "/login", ["email": "ada@x.org", "password": "lovelace"], to: fixture)
    return [.authorization: "Bearer \(try #require(try response.json["accessToken"]?.string))"]
  }

  private static func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, fields: HTTPFields = [:],
    to fixture: EngineFixture
  ) async -> Response {
    var fields = fields
    fields[.host] = "localhost"
    fields[.contentType] = "application/json"
    return await fixture.send(
      Request(method: method, target: path, headerFields: fields, body: body?.utf8Text() ?? []))
  }

  // MARK: Later

  @Test func `A record that is another's by the time of a deletion stays`() async throws {
    let server = try await Self.server(guards: ["posts": "600"])
    let ada = try await Self.ada(server)
    let hold = try await server.hold(RequestPattern(.delete))
    async let response = server.send(.delete, "/posts/3", fields: ada)
    try await Self.held(server)
    await server.send(.post, "/posts", ["id": 3, "userId": 2], fields: [.page: "1"])
    await server.releaseHold(hold)
    #expect(await response.status == .forbidden)
    #expect(await server.value["posts"]?.array?.count == 3)
  }

  @Test(arguments: [HTTPRequest.Method.get, .delete])
  func `A token that expires meanwhile is of no use`(method: HTTPRequest.Method) async throws {
    let server = try await Self.server()
    let ada = try await Self.ada(server)
    let hold = try await server.hold(RequestPattern(method))
    async let response = server.send(method, "/posts/1", fields: ada)
    try await Self.held(server)
    await server.expireTokens()
    await server.releaseHold(hold)
    #expect(await response.status == .unauthorized)
    #expect(await server.value == Self.data)
  }

  @Test func `What was seen with one token may be changed with the next`() async throws {
    let text = JSONValue.string(String(repeating: "x", count: 1_500_000))
    var data = Self.data.object ?? JSONObject()
    data["posts"] = [["id": 1, "userId": 1, "text": text]]
    let server = try await Self.server(.object(data))
    let seen = await server.send(.get, "/posts/1", fields: try await Self.ada(server))
    var fields = try await Self.ada(server)
    fields[.ifMatch] = try #require(seen.headerFields[.eTag] as String?)
    #expect(await server.send(.patch, "/posts/1", ["more": true], fields: fields).status == .ok)
    #expect(await server.send(.patch, "/posts/1", ["more": false], fields: fields).status == .preconditionFailed)
  }

  // MARK: Guards

  @Test func `A guard in the routes file opens nothing that is called alike`() async throws {
    let server = try await Self.server(["users": [], "posts": [], "posts-archive": []]) {
      $0.routes = JSONObject([("posts", 666)])
    }
    #expect(await server.send(.get, "/posts").status == .ok)
    #expect(await server.send(.get, "/posts-archive").status == .unauthorized)
  }

  @Test func `A guard of an unknown resource in the routes is refused`() async throws {
    let routes = JSONObject([("Posts", 600), ("psots", 600)])
    let error = await #expect(throws: ServerError.self) { try await Self.server { $0.routes = routes } }
    #expect(error?.message.contains("did you mean 'posts'?") == true)
    let server = try await Self.server()
    await #expect(throws: ServerError.self) { try await server.setRoutes(routes) }
    try await server.setRoutes(JSONObject([("Posts", 600)]))
  }

  @Test func `The routes of json-server-reset need access to everything`() async throws {
    let server = try await Self.server { $0.hasResetRoutes = true }
    let ada = try await Self.ada(server)
    for target in ["/reset", "/merge", "//reset"] {
      #expect(await server.send(.post, target, ["users": []]).status == .unauthorized)
      #expect(await server.send(.post, target, ["users": []], fields: ada).status == .forbidden)
    }
    #expect(await server.value == Self.data)
    let open = try await Self.server(guards: ["users": "660"]) { $0.hasResetRoutes = true }
    #expect(await open.send(.post, "/reset", Self.data).status == .unauthorized)
    #expect(await open.send(.post, "/reset", Self.data, fields: try await Self.ada(open)).status == .ok)
  }

  @Test(arguments: [
    ("444", 403), ("640", 403), ("600", 403), ("660", 200), ("666", 200),
  ])
  func `A deletion needs write access to what depends on the record`(digits: String, status: Int) async throws {
    for dialect in Server.Configuration.Dialect.allCases {
      let server = try await Self.server(guards: ["comments": digits, "posts": "660"]) { $0.dialect = dialect }
      let ada = try await Self.ada(server)
      let before = await server.value
      let response = await server.send(.delete, "/posts/1", fields: ada)
      #expect(response.status.code == status)
      if status == 403 {
        #expect(response.text.contains("comments"))
        #expect(await server.value == before)
      }
    }
  }

  @Test func `Whoever owns what depends on a record may delete both`() async throws {
    let data: JSONValue = [
      "users": Self.data["users"] ?? .null, "posts": [["id": 1, "userId": 1]],
      "comments": [["id": 1, "postId": 1, "userId": 1]],
    ]
    let server = try await Self.server(data, guards: ["comments": "600"])
    #expect(await server.send(.delete, "/posts/1", fields: try await Self.ada(server)).status == .ok)
    #expect(await server.value["comments"] == [])
  }

  @Test func `A large deletion that is refused leaves what is known about the data`() async throws {
    let posts = (1...3_000).map { id in
      JSONValue.object(
        JSONObject([("id", .number(JSONNumber(id))), ("level", .string(id < 2_000 ? "debug" : "info"))]))
    }
    var data = Self.data.object ?? JSONObject()
    data["posts"] = .array(posts)
    let server = try await Self.server(.object(data), guards: ["comments": "600"])
    let ada = try await Self.ada(server)
    #expect(await server.send(.get, "/posts?level=debug&_limit=1", fields: ada).status == .ok)
    #expect(await server.engine.knowsLevels)
    #expect(await server.send(.delete, "/posts?level=debug", fields: ada).status == .forbidden)
    #expect(await server.engine.knowsLevels)
    #expect(await server.value == .object(data))
  }

  // MARK: Owners

  @Test(arguments: [
    ("600", "PATCH", "level=a", #"{"more": true}"#, 200, [1]), ("640", "PATCH", "level=a", #"{"more": true}"#, 403, []),
    ("640", "PATCH", "level=b", #"{"more": true}"#, 200, [3]), ("640", "PATCH", "level=b", #"{"userId": 2}"#, 403, []),
    ("600", "PATCH", "level=b", #"[{"op": "add", "path": "/userId", "value": 2}]"#, 403, []),
    ("600", "PATCH", "level=b", #"[{"op": "add", "path": "/more", "value": true}]"#, 200, [3]),
    ("600", "DELETE", "level=a", "", 200, [1]), ("640", "DELETE", "level=a", "", 403, []),
    ("640", "DELETE", "level=b", "", 200, [3]),
  ])
  func `Changes of many are about one's own records`(
    digits: String, method: String, query: String, body: String, status: Int, changed: [Int]
  ) async throws {
    // Many records make it a change that another thread carries out.
    for others in [0, 3_000] {
      let own: [JSONValue] = [
        ["id": 1, "userId": 1, "level": "a"], ["id": 2, "userId": 2, "level": "a"],
        ["id": 3, "userId": 1, "level": "b"],
      ]
      let posts = own + (0..<others).map { ["id": .number(JSONNumber($0 + 10)), "userId": 2, "level": "c"] }
      let users = Self.data["users"] ?? .null
      let server = try await Self.server(
        .object(JSONObject([("users", users), ("posts", .array(posts))])), guards: ["posts": digits])
      var fields = try await Self.ada(server)
      if body.hasPrefix("[") { fields[.contentType] = "application/json-patch+json" }
      let response = await server.send(
        try #require(HTTPRequest.Method(method)), "/posts?" + query,
        body.isEmpty ? nil : try JSONValue(parsing: Array(body.utf8)), fields: fields)
      #expect(response.status.code == status, "\(response.text)")
      let left = await server.value["posts"]?.array ?? []
      let kept = left.filter { $0.object?.names.contains("more") == false }.compactMap { $0["id"]?.int }
      #expect((1...3).filter { !kept.contains($0) } == changed)
    }
  }

  @Test(arguments: [
    (#"{"id": 1, "userId": 1, "userId": 2}"#, true), (#"{"id": 1, "userId": 2, "userId": 1}"#, false),
    (#"{"id": 1, "userId": [1]}"#, false), (#"{"id": 1, "userId": [1, 2]}"#, false),
    (#"{"id": 1, "userId": "1"}"#, true), (#"{"id": 1, "userId": null}"#, false), (#"{"id": 1}"#, false),
  ])
  func `List, record and database agree about the owner`(record: String, isOwn: Bool) async throws {
    let text = #"{"users": \#(Self.data["users"]?.text() ?? ""), "posts": [\#(record)]}"#
    let server = try await Self.server(["users": []], guards: ["posts": "600"]) {
      $0.source = .text(Array(text.utf8), name: "data")
    }
    let ada = try await Self.ada(server)
    #expect(await server.send(.get, "/posts/1", fields: ada).status == (isOwn ? .ok : .forbidden))
    #expect(try await server.send(.get, "/posts", fields: ada).json.array?.count == (isOwn ? 1 : 0))
    #expect(try await server.send(.get, "/db", fields: ada).json["posts"]?.array?.count == (isOwn ? 1 : 0))
  }

  @Test(arguments: [
    ("_embed=secrets", 200), ("_expand=secret", 403), ("_embed=secret", 403), ("_embed=secrets&_expand=secret", 403),
    ("_embed=notes", 403),
  ])
  func `A user reads only own records inside the own one`(query: String, status: Int) async throws {
    let data: JSONValue = [
      "users": [["id": 1, "email": "ada@x.org", "password": "lovelace", "secretId": 2]],
      "secrets": [["id": 1, "userId": 1], ["id": 2, "userId": 2]],
      // A list of ids names no owner.
      "notes": [["id": 1, "userIds": [1]]],
    ]
    let server = try await Self.server(data, guards: ["secrets": "600", "notes": "600"])
    let response = await server.send(.get, "/users/1?" + query, fields: try await Self.ada(server))
    #expect(response.status.code == status, "\(response.text)")
  }

  @Test(arguments: [
    ("/posts/1/tags", 401, 200), ("/posts/2/tags", 401, 403), ("/posts/3/tags", 401, 200), ("/tags", 200, 200),
    ("/posts/2/comments", 200, 200), ("/posts/1/tagIds", 401, 200), ("/posts/2/tagIds", 401, 403),
    ("/posts/3/tagIds", 401, 404),
  ])
  func `A list of ids is as private as its record`(path: String, anonymous: Int, ada: Int) async throws {
    var data = Self.data.object ?? JSONObject()
    data["posts"] = [["id": 1, "userId": 1, "tagIds": [1]], ["id": 2, "userId": 2, "tagIds": [1, 2]]]
    data["tags"] = [["id": 1], ["id": 2]]
    let server = try await Self.server(.object(data), guards: ["posts": "600", "tags": "666", "comments": "666"])
    #expect(await server.send(.get, path).status.code == anonymous)
    #expect(await server.send(.get, path, fields: try await Self.ada(server)).status.code == ada)
  }

  // MARK: Addresses and fields

  @Test(
    arguments: [
      (nil, nil, 200), ("http://localhost", nil, 200), ("http://localhost", "same-origin", 200), (nil, "none", 200),
      ("http://localhost:5173", nil, 403), ("null", nil, 403), (nil, "same-site", 403), (nil, "cross-site", 403),
      ("http://localhost", "cross-site", 403),
    ] as [(String?, String?, Int)])
  func `Only the server's own page is its page`(origin: String?, site: String?, status: Int) async throws {
    let server = try await Self.server()
    var fields: HTTPFields = [.page: "1"]
    fields[.origin] = origin
    fields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
    #expect(await server.send(.get, "/users", fields: fields).status.code == status)
    #expect(await server.send(.patch, "/posts/1", ["title": "x"], fields: fields).status.code == status)
  }
}

extension Engine {
  /// Whether it is known which posts have a level.
  fileprivate var knowsLevels: Bool {
    var query = Query()
    query.criteria.parameters = [FilterParameter("level", ["debug"])]
    var version = writes.database
    return version.attempt(within: Patience(isShort: true)) { _ = try? $0.list("posts", query) } != nil
  }
}
