import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

/// Changes of many records that would be about other records than were meant.
@Suite struct `Changes of many records` {
  private static let data: JSONValue = [
    "posts": [
      ["id": 1, "title": "A", "views": 5, "author": ["name": "ada"]],
      ["id": 2, "title": "B", "views": 9, "author": ["name": "bob"]], ["id": 3, "title": "", "views": 1],
    ]
  ]

  private static func server(v1: Bool = false, wrap: String? = nil, isStrict: Bool = false) async throws -> Server {
    var configuration = Server.Configuration(source: .value(data))
    configuration.dialect = v1 ? .v1 : .classic
    configuration.wrapName = wrap
    configuration.isStrict = isStrict
    return try await Server.load(configuration)
  }

  private static func send(
    _ method: HTTPRequest.Method, _ target: String, type: String = "application/json", body: String = "",
    to server: Server
  ) async -> Response {
    await server.respond(
      to: Request(
        method: method, target: target, headerFields: [.host: "localhost", .contentType: type], body: Array(body.utf8)))
  }

  private static func ids(on server: Server) async throws -> [JSONValue?] {
    let list = try JSONValue(parsing: await send(.get, "/posts", to: server).bytes)
    return (list.array ?? []).map { $0["id"] }
  }

  private static func tree(_ json: String) -> String {
    json.utf8.map { byte in
      let scalar = Character(Unicode.Scalar(byte))
      return scalar.isLetter || scalar.isNumber ? String(scalar) : "%" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  @Test(arguments: [
    "titel_exists=false", "titel_ne=zzz", "titel_like=x", "author.nam_ne=x", "title_like=", "title_like=.*",
    "title_like=%5E", "title_contains=", "title_startsWith=", "views_gte=", "views_lt=null", "id_ne=",
    "id_ne=undefined", "id_ne=NaN", "title=A&views_gte=", "title=A&q=", "title=A&_where=", "title=A&_where=%7B%7D",
    "q=A&q=B",
    "_all=true&title_like=", "title=A&_fields=", "title=A&_fields=,", "title=A&_fields=titel",
  ])
  func `A filter that says nothing refuses the change`(_ query: String) async throws {
    let server = try await Self.server()
    for (method, body) in [(HTTPRequest.Method.delete, ""), (.patch, #"{"views":0}"#)] {
      let response = await Self.send(method, "/posts?" + query, body: body, to: server)
      #expect(response.status == .badRequest)
      let message = String(decoding: response.bytes, as: UTF8.self)
      #expect(query.split(separator: "&").contains { message.contains("'\($0.prefix { $0 != "=" })'") })
    }
    #expect(try JSONValue(parsing: await Self.send(.get, "/db", to: server).bytes) == Self.data)
  }

  @Test(arguments: [
    #"{"nope":{"exists":false}}"#, #"{"nope":{"eq":1}}"#, #"{"title":{"contains":""}}"#, #"{"title":{"ne":""}}"#,
    #"{"or":[{"title":{"eq":"A"}},{"title":{"like":""}}]}"#, #"{"and":[{"id":{"gt":null}}]}"#,
  ])
  func `A tree of conditions with one that says nothing refuses the change`(_ tree: String) async throws {
    for isNew in [false, true] where !(isNew && tree.contains("like")) {
      let server = try await Self.server(v1: isNew)
      let response = await Self.send(.delete, "/posts?_where=" + Self.tree(tree), to: server)
      #expect(response.status == .badRequest)
      #expect(String(decoding: response.bytes, as: UTF8.self).contains("'_where'"))
      #expect(try await Self.ids(on: server) == (isNew ? ["1", "2", "3"] : [1, 2, 3]))
    }
  }

  @Test(arguments: [
    ("title=", [1, 2]), ("title_ne=A", [1]), ("title_like=%5EB$", [1, 3]), ("author.name_exists=false", [1, 2]),
    ("views_gte=5&views_lt=9", [2, 3]), ("title_ne=null", []), ("id=9", [1, 2, 3]),
    ("_where=" + tree(#"{"title":{"eq":""}}"#), [1, 2]),
  ])
  func `A filter that says something is carried out`(_ query: String, _ left: [JSONValue?]) async throws {
    let server = try await Self.server()
    #expect(await Self.send(.delete, "/posts?" + query, to: server).status == .ok)
    #expect(try await Self.ids(on: server) == left)
  }

  @Test func `Under 1.0 a filter beside a tree refuses the change`() async throws {
    let server = try await Self.server(v1: true)
    let target = "/posts?id=1&_where=" + Self.tree(#"{"title":{"eq":"B"}}"#)
    #expect(await Self.send(.delete, target, to: server).status == .badRequest)
    #expect(await Self.send(.patch, target, body: #"{"views":0}"#, to: server).status == .badRequest)
    let list = try JSONValue(parsing: await Self.send(.get, "/posts", to: server).bytes).array ?? []
    #expect(list.map { $0["id"] } == ["1", "2", "3"])
    #expect(list.map { $0["views"] } == [5, 9, 1])
  }

  @Test func `Under 1.0 each of repeated values counts for a change`() async throws {
    let server = try await Self.server(v1: true)
    #expect(await Self.send(.delete, "/posts?views:gt=1&views:gt=8", to: server).status == .badRequest)
    #expect(await Self.send(.delete, "/posts?titel=1", to: server).status == .badRequest)
    #expect(await Self.send(.delete, "/posts?id=1&id=2", to: server).status == .ok)
    #expect(try await Self.ids(on: server) == ["3"])
  }

  @Test func `No patch changes the ids of several records`() async throws {
    let server = try await Self.server()
    let merge = "application/merge-patch+json"
    let operations = "application/json-patch+json"
    for (type, body) in [
      (merge, #"{"id":4,"title":"x"}"#), (merge, #"{"id":null}"#),
      (operations, #"[{"op":"replace","path":"/id","value":4}]"#), (operations, #"[{"op":"remove","path":"/id"}]"#),
      (operations, #"[{"op":"move","from":"/id","path":"/old"}]"#),
      (operations, #"[{"op":"replace","path":"","value":{"id":4}}]"#),
    ] {
      let response = await Self.send(.patch, "/posts?views_gte=2", type: type, body: body, to: server)
      #expect(response.status == .badRequest)
    }
    #expect(try JSONValue(parsing: await Self.send(.get, "/db", to: server).bytes) == Self.data)
    let copy = #"[{"op":"test","path":"/id","value":1},{"op":"copy","from":"/id","path":"/old"}]"#
    #expect(await Self.send(.patch, "/posts?id=1", type: operations, body: copy, to: server).status == .ok)
  }

  // MARK: Fields

  @Test func `Fields that lead nowhere are named by writes, and refused before strict ones`() async throws {
    let ignored = try #require(HTTPField.Name("X-Ignored-Parameters"))
    let server = try await Self.server()
    let new = await Self.send(.post, "/posts?_fields=nope", body: "{}", to: server)
    #expect(new.status == .created)
    #expect(new.headerFields[ignored] == "_fields")
    let own = await Self.send(.post, "/posts?_fields=id,fresh.a", body: #"{"fresh":{"a":1}}"#, to: server)
    #expect(own.headerFields[ignored] == nil)
    #expect(await Self.send(.get, "/posts?_fields=,", to: server).headerFields[ignored] == "_fields")
    #expect(await Self.send(.get, "/posts?_fields=&_fields=id", to: server).headerFields[ignored] == nil)

    let strict = try await Self.server(isStrict: true)
    #expect(await Self.send(.post, "/posts?_fields=nope", body: "{}", to: strict).status == .badRequest)
    #expect(await Self.send(.delete, "/posts/1?_fields=nope", to: strict).status == .badRequest)
    #expect(await Self.send(.delete, "/posts?_all=true&_fields=nope", to: strict).status == .badRequest)
    #expect(try JSONValue(parsing: await Self.send(.get, "/db", to: strict).bytes) == Self.data)
    let patch = #"[{"op":"add","path":"/fresh","value":1}]"#
    let patched = await Self.send(
      .patch, "/posts/1?_fields=fresh", type: "application/json-patch+json", body: patch, to: strict)
    #expect(patched.status == .ok)
  }

  // MARK: Wrapped bodies

  @Test(arguments: [
    ("application/json", #"{"data":{"title":"N"}}"#), ("application/json", #"{"data":{"title":"N"},"total":1}"#),
    ("application/merge-patch+json", #"{"data":{"title":"N"}}"#), ("application/json", #"{"title":"N"}"#),
    ("application/x-www-form-urlencoded", #"{"data":{"title":"N"}}"#),
  ])
  func `A body may be wrapped or not`(_ type: String, _ body: String) async throws {
    let server = try await Self.server(wrap: "data")
    // A record with a member of that name changes nothing of what bodies mean.
    #expect(await Self.send(.put, "/posts/3", body: #"{"data":{"data":1}}"#, to: server).status == .ok)
    for target in ["/posts/1", "/posts?id=1"] {
      #expect(await Self.send(.patch, target, type: type, body: body, to: server).status == .ok)
    }
    let list = try JSONValue(parsing: await Self.send(.get, "/posts", to: server).bytes)["data"]?.array ?? []
    #expect(list.map { $0["title"] } == ["N", "B", nil])
    #expect(list.map { $0["data"] } == [nil, nil, 1])
  }

  @Test(arguments: [
    ("application/json", #"[{"data":{"title":"N"}},{"title":"O"}]"#),
    ("application/json", #"{"data":[{"title":"N"},{"title":"O"}],"total":2}"#),
    ("application/x-ndjson", #"{"data":{"title":"N"}}"# + "\n" + #"{"title":"O"}"#),
  ])
  func `Elements and lines may be wrapped or not`(_ type: String, _ body: String) async throws {
    let server = try await Self.server(wrap: "data")
    #expect(await Self.send(.post, "/posts", type: type, body: body, to: server).status == .created)
    let list = try JSONValue(parsing: await Self.send(.get, "/posts", to: server).bytes)["data"]
    #expect(list?.array?.map { $0["title"] } == ["A", "B", "", "N", "O"])
  }

  @Test(arguments: [#"{"data":null}"#, #"{"data":6}"#, #"{"data":"x","total":1}"#, #"{"data":[1]}"#])
  func `A wrapped body without a record is refused`(_ body: String) async throws {
    let server = try await Self.server(wrap: "data")
    #expect(await Self.send(.put, "/posts/1", body: body, to: server).status == .badRequest)
    #expect(await Self.send(.post, "/posts", body: body, to: server).status == .badRequest)
    #expect(await Self.send(.patch, "/posts?id=1", body: body, to: server).status == .badRequest)
    #expect(try JSONValue(parsing: await Self.send(.get, "/db", to: server).bytes) == Self.data)
  }

  @Test func `The page at the root writes bodies as they are`() async throws {
    let server = try await Self.server(wrap: "data")
    let page = try #require(HTTPField.Name("X-JSON-Server-Page"))
    let request = Request(
      method: .patch, target: "/posts/1",
      headerFields: [.host: "localhost", .contentType: "application/json", page: "1"],
      body: Array(#"{"data":5}"#.utf8))
    #expect(try JSONValue(parsing: await server.respond(to: request).bytes)["data"] == 5)
  }

  @Test func `Who signs in may wrap bodies, too`() async throws {
    var configuration = Server.Configuration(source: .value(["users": []]))
    configuration.wrapName = "data"
    configuration.signIn = Server.SignIn()
    let server = try await Server.load(configuration)
    let body = #"{"data":{"email":"ada@example.com","password":"secret"}}"#
    #expect(await Self.send(.post, "/users", body: body, to: server).status == .created)
    #expect(await Self.send(.post, "/login", body: body, to: server).status == .ok)
    let other = #"{"data":{"email":"bob@example.com","password":"secret"}}"#
    #expect(await Self.send(.post, "/register", body: other, to: server).status == .created)
  }
}
