public import JSONServerMock

extension MockServer {
  /// The server of the running test.
  ///
  /// - Throws: ``MockServerError`` outside of tests with the trait `.jsonServer(…)` and of `withJSONServer`, and in detached
  ///   tasks.
  public static var current: MockServer {
    get throws(MockServerError) {
      if let running { return running }
      throw MockServerError(
        "No server runs here; give the test the trait .jsonServer(…), or use withJSONServer(…).")
    }
  }

  /// Reports holds, and faults and stubs with `times`, that no request met, and unexpected requests.
  ///
  /// The trait and `withJSONServer` do this at the end of a test. Call it in `tearDown` after `MockServer.start`, or within
  /// `withKnownIssue`. In Swift Testing each failure is an issue at the line that set it up; elsewhere failures are thrown.
  ///
  /// - Throws: ``MockServerError`` with the failures of this server and its sessions, and those of calls that cannot throw.
  public func verify() async throws(MockServerError) {
    try await verify(checksSetups: true)
  }

  /// - Parameter checksSetups: Whether to report holds, faults and stubs that no request met.
  func verify(checksSetups: Bool) async throws(MockServerError) {
    for session in sessions {
      do throws(MockServerError) {
        try await session.verify(checksSetups: checksSetups)
      } catch {
        ledger.recordFailure(error, at: nil)
      }
    }
    for setup in ledger.takeSetups() where checksSetups {
      guard await server.timesMet(setup.kind, setup.id) == 0 else { continue }
      setup.report(
        MockServerError(
          "No request met the \(setup.kind.rawValue) for \(setup.request).\n" + JournalText.lines(await requests)))
    }
    let unexpected = ledger.takeUnexpected(await server.allUnexpectedRequests)
    if !unexpected.isEmpty {
      let refusals = unexpected.map { "  \($0.id). \($0.refusal ?? "")" }.joined(separator: "\n")
      report(
        MockServerError(
          "Requests came that were not expected:\n\(refusals)\n" + JournalText.lines(unexpected)),
        at: nil)
    }
    try reportFailures()
  }
}
