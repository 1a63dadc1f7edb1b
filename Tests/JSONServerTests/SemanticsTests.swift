import HTTPTypes
import JSONDatabase
import JSONServer
import JSONServerValues
import NIOConcurrencyHelpers
import Testing

struct SemanticsTests {
  private static let text = """
    {
      "posts": [
        {"id": 1, "title": "Alpha", "views": 100, "author": "ada", "meta": {"lang": "en"}, "tags": ["node", "rest"]},
        {"id": 2, "title": "beta", "views": 9.0, "author": "bob", "meta": {"lang": "de"}, "tags": [], "published": true},
        {"id": 3, "title": "gamma, delta", "views": 20, "author": null, "rating": "50"},
        {"id": "a/b", "title": "", "views": "7"}
      ],
      "comments": [{"id": 1, "postId": 1, "body": "x"}, {"id": 2, "postId": "2", "body": "y"}],
      "profile": {"name": "typicode"}
    }
    """

  private static func server(
    _ dialect: Server.Configuration.Dialect = .classic, onHint: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> Server {
    var configuration = Server.Configuration(source: .text(Array(text.utf8), name: "test"))
    configuration.dialect = dialect
    configuration.onEvent = { if case .hint(let hint) = $0 { onHint(hint) } }
    return try await Server.load(configuration)
  }

  private static func get(_ target: String, from server: Server) async -> Response {
    var request = Request(method: .get, target: target)
    if let host = HTTPField.Name("Host") { request.headerFields[host] = "localhost:3000" }
    return await server.respond(to: request)
  }

  private static func ids(_ response: Response) throws -> [String] {
    let value = try JSONValue(parsing: response.bytes)
    return (value.array ?? value["data"]?.array ?? []).map { $0["id"]?.text(pretty: false) ?? "none" }
  }

  static let lists: [(query: String, ids: String)] = [
    // Equality
    ("views=100", "1"), ("views=100.0", ""), ("views=%20100", ""), ("views=9", "2"), ("views=9.0", "2"),
    ("published=true", "2"), ("author=null", "3"), ("title=", "\"a/b\""), ("tags=node,rest", "1"), ("tags=node", "1"),
    ("tags=", "2"), ("author=ada&author=bob", "1 2"), ("author[]=ada&author[]=bob", "1 2"), ("id=1,2", ""),
    ("meta.lang=en", "1"), ("tags.0=node", "1"), ("Author=ada", "1 2 3 \"a/b\""), ("nofield=1", "1 2 3 \"a/b\""),
    ("id=a/b", "\"a/b\""), ("id=a%2Fb", "\"a/b\""),
    // Operators
    ("nofield_gte=1", ""), ("views_gte=20", "1 3 \"a/b\""), ("views_lte=9", "2 \"a/b\""), ("views:gt=20", "1 \"a/b\""),
    ("views_gte=abc", ""), ("author_ne=ada", "2"), ("author_ne=ada&author_ne=bob", ""), ("title_like=^a", "1"),
    ("title_like=", "1 2 3 \"a/b\""), ("id:in=1,3", "1 3"), ("title:contains=A", "1 2 3"), ("title:endsWith=TA", "2 3"),
    ("meta.lang_ne=en", "2"), ("title_startsWith=al", "1"),
    // Search
    ("q=NODE", "1"), ("q=lang", ""), ("q=", "1 2 3 \"a/b\""), ("q=true", "2"), ("q=de&q=beta", "1 2 3"),
    // Trees
    ("_where={\"or\":[{\"views\":{\"gt\":50}},{\"author\":{\"eq\":\"bob\"}}]}", "1 2 \"a/b\""),
    ("_where={\"title\":{\"in\":[\"gamma,%20delta\",\"beta\"]}}", "2 3"), ("_where={\"id\":1}", "1"),
    ("_where={\"and\":[{\"meta\":{\"lang\":\"en\"}}]}", "1"), ("_where=", "1 2 3 \"a/b\""),
    // Numbers given twice, and none
    ("_limit=1&_limit=2", "1"), ("_limit=2&_limit=x", "1 2"), ("_limit=1&_page=undefined", "1"),
    ("_limit=null", "1 2 3 \"a/b\""), ("_limit=NaN&_limit=1", "1 2 3 \"a/b\""),
    ("_start=2&_end=undefined&_limit=1", "3"),
    ("_page=1&_per_page=undefined&_limit=1", "1"), ("_limit=&_end=1", "1"),
    // Order
    ("_sort=title", "\"a/b\" 1 2 3"), ("_sort=author", "1 2 3 \"a/b\""), ("_sort=author&_order=desc", "\"a/b\" 3 2 1"),
    ("_sort=-author", "\"a/b\" 3 2 1"), ("_sort=views", "\"a/b\" 2 3 1"), ("_sort=nofield", "1 2 3 \"a/b\""),
    ("_sort=nofield&_order=desc", "1 2 3 \"a/b\""), ("_sort=meta.lang,id&_order=desc,desc", "3 \"a/b\" 1 2"),
    // Windows
    ("_limit=2", "1 2"), ("_start=1&_limit=2", "2 3"), ("_start=1&_end=2", "2"), ("_start=-3&_end=24", "2 3 \"a/b\""),
    ("_limit=-3", "1"), ("_start=-3&_limit=3", ""), ("_limit=0", ""), ("_start=2", "1 2 3 \"a/b\""),
    ("_page=2&_limit=3", "\"a/b\""), ("_page=9&_limit=3", ""), ("_page=0&_limit=3", "1 2 3"),
    ("_page=1.9&_limit=2e0", "1 2"), ("_limit=1e400", "1 2 3 \"a/b\""),
    ("_page=1&_limit=0", "1 2 3 \"a/b\""), ("_page=9&_per_page=3", "\"a/b\""), ("_page=2&_per_page=0", "2"),
    ("_page=9223372036854775807&_limit=9223372036854775807", ""), ("_start=-9223372036854775808&_end=1", "1"),
    ("_start=1&_limit=9223372036854775807", "2 3 \"a/b\""), ("_page=99999999999999999999&_per_page=1", "\"a/b\""),
    ("_limit=&_page=", "1 2 3 \"a/b\""),
  ]

  @Test(arguments: lists)
  func `A list query selects records`(_ query: String, _ ids: String) async throws {
    let server = try await Self.server()
    let response = await Self.get("/posts?" + query, from: server)
    #expect(response.status == .ok)
    #expect(try Self.ids(response).joined(separator: " ") == ids)
    await server.stop()
  }

  @Test func `Filters on names that look the same are filters on two members`() async throws {
    let text = "{\"a\": [{\"id\": 1, \"\u{E9}\": 1, \"e\u{301}\": 2}, {\"id\": 2, \"\u{E9}\": 2, \"e\u{301}\": 2}]}"
    let server = try await Server.load(Server.Configuration(source: .text(Array(text.utf8), name: "test")))
    #expect(try Self.ids(await Self.get("/a?%C3%A9=1&e%CC%81=2", from: server)) == ["1"])
    await server.stop()
  }

  private static let deep = String(repeating: "{\"or\":[", count: 1_000)

  static let odd = [
    "/posts?_page=abc", "/posts?_limit=x", "/posts?_limit=2x", "/posts?_start=nan",
    "/posts?_end=2&_limit=x", "/posts?_page=1&_start=x", "/posts?title_like=(",
    "/posts?_where={", "/posts?_where=[1]",
    "/posts?_where=null", "/posts?_where=" + deep + String(repeating: "]}", count: 1_000), "/posts?_where=" + deep,
    "/posts?_where={\"a\":" + String(repeating: "{\"a\":", count: 40) + "1" + String(repeating: "}", count: 41),
    "/posts/%00", "/%00", "/posts/%zz", "/posts/", "//posts", "/posts//1", "/posts/%2F", "/posts/1/comments/1",
    "/posts/1/nothing", "/nothing/1/comments", "/posts/99/comments", "/profile/x", "/db/1", "/constructor",
    "/__proto__",
    "/posts?_sort=,,&_order=,", "/posts?_sort=-&_sort=&_order=desc", "/posts?_embed=&_expand=,", "/posts?_embed=posts",
    "/posts?=1&&=", "/posts?.=1&..=2&[=3&]=4&[]=5", "/posts?tags.99999999999999999999=1", "/posts?tags.-1=x",
    "/posts?_gte=1&:gt=2&_=3", "/posts?views_gt=1e999&views_lt=-1e999", "/posts?id:in=", "/posts?id:in=,,,",
    "/posts?title:contains=", "/posts?q=%22%5C", "/posts?q=" + String(repeating: "a", count: 5_000),
    "/posts?title_like=" + String(repeating: "(a*)*", count: 50), "/posts?callback=", "/posts?_delay=-1", "?", "/?q=1",
    "/posts?_page=1&_per_page=9223372036854775807", "/posts?_start=9223372036854775807&_limit=-9223372036854775808",
  ]

  @Test(arguments: odd, Server.Configuration.Dialect.allCases)
  func `A response to a query never is a fault of the server`(_ target: String, _ dialect: Server.Configuration.Dialect)
    async throws
  {
    let server = try await Self.server(dialect)
    let response = await Self.get(target, from: server)
    #expect(response.status.code < 500, "\(target.prefix(80)): \(response.status)")
    await server.stop()
  }

  @Test(arguments: ["/posts?_sort=", "/posts?_embed=", "/posts/1?_expand="])
  func `A list of more than 32 names is refused`(_ target: String) async throws {
    let server = try await Self.server()
    for (count, status) in [(32, 200), (33, 400)] {
      let names = (1...count).map { "n\($0)" }.joined(separator: ",")
      #expect(await Self.get(target + names, from: server).status.code == status)
    }
    await server.stop()
  }

  static let hints: [(query: String, hint: String?)] = [
    ("limit=1", "'_limit'"), ("_limits=1", "'_limit'"), ("page=1", "'_page'"), ("sort=id", "'_sort'"),
    ("perPage=1", "'_per_page'"), ("offset=1", "'_start'"), ("Author=ada", "'author'"), ("auhtor=ada", "'author'"),
    ("veiws=1", "'views'"), ("xyzzy=1", "'xyzzy'"), ("_per_page=2", "without '_page'"),
    ("_page=undefined", "no effect"), ("_limit=null", "'null'"), ("_delay=NaN", "'NaN'"), ("_end=", "empty"),
    ("_dependent=x", "has no effect on a GET"), ("_order=desc", "without '_sort'"), ("_start=2", "'_end' or '_limit'"),
    ("_page=1&_end=2", "beside '_page'"),
    ("author=ada&_sort=id&_limit=2", nil),
  ]

  @Test(arguments: hints)
  func `A parameter without effect causes one hint`(_ query: String, _ expected: String?) async throws {
    let told = NIOLockedValueBox<[String]>([])
    let server = try await Self.server { hint in told.withLockedValue { $0.append(hint) } }
    for _ in 0..<2 { _ = await Self.get("/posts?" + query, from: server) }
    await server.stop()
    let hints = told.withLockedValue { $0 }
    #expect(hints.count == (expected == nil ? 0 : 1))
    if let expected { #expect(hints.first?.contains(expected) == true, "\(hints)") }
  }

  @Test(arguments: [("/post/1", "'posts'"), ("/coments", "'comments'"), ("/xyzzy", "posts, comments, profile")])
  func `The response for a resource that does not exist names the one that was meant`(
    _ target: String, _ expected: String
  ) async throws {
    let server = try await Self.server()
    let response = await Self.get(target, from: server)
    #expect(response.status == .notFound)
    #expect(try JSONValue(parsing: response.bytes)["message"]?.string?.contains(expected) == true)
    await server.stop()
  }

  @Test(arguments: [
    "_page=abc", "_limit=2x", "_start=nan", "_end=2&_limit=x", "_page=1&_start=x", "_limit=x&_limit=2",
    "_page=UNDEFINED",
    "_delay=x",
  ])
  func `What has to be one number and is not is refused by name`(_ query: String) async throws {
    let response = await Self.get("/posts?\(query)", from: try await Self.server())
    #expect(response.status == .badRequest)
    let message = try JSONValue(parsing: response.bytes)["message"]?.string ?? ""
    #expect(query.split(separator: "&").contains { message.contains("'\($0.prefix { $0 != "=" })'") })
  }
}
