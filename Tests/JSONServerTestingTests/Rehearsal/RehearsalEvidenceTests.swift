import JSONServerTesting
import TestSupport

/// How many weaknesses of a client are found, and how many that it does not have.
@Suite(.timeLimit(.minutes(2)))
struct RehearsalEvidenceTests {
  @Test(.jsonServer(OrdersClient.data)) func `A robust client survives all changes`() async throws {
    let outcomes = try await MockServer.current.rehearse { try await OrdersClient(url: $0.url).run() }
    #expect(outcomes.allSatisfy { $0.verdict == .survived })
    #expect(Set(outcomes.map(\.name)) == Set(OrdersClient.Weakness.allCases.map(\.rawValue)))
  }

  @Test(.jsonServer(OrdersClient.data), arguments: OrdersClient.Weakness.allCases)
  func `Each weakness is found by its change, and by no other`(_ weakness: OrdersClient.Weakness) async throws {
    let outcomes = try await MockServer.current.rehearse(only: Self.changes(beside: weakness), recordsIssues: false) {
      try await OrdersClient(url: $0.url, weakness: weakness).run()
    }
    #expect(Set(outcomes.filter { $0.verdict != .survived }.map(\.name)) == [weakness.rawValue])
    #expect(outcomes.contains { $0.verdict == .failed })
  }

  /// The change that a weakness is found by and another one; in full all, which no names mean.
  private static func changes(beside weakness: OrdersClient.Weakness) -> [String] {
    let all = OrdersClient.Weakness.allCases
    if TestEffort.isFull { return [] }
    let others = all.filter { $0 != weakness }
    return [weakness, others[(all.firstIndex(of: weakness) ?? 0) % others.count]].map(\.rawValue)
  }

  private static let posts: MockData = ["posts": [["id": 1, "title": "a"], ["id": 2, "title": nil]]]

  private static func title(_ server: MockServer) async throws -> String {
    try #require(await server.respond(to: Request(.get, "/posts/1")).json?["title"]?.string)
  }

  @Test(.jsonServer(posts, listens: false)) func `What #require throws is one failure`() async throws {
    let outcomes = try await MockServer.current.rehearse(only: ["posts.title:null"], recordsIssues: false) {
      _ = try await Self.title($0)
    }
    #expect(outcomes.map(\.verdict) == [.failed])
    #expect(outcomes.map(\.failures.count) == [1])
  }

  @Test(.jsonServer(posts, listens: false)) func `What a session asks for is changed, too`() async throws {
    let outcomes = try await MockServer.current.rehearse(only: ["posts.title:null"], recordsIssues: false) {
      _ = try await Self.title($0.session("a"))
    }
    #expect(outcomes.map(\.verdict) == [.failed])
  }

  @Test(.jsonServer(posts, listens: false)) func `A cancelled rehearsal ends without an outcome`() async throws {
    let server = try MockServer.current
    await Task {
      var runs = 0
      await #expect(throws: CancellationError.self) {
        try await server.rehearse {
          _ = await $0.respond(to: Request(.get, "/posts/1"))
          runs += 1
          if runs == 2 { withUnsafeCurrentTask { $0?.cancel() } }
          try Task.checkCancellation()
        }
      }
      #expect(runs == 2)
    }.value
  }
}
