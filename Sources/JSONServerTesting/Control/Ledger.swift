import JSONServer
import NIOConcurrencyHelpers

/// What a test has set up and what it has expected, to be looked over at its end.
final class Ledger: Sendable {
  /// A fault, a hold or a stub that at least one request should meet.
  struct Setup: Sendable {
    enum Kind: String, Sendable {
      case fault
      case hold
      case stub
    }

    let kind: Kind
    let id: Int
    let route: Route
    let place: CodePlace
  }

  private struct State {
    var setups: [Setup] = []
    var expected: Set<Int> = []
    var hasReportedUnexpected = false
    var attachesRequests = false
    /// What went wrong in calls that do not throw, where no test of Swift Testing took it as an issue.
    var failures: [MockServerError] = []
  }

  private let state = NIOLockedValueBox(State())

  func record(_ setup: Setup) {
    state.withLockedValue { $0.setups.append(setup) }
  }

  /// Forgets a set-up that the test has taken back.
  func forget(_ kind: Setup.Kind, _ id: Int) {
    state.withLockedValue { $0.setups.removeAll { $0.kind == kind && $0.id == id } }
  }

  /// Forgets all set-ups of a kind.
  func forgetAll(_ kind: Setup.Kind) {
    state.withLockedValue { $0.setups.removeAll { $0.kind == kind } }
  }

  func recordExpected(_ exchanges: [Exchange]) {
    state.withLockedValue { $0.expected.formUnion(exchanges.map(\.id)) }
  }

  /// The exchanges that no expectation was met by.
  func unexpected(among exchanges: [Exchange]) -> [Exchange] {
    let expected = state.withLockedValue { $0.expected }
    return exchanges.filter { !expected.contains($0.id) }
  }

  /// Whether unexpected requests are still to be reported, which they are once.
  func takesUnexpected() -> Bool {
    state.withLockedValue { state in
      defer { state.hasReportedUnexpected = true }
      return !state.hasReportedUnexpected
    }
  }

  /// Whether the requests of a test that fails are attached to it.
  var attachesRequests: Bool {
    get { state.withLockedValue { $0.attachesRequests } }
    set { state.withLockedValue { $0.attachesRequests = newValue } }
  }

  func recordFailure(_ error: MockServerError) {
    state.withLockedValue { $0.failures.append(error) }
  }

  func takeFailures() -> [MockServerError] {
    state.withLockedValue { state in
      defer { state.failures = [] }
      return state.failures
    }
  }

  func takeSetups() -> [Setup] {
    state.withLockedValue { state in
      defer { state.setups = [] }
      return state.setups
    }
  }
}

extension MockServer {
  /// Looks over what the test has set up: a fault or a stub with `times`, or a hold, that no request met is a failure.
  ///
  /// The trait and `withJSONServer` do this at the end of a test; a test with ``start(_:routes:pathPrefix:unexpectedRequests:auth:listens:sourcePath:configure:)``
  /// does it in `tearDown`. In Swift Testing each is recorded as an issue where it was set up; elsewhere they are thrown.
  ///
  /// - Throws: ``MockServerError`` with code `unmetSetup`, or what a call before reported that could not throw.
  public func verify() async throws(MockServerError) {
    for session in sessions.withLockedValue({ Array($0.values) }) { try await session.verify() }
    for setup in ledger.takeSetups() {
      let met = await server.timesMet(setup.id)
      let count =
        switch setup.kind {
        case .fault: met.fault
        case .hold: met.hold
        case .stub: met.stub
        }
      guard count == 0 else { continue }
      let error = MockServerError(
        .unmetSetup,
        "No request met the \(setup.kind.rawValue) for \(setup.route).\n"
          + JournalText.lines(await requests))
      report(error, at: setup.place)
    }
    let unexpected = await server.unexpectedRequests
    if !unexpected.isEmpty, ledger.takesUnexpected() {
      let refusals = unexpected.map { "  \($0.id). \($0.refusal ?? "")" }.joined(separator: "\n")
      let error = MockServerError(
        .unexpectedRequest,
        "Requests came that were not expected:\n\(refusals)\n"
          + JournalText.lines(unexpected))
      try error.reportForRunningTest()
    }
    try throwFailures()
  }

  /// Records what is wrong as an issue, or for the next call that throws.
  func report(_ error: MockServerError, at place: CodePlace) {
    do throws(MockServerError) {
      try place.report(error)
    } catch {
      ledger.recordFailure(error)
    }
  }

  private func throwFailures() throws(MockServerError) {
    let failures = ledger.takeFailures()
    guard let first = failures.first else { return }
    throw MockServerError(first.code, failures.map(\.message).joined(separator: "\n"))
  }

  /// Does what may fail, and reports the failure at a place.
  func check(
    _ place: CodePlace, _ body: () async throws(MockServerError) -> Void
  ) async throws(MockServerError) {
    try throwFailures()
    do throws(MockServerError) {
      try await body()
    } catch {
      try place.report(ledger.attachesRequests ? await error.namingAttachment(of: requests) : error)
    }
  }

  /// Sets something up that requests meet, and reports when it cannot be.
  ///
  /// - Parameter isNeeded: Whether at least one request should meet it.
  /// - Returns: Its id; 0 when it cannot be set up.
  func setUp(
    _ kind: Ledger.Setup.Kind, _ route: Route, isNeeded: Bool, at place: CodePlace,
    _ body: () async throws -> Int
  ) async -> Int {
    do {
      let id = try await body()
      if isNeeded { ledger.record(Ledger.Setup(kind: kind, id: id, route: route, place: place)) }
      return id
    } catch {
      report(MockServerError(.invalidSetup, "The \(kind.rawValue) for \(route) cannot be set up: \(error)"), at: place)
      return 0
    }
  }
}
