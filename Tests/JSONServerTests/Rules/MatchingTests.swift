import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer
@testable import JSONServerRules

@Suite struct `A pattern of requests` {
  struct Case: Sendable {
    let pattern: JSONValue
    let target: String
    var method = HTTPRequest.Method.post
    var fields: HTTPFields = [:]
    var body: JSONValue?
    let isMet: Bool
    var dialect = Server.Configuration.Dialect.classic
  }

  static let cases: [Case] = [
    Case(pattern: [:], target: "/posts", isMet: true),
    Case(pattern: ["method": "post"], target: "/posts", isMet: true),
    Case(pattern: ["method": "GET"], target: "/posts", method: .head, isMet: true),
    Case(pattern: ["method": "HEAD"], target: "/posts", method: .get, isMet: false),
    Case(pattern: ["path": "posts"], target: "/posts", isMet: true),
    Case(pattern: ["path": "/posts/"], target: "//posts", isMet: true),
    Case(pattern: ["path": "/POSTS"], target: "/posts", isMet: true),
    Case(pattern: ["path": "/posts"], target: "/Posts/", isMet: true),
    Case(pattern: ["path": "/Posts*"], target: "/posts/1", isMet: true),
    Case(pattern: ["path": "/POSTS"], target: "/posts", isMet: false, dialect: .v1),
    Case(pattern: ["path": "/posts"], target: "/posts/1", isMet: false),
    Case(pattern: ["path": "/caf%C3%A9"], target: "/caf%C3%A9", isMet: true),
    Case(pattern: ["path": "/café"], target: "/caf%C3%A9", isMet: true),
    Case(pattern: ["path": "/a/b"], target: "/a%2Fb", isMet: false),
    Case(pattern: ["path": "/a%2fb"], target: "/a%2Fb", isMet: true),
    Case(pattern: ["path": "/a%2Fb"], target: "/a/b", isMet: false),
    Case(pattern: ["path": "*/1"], target: "/posts/1", isMet: true),
    Case(pattern: ["path": "/math?a=2"], target: "/math?b=1&a=2", isMet: true),
    Case(pattern: ["path": "/math?a=2"], target: "/math?a=20", isMet: false),
    Case(pattern: ["path": "/math?a=2&a=3"], target: "/math?a=3&a=2", isMet: true),
    Case(pattern: ["path": "/math?a=2&a=3"], target: "/math?a=2", isMet: false),
    Case(pattern: ["path": "/math?q=a%20b"], target: "/math?q=a+b", isMet: true),
    Case(pattern: ["query": ["a": "2", "draft": nil]], target: "/x?a=1&a=2", isMet: true),
    Case(pattern: ["query": ["a": 2]], target: "/x?a=2&draft", isMet: true),
    Case(pattern: ["query": ["draft": nil]], target: "/x?draft", isMet: false),
    Case(pattern: ["query": ["tags": "x"]], target: "/x?tags[]=x", isMet: true),
    Case(pattern: ["query": ["A": "2"]], target: "/x?a=2", isMet: false),
    Case(
      pattern: ["headers": ["authorization": "Bearer *"]], target: "/x", fields: [.authorization: "Bearer abc"],
      isMet: true),
    Case(pattern: ["headers": ["Authorization": "Bearer *"]], target: "/x", isMet: false),
    Case(pattern: ["headers": ["Authorization": nil]], target: "/x", isMet: true),
    Case(
      pattern: ["headers": ["Authorization": nil]], target: "/x", fields: [.authorization: "Bearer abc"], isMet: false),
    Case(pattern: ["body": ["title": "A"]], target: "/x", body: ["title": "A", "tags": [1]], isMet: true),
    Case(pattern: ["body": ["title": "A"]], target: "/x", body: ["title": "B"], isMet: false),
    Case(pattern: ["body": ["title": "A"]], target: "/x", isMet: false),
    Case(pattern: ["body": ["n": 1]], target: "/x", body: ["n": 1.0], isMet: true),
    Case(
      pattern: ["body": ["a": ["b": [["c": 1]]]]], target: "/x", body: ["a": ["b": [["c": 1, "d": 2]]]], isMet: true),
    Case(pattern: ["body": ["a": [1, 2]]], target: "/x", body: ["a": [1, 2, 3]], isMet: false),
    Case(pattern: ["body": ["a": nil]], target: "/x", body: [:], isMet: false),
    Case(pattern: ["body": [["a": 1]]], target: "/x", body: [["a": 1, "b": 2]], isMet: true),
  ]

