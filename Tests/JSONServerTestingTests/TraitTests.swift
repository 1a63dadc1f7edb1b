import JSONServerTesting

/// Expects that a test has one issue, about its traits.
private struct KnownIssueTrait: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withKnownIssue {
      try await function()
    } matching: {
      ($0.error as? MockServerError)?.description.contains("two traits .jsonServer(…)") == true
    }
  }
}

extension Trait where Self == KnownIssueTrait {
  fileprivate static var knownIssue: KnownIssueTrait { KnownIssueTrait() }
}

@Suite(.jsonServer("Fixtures/shop.json", listens: false) { $0.routes = ["/api/*": "/$1"] })
struct `The trait jsonServer` {
  @Test(arguments: 0..<20)
  func `Each case of a test has its own server`(_ number: Int) async throws {
    let server = try MockServer.current
    let response = await server.respond(to: Request(.post, "/api/products", json: #"{"name": "Cup \#(number)"}"#))
    #expect(response.status == .created)
    #expect(try await server.values(of: "products").count == 3)
    try await server.expect(.post("/api/products"), times: 1)
  }

  @Test(.jsonServer(["notes": []], listens: false) { $0.isReadOnly = true })
  func `A test's own trait comes before its suite's`() async throws {
    let server = try MockServer.current
    #expect(await server.respond(to: Request(.post, "/notes", json: "{}")).status == .forbidden)
    #expect(await server.value["products"] == nil)
  }
}

@Suite struct `Several traits jsonServer` {
  @Test(.knownIssue, .jsonServer(["notes": []], listens: false), .jsonServer(["notes": []], listens: false))
  func `Two traits on one test are an issue`() async throws {
    Issue.record("The test runs.")
  }

  @Suite(.jsonServer(["outer": []], listens: false)) struct `of suites` {
    @Suite(.jsonServer(["inner": []], listens: false)) struct `in one another` {
      @Test(.jsonServer(["own": []], listens: false))
      func `are none of one test`() async throws {
        #expect(await (try MockServer.current).value["own"] == [])
      }
    }
  }
}
