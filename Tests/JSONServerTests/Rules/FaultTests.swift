import HTTPTypes
import JSONServerValues
import Testing

@testable import JSONServer

@Suite struct `A fault` {
  @Test(
    arguments: [
      (["status": 503], 503, .normal), (["action": "hang"], 200, .hang), (["action": "reset"], 200, .reset),
      (["action": "truncate", "body": "12345678"], 200, .truncated(after: 5)),
    ] as [(JSONValue, Int, Response.Delivery)])
  func `is delivered as its action says`(_ fault: JSONValue, _ status: Int, _ delivery: Response.Delivery) async throws
  {
    let server = try await AdminFixture.server()
    #expect(await server.send(.post, "/__admin/faults", fault).status == .created)
    let answer = await server.send(.delete, "/posts/1")
    #expect(answer.status.code == status)
    #expect(answer.delivery == delivery)
    #expect(await server.value == AdminFixture.posts)
  }

  @Test(
    arguments: [
      (.get, "/posts/1", "{\n  \"id\": 1,\n  \"title\": \"a\"\n}", 200), (.delete, "/posts/1", "{}", 200),
      (.get, "/nothing", nil, 404),
    ] as [(HTTPRequest.Method, String, String?, Int)])
  func `that truncates and has no response of its own cuts that of the data`(
    _ method: HTTPRequest.Method, _ target: String, _ body: String?, _ status: Int
  ) async throws {
    let server = try await AdminFixture.server()
    #expect(await server.send(.post, "/__admin/faults", ["action": "truncate"]).status == .created)
    let answer = await server.send(method, target)
    #expect(answer.status.code == status)
    #expect(body == nil || answer.text == body)
    #expect(answer.delivery == .truncated(after: answer.bytes.count / 2))
    #expect(await server.value != AdminFixture.posts || method == .get)
    #expect(await server.journal.first?.delivery == .cut)
    #expect(try await server.get("/__admin/requests")[0]?["delivery"] == "truncate")
  }

  @Test(arguments: [(0, 100), (4, 104), (401, 100), (.max, 100 + Int(UInt64.max % 401))] as [(UInt64, Int)])
  func `chooses its delay within the range`(_ random: UInt64, _ milliseconds: Int) {
    let range: ClosedRange<Duration> = .milliseconds(100) ... .milliseconds(500)
    #expect(range.length { random } == .milliseconds(milliseconds))
  }

  @Test(
    arguments: [
      .zero ... .seconds(Int64.max), .seconds(Int64.max) ... .seconds(Int64.max), .zero ... .nanoseconds(1),
      .zero...Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
    ] as [ClosedRange<Duration>])
  func `chooses its delay within a range without end`(_ range: ClosedRange<Duration>) {
    for random in [0, 1, UInt64.max] { #expect(range.contains(range.length { random })) }
  }

  @Test func `is removed by its id, or with all others`() async throws {
    let server = try await AdminFixture.server()
    await server.removeFault(try await server.addFault(Fault(.any(), .status(.badGateway))))
    #expect(await server.send(.get, "/posts").status == .ok)
    try await server.addFault(Fault(.any(), .status(.badGateway)))
    await server.removeFaults()
    #expect(await server.send(.get, "/posts").status == .ok)
  }

  @Test func `meets the path as it was sent and as it is rewritten`() async throws {
    let server = try await AdminFixture.server { configuration in
      configuration.routes = JSONObject([("/api/*", "/$1")])
      configuration.pathPrefix = "/mock"
    }
    let sent = try await server.addFault(Fault(.any("/api/posts"), .status(.badGateway)))
    #expect(await server.send(.get, "/mock/api/posts?_page=1").status == .badGateway)
    #expect(await server.send(.get, "/mock/posts").status == .ok)
    await server.removeFault(sent)
    try await server.addFault(Fault(.any("/posts"), .status(.badGateway)))
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
    try await server.addFault(Fault(.any("/posts/1"), .status(.badGateway), times: 1))
    let page = try #require(HTTPField.Name("X-JSON-Server-Page"))
    #expect(await server.send(.get, "/posts/1", fields: [page: "1"]).status == .ok)
    #expect(await server.journal.isEmpty)
    #expect(await server.send(.get, "/posts/1").status == .badGateway)
    #expect(await server.journal.count == 1)
  }
}
