import JSONServerTesting
import NIOConcurrencyHelpers

@Suite struct `A wrong call` {
  /// The text of the only issue that a closure records.
  private func issue(_ body: () async throws -> Void) async throws -> String {
    let texts = Texts()
    try await withKnownIssue {
      try await body()
    } matching: { issue in
      texts.append(issue.comments.map(\.rawValue).joined() + (issue.error.map { "\($0)" } ?? ""))
      return true
    }
    return texts.all.joined(separator: "\n")
  }

  @Test func `after the server has stopped is an issue`() async throws {
    let server = try await MockServer.start(["posts": []], listens: false)
    await server.stop()
    let calls: [(String, (MockServer) async throws -> Void)] = [
      ("fault", { await $0.fail(.get("/posts"), with: 503) }),
      ("fault", { await $0.delay(.get("/posts"), by: .seconds(1)) }),
      ("stub", { await $0.stub(.get("/posts"), with: []) }),
      ("hold", { _ = await $0.hold(.get("/posts")) }),
      ("POST /posts", { try await $0.send(.post, "/posts", body: [:]) }),
    ]
    for (name, call) in calls {
      let text = try await issue { try await call(server) }
      #expect(text.contains("The server has stopped") && text.contains(name), "\(text)")
    }
    #expect(await server.value["posts"] == [])
  }

  @Test(.jsonServer(["shows": []], listens: false))
  func `that names no resource proposes one`() async throws {
    let server = try MockServer.current
    let text = try await issue { try await server.expect("showz", equals: []) }
    #expect(text.contains("No resource is named 'showz'; did you mean 'shows'?"), "\(text)")
    let typed = try await issue { try await server.expect("showz", equals: [1]) }
    #expect(typed.contains("did you mean 'shows'?"), "\(typed)")
  }

  @Test(.jsonServer(["posts": []]))
  func `for a port in use speaks of Swift's member`() async throws {
    let port = try MockServer.current.server.port
    let error = await #expect(throws: ServerError.self) {
      try await withJSONServer(["posts": []], configure: { $0.port = port }) { _ in }
    }
    #expect(error?.message.contains("set another Server.Configuration.port") == true)
    #expect(error?.message.contains("--") == false)
  }

  @Test(.jsonServer(["posts": []], listens: false))
  func `is attached without secrets, which the test itself may look for`() async throws {
    let server = try MockServer.current
    var request = Request(.post, "/posts?token=SECRET", json: #"{"password": "SECRET", "title": "a"}"#)
    request.headers["Authorization"] = "Bearer SECRET"
    _ = await server.server.respond(to: request)
    let report = await server.server.allExchanges.map(\.report).joined()
    #expect(!report.contains("SECRET") && report.contains(#""title": "a""#), "\(report)")
    #expect(await server.requests.contains { $0.request.target.contains("SECRET") })
  }

  private final class Texts: Sendable {
    private let texts = NIOLockedValueBox<[String]>([])
    var all: [String] { texts.withLockedValue { $0 } }
    func append(_ text: String) { texts.withLockedValue { $0.append(text) } }
  }
}
