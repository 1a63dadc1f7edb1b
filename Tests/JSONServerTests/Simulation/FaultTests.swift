import HTTPTypes
import OrderedJSON
import Testing

@testable import JSONServer

@Suite struct `A fault` {
  struct Case: Sendable {
    let fault: JSONValue
    let status: Int
    var body: String?
    var fields: [String: String] = [:]
    var delivery = Response.Delivery.normal
  }

  static let cases: [Case] = [
    Case(fault: ["status": 503], status: 503),
    Case(fault: ["status": 204], status: 204, body: ""),
    Case(fault: ["status": 418, "body": [1, nil]], status: 418, body: "[\n  1,\n  null\n]"),
    Case(fault: ["body": nil], status: 200, body: "null"),
    Case(
      fault: ["body": "x", "headers": ["X-A": "1", "content-type": "text/plain"]], status: 200, body: "x",
      fields: ["X-A": "1", "Content-Type": "text/plain"]),
    Case(fault: ["retryAfter": 5], status: 429, fields: ["Retry-After": "5"]),
    Case(fault: ["retryAfter": 5, "status": 503], status: 503, fields: ["Retry-After": "5"]),
    Case(fault: ["action": "hang"], status: 200, delivery: .hang),
    Case(fault: ["action": "reset"], status: 200, delivery: .reset),
    Case(fault: ["action": "truncate", "body": "12345678"], status: 200, delivery: .truncated(after: 5)),
    Case(fault: ["delay": 1, "status": 500], status: 500),
    Case(fault: ["path": "posts/1", "response": ["status": 418, "body": 1]], status: 418, body: "1"),
    Case(fault: ["request": ["method": "delete", "path": "/POSTS/1"], "status": 409], status: 409),
  ]

  @Test(arguments: cases)
  func `responds instead of the data`(_ test: Case) async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.post, "/__admin/faults", test.fault).status == .created)
    let answer = await server.send(.delete, "/posts/1")
    #expect(answer.status.code == test.status)
    #expect(answer.delivery == test.delivery)
    if let body = test.body { #expect(answer.text == body) }
    for (name, value) in test.fields { #expect(answer.headerFields[HTTPField.Name(name) ?? .accept] == value) }
    if test.status >= 400, test.body == nil {
      #expect(try answer.json["statusCode"]?.integer == test.status)
      #expect(try answer.json["error"]?.string?.isEmpty == false)
    }
    #expect(await server.value == AdminFixture.posts)
  }

  @Test(arguments: [["delay": 1], ["delay": [1, 3]]] as [JSONValue])
  func `that only delays lets the request be carried out`(_ fault: JSONValue) async throws {
    let server = try await AdminFixture.server()
    await server.send(.post, "/__admin/faults", fault)
    #expect(await server.send(.delete, "/posts/1").status == .ok)
    #expect(await server.send(.get, "/posts/1").status == .notFound)
  }

  @Test(arguments: [(0, 100), (4, 104), (401, 100), (.max, 100 + Int(UInt64.max % 401))] as [(UInt64, Int)])
  func `chooses its delay within the range`(_ random: UInt64, _ milliseconds: Int) {
    let range: ClosedRange<Duration> = .milliseconds(100) ... .milliseconds(500)
    #expect(range.length { random } == .milliseconds(milliseconds))
  }

  @Test func `counts down, and the first that fits wins`() async throws {
    let server = try await AdminFixture.server()
    try await server.addFault(Fault(method: .get, path: "/posts*", times: 2, status: .serviceUnavailable))
    try await server.addFault(Fault(path: "/posts/2", status: .badGateway))
    #expect(await server.send(.post, "/posts").status == .created)
    #expect(await server.send(.get, "/comments").status == .ok)
    #expect(await server.send(.get, "/posts/2").status == .serviceUnavailable)
    #expect(try await server.get("/__admin/faults")[0]?["times"] == 1)
    #expect(await server.send(.head, "/posts").status == .serviceUnavailable)
    #expect(await server.send(.get, "/posts/2").status == .badGateway)
    #expect(try await server.get("/__admin/faults").array?.count == 1)
  }

  @Test func `is removed by its id, or with all others`() async throws {
    let server = try await AdminFixture.server()
    let id = try await server.addFault(Fault(status: .badGateway))
    #expect(await server.send(.get, "/").status == .badGateway)
    #expect(await server.send(.delete, "/__admin/faults/\(id)").status == .ok)
    #expect(await server.send(.delete, "/__admin/faults/\(id)").status == .notFound)
    #expect(await server.send(.get, "/posts").status == .ok)
    await server.removeFault(try await server.addFault(Fault(status: .badGateway)))
    try await server.addFault(Fault(status: .badGateway))
    #expect(await server.send(.delete, "/__admin/faults").status == .ok)
    try await server.addFault(Fault(status: .badGateway))
    await server.removeFaults()
    #expect(await server.send(.get, "/posts").status == .ok)
  }

  @Test func `is shown as it was sent`() async throws {
    let server = try await AdminFixture.server()
    let fault: JSONValue = [
      "method": "GET", "path": "/a", "times": 3, "delay": [100, 500], "status": 503, "body": [1],
      "headers": ["X-A": "1"], "retryAfter": 5, "action": "truncate",
    ]
    await server.send(.post, "/__admin/faults", fault)
    var shown = try #require(try await server.get("/__admin/faults")[0]?.object)
    #expect(shown["id"] == 1)
    shown["id"] = nil
    #expect(.object(shown) == fault)
  }

  @Test func `meets the path as it was sent and as it is rewritten`() async throws {
    let server = try await AdminFixture.server { configuration in
      configuration.routes = JSONObject([("/api/*", "/$1")])
      configuration.pathPrefix = "/mock"
    }
    let sent = try await server.addFault(Fault(path: "/api/posts", status: .badGateway))
    #expect(await server.send(.get, "/mock/api/posts?_page=1").status == .badGateway)
    #expect(await server.send(.get, "/mock/posts").status == .ok)
    await server.removeFault(sent)
    try await server.addFault(Fault(path: "/posts", status: .badGateway))
    #expect(await server.send(.get, "/mock/api/posts").status == .badGateway)
  }

  @Test(arguments: [
    ("/posts*", "/posts", true), ("/posts*", "/posts/1", true), ("/posts", "/posts/1", false), ("*", "/", true),
    ("/*/b", "/a/b", true), ("/*/b", "/a/b/c", false), ("/a*a*b", "/aabaab", true), ("**", "/x", true),
    ("/a?", "/ab", false), ("", "/", false), ("/*é", "/caf/é", true),
  ])
  func `has a pattern in which a star stands for anything`(_ pattern: String, _ path: String, _ matches: Bool) {
    #expect(WildcardPattern(pattern).matches(Array(path.utf8)) == matches)
  }

  @Test func `is not met by a request of the page, which leaves no trace`() async throws {
    let server = try await AdminFixture.server()
    try await server.addFault(Fault(path: "/posts/1", times: 1, status: .badGateway))
    let page = try #require(HTTPField.Name("X-JSON-Server-Page"))
    #expect(await server.send(.get, "/posts/1", fields: [page: "1"]).status == .ok)
    #expect(await server.journal.isEmpty)
    #expect(await server.send(.get, "/posts/1").status == .badGateway)
    #expect(await server.journal.count == 1)
  }
}
