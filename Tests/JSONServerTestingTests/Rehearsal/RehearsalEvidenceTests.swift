import JSONServerTesting

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
    let outcomes = try await MockServer.current.rehearse(recordsIssues: false) {
      try await OrdersClient(url: $0.url, weakness: weakness).run()
    }
    #expect(Set(outcomes.filter { $0.verdict != .survived }.map(\.name)) == [weakness.rawValue])
    #expect(outcomes.contains { $0.verdict == .failed })
  }
}
