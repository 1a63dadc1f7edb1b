import Testing

@Suite struct RecordedExchangesTests {
  @Test(arguments: try allCases())
  func `Every recorded request gets the response that was recorded`(_ test: RecordedCase) async throws {
    try await Player.play(test.test, of: test.suite)
  }

  private static func allCases() throws -> [RecordedCase] {
    try ["suites", "suites-v1", "suites-clients", "suites-mock"].flatMap { try Suite.all(in: $0) }.flatMap { suite in
      suite.cases.map { RecordedCase(suite: suite, test: $0) }
    }
  }

  struct RecordedCase: Sendable, CustomTestStringConvertible {
    let suite: Suite
    let test: Suite.Case

    var testDescription: String { "\(suite.name): \(test.name)" }
  }
}
