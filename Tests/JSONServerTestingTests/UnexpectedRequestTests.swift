import JSONServerTesting

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

  @Test(.jsonServer(["posts": []], unexpectedRequests: .issue, listens: false))
  func `are none when all is understood`() async throws {
    let server = try MockServer.current
    #expect(await server.respond(to: Request(.get, "/posts/1")).status == .notFound)
    try await server.verify()
  }
}