  @Test(arguments: cases)
  func `is met by requests that have all of it`(_ test: Case) async throws {
    let server = try await AdminFixture.server { $0.dialect = test.dialect }
    let stub: JSONValue = ["request": test.pattern, "response": ["status": 299]]
    #expect(await server.send(.post, "/__admin/stubs", stub).status == .created)
    let answer = await server.send(test.method, test.target, test.body, fields: test.fields)
    #expect((answer.status.code == 299) == test.isMet)
  }

  @Test func `is met by the members of a form, too`() async throws {
    let server = try await AdminFixture.server()
    try await server.stub(
      Stub(.post("/login", body: .including(["user": "a"])), .status(.accepted)))
    let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    let answer = await server.send(.post, "/login", fields: form, bytes: "user=a&password=b".utf8)
    #expect(answer.status == .accepted)
  }

  @Test(arguments: [("/api/posts", true), ("/posts", true), ("/mock/api/posts", true), ("/mock/posts", false)])
  func `is met by the path as it was sent, below the mount path, and rewritten`(
    _ path: String, _ isMet: Bool
  ) async throws {
    let server = try await AdminFixture.server {
      $0.routes = JSONObject([("/api/*", "/$1")])
      $0.pathPrefix = "/mock"
    }
    try await server.stub(Stub(.get(path), .status(.accepted)))
    #expect((await server.send(.get, "/mock/api/posts").status == .accepted) == isMet)
  }

  @Test func `of a thousand, finds the one of the least rank whatever their paths look like`() async throws {
    let server = try await AdminFixture.server()
    for number in 0..<1_000 {
      try await server.stub(Stub(.get("/a/\(number)/*"), .json(.init(number))))
      try await server.stub(Stub(.get("/b/\(number)"), .json(.init(number))))
    }
    #expect(await server.send(.get, "/a/7/x").text == "7")
    #expect(await server.send(.get, "/b/999").text == "999")
    #expect(await server.send(.get, "/b/1000").status == .notFound)
    try await server.stub(Stub(.get("*7*"), .json("newest")))
    #expect(await server.send(.get, "/a/7/x").text == "\"newest\"")
    await server.removeStub(2_001)
    #expect(await server.send(.get, "/a/7/x").text == "7")
  }

  @Test(arguments: [
    ("1", "1.0", true), ("10", "1e1", true), ("0", "-0.0", true), ("1.10", "11e-1", true), ("1", "2", false),
    ("12345678901234567890", "12345678901234567891", false), ("1e999", "10e998", true), ("-1", "1", false),
    ("1e99999999999999999999", "1", false),
  ])
  func `compares numbers by their values`(_ left: String, _ right: String, _ isEqual: Bool) throws {
    let (left, right) = (try JSONValue(parsing: left), try JSONValue(parsing: right))
    #expect((left == right) == isEqual)
    if isEqual { #expect(left.hashValue == right.hashValue) }
  }

  @Test func `reads a large body on another thread, while requests go on`() async throws {
    let large = JSONValue.string(String(repeating: "a", count: 200_000))
    let stub = Stub(.post("/a", body: .including(["title": large])), .status(299))
    let fixture = try EngineFixture(AdminFixture.posts, isInMemory: true, configure: { $0.stubs = [stub] })
    let request = Request(
      method: .post, target: "/a", headerFields: [.host: "localhost", .contentType: "application/json"],
      body: (["title": large, "more": 1] as JSONValue).utf8Text())
    #expect(await fixture.send(request, overtakenBy: EngineFixture.request((.get, "/posts/1"))) == [200, 299])
  }

  @Test func `reads a body as JSON`() throws {
    let request = Request(method: .post, target: "/posts", body: Array("{}".utf8))
    let context = RequestContext(
      request, target: try RequestTarget(request.target), ignoresCase: false, reply: { _ in })
    #expect(context.matchable.body == [:])
  }

  @Test func `is remembered for a while when it is gone`() throws {
    var table = RuleTable()
    let count = 30_001
    for id in 1...count {
      let stub = Stub(.get("/\(id)"), .status(200), times: id == 1 ? nil : 1)
      #expect(table.add(try Rule(stub)) == id)
      let request = Request(method: .get, target: "/\(id)")
      let context = RequestContext(
        request, target: try RequestTarget(request.target), ignoresCase: false, reply: { _ in })
      let met = try #require(table.first(.stub, for: context.matchable))
      #expect(met.id == id)
      table.countRequest(met.key)
    }
    // The first one is still there.
    #expect([1, 2, count - 9_000, count].map { table.timesMet(.stub, $0) } == [1, 0, 1, 1])
  }
}
