import JSONServerTesting
import NIOConcurrencyHelpers

@Suite struct `Requests that nothing responds to` {
  @Test func `are thrown at the end where no test of Swift Testing runs`() async throws {
    let error = await Task.detached {
      await #expect(throws: MockServerError.self) {
        try await withJSONServer(["posts": []], unexpectedRequests: .issue, listens: false) { server in
          #expect(await server.respond(to: Request(.get, "/posts?_page=1")).status == .ok)
          #expect(await server.respond(to: Request(.get, "/post")).status == .badRequest)
        }
      }
    }.value
    #expect(error?.description.contains("GET /post → 400") == true)
    #expect(error?.description.contains("_page") == false)
  }

  @Test func `are an issue of the test`() async throws {
    try await withKnownIssue {
      try await withJSONServer(unexpectedRequests: .issue, listens: false) { server in
        _ = await server.respond(to: Request(.get, "/post"))
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("GET /post → 400") }
    }
  }

  @Test(.jsonServer(["posts": []], unexpectedRequests: .issue, listens: false))
  func `are known issues of a test that says so, and no others at its end`() async throws {
    let server = try MockServer.current
    try await withKnownIssue {
      _ = await server.respond(to: Request(.get, "/post"))
      try await server.expectNoOtherRequests()
      try await server.verify()
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("GET /post → 400") }
    }
  }

  @Test(.jsonServer(openAPI: "fixtures/openapi/bookings.yaml", unexpectedRequests: .issue, listens: false))
  func `are those that the OpenAPI document does not have`() async throws {
    let server = try MockServer.current
    #expect(await server.respond(to: Request(.delete, "/bookings/3")).status == .noContent)
    #expect(await server.respond(to: Request(.get, "/v1/bookings/3")).status == .notFound)
    #expect(await server.respond(to: Request(.get, "/bookings?limit=0")).status == .badRequest)
    try await withKnownIssue {
      _ = await server.respond(to: Request(.get, "/booking"))
      try await server.verify()
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("GET /booking → 400") }
    }
  }

  @Test(.jsonServer(openAPI: "fixtures/openapi/bookings.yaml", listens: false))
  func `An expectation says that the OpenAPI document forbids a request`() async throws {
    let server = try MockServer.current
    _ = await server.respond(to: Request(.get, "/bookings?limit=0"))
    _ = await server.respond(to: Request(.get, "/bookings/999"))
    _ = await server.respond(to: Request(.post, "/bookings", json: #"{"guest": "", "nights": 2}"#))
    #expect(await server.requests.map(\.isInvalid) == [true, false, true])
    #expect(try await server.waitForRequest(.post("/bookings")).isInvalid)
  }

  /// The texts of the issues that a closure records, and of the error that it throws.
  private func issues(_ body: () async throws -> Void) async throws -> [String] {
    let texts = NIOLockedValueBox<[String]>([])
    try await withKnownIssue(isIntermittent: true) {
      try await body()
    } matching: { issue in
      texts.withLockedValue { $0.append("\(issue)") }
      return true
    }
    return texts.withLockedValue { $0 }
  }

  @Test func `are issues once each, however often the test asks`() async throws {
    let issues = try await issues {
      try await withJSONServer(unexpectedRequests: .issue, listens: false) { server in
        for path in ["/one", "/two"] {
          _ = await server.respond(to: Request(.get, path))
          try await server.verify()
        }
        _ = await server.respond(to: Request(.get, "/three"))
      }
    }
    #expect(issues.count == 3)
    for (issue, path) in zip(issues, ["/one", "/two", "/three"]) { #expect(issue.contains("GET \(path) → 400")) }
  }

  @Test func `are issues in every session, also after its end, and when the journal is cleared`() async throws {
    let issues = try await issues {
      try await withJSONServer(unexpectedRequests: .issue, listens: false) { server in
        let (named, ended) = (server.session("named"), server.session("ended"))
        for session in [server, named, ended] { _ = await session.respond(to: Request(.get, "/post")) }
        _ = await server.respond(to: Request(.get, "/__session/unnamed/posts"))
        try await named.verify()
        await server.clearRequests()
        await ended.stop()
      }
    }
    #expect(issues.count == 3)
    #expect(issues.filter { $0.contains("GET /post → 400") }.count == 3)
    #expect(issues.filter { $0.contains("GET /__session/unnamed/posts → 400") }.count == 1)
  }

  @Test(arguments: [true, false])
  func `are reported with the error of a test that throws, and so are errors of stubs`(inTest: Bool) async throws {
    @Sendable func run() async throws {
      try await withJSONServer(["posts": []], unexpectedRequests: .issue, listens: false) { server in
        await server.fail(.get("/posts"), with: 503, times: 1)
        await server.stub(.get("/me")) { _ in throw URLError(.badURL) }
        for path in ["/me", "/postz"] { _ = await server.respond(to: Request(.get, path)) }
        throw URLError(.badServerResponse)
      }
    }
    let texts: [String]
    if inTest {
      texts = try await issues(run)
    } else {
      texts = await Task.detached {
        let error = await #expect(throws: MockServerError.self) { try await run() }
        return [error?.description ?? ""]
      }.value
    }
    #expect(texts.count == (inTest ? 3 : 1))
    for part in ["\(URLError(.badServerResponse))", "The closure of the stub for GET /me", "GET /postz → 400"] {
      #expect(texts.contains { $0.contains(part) }, "\(texts)")
    }
    #expect(!texts.contains { $0.contains("No request met") })
  }

  @Test(.jsonServer(["posts": []], unexpectedRequests: .issue, listens: false))
  func `are none when all is understood`() async throws {
    let server = try MockServer.current
    #expect(await server.respond(to: Request(.get, "/posts/1")).status == .notFound)
    try await server.verify()
  }
}
