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

  /// What went wrong where no test of Swift Testing could take it as an issue: in a call that does not throw, or in the
  /// server's own tasks.
  struct Failure: Sendable {
    let error: MockServerError
    /// Where it was set up; `nil` when the message says it.
    let place: CodePlace?
  }

  private struct State {
    var setups: [Setup] = []
    var expected: Set<Int> = []
    var hasReportedUnexpected = false
    var namesAttachment = false
    var failures: [Failure] = []
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
    !exchange(\.hasReportedUnexpected, for: true)
  }

  /// Has one issue of the test, the first with requests, say that they are attached to it.
  func nameAttachment() {
    state.withLockedValue { $0.namesAttachment = true }
  }

  /// Whether an issue is the one that says so.
  func takesAttachment() -> Bool {
    exchange(\.namesAttachment, for: false)
  }

  func recordFailure(_ error: MockServerError, at place: CodePlace?) {
    state.withLockedValue { $0.failures.append(Failure(error: error, place: place)) }
  }

  func takeFailures() -> [Failure] {
    exchange(\.failures, for: [])
  }

  func takeSetups() -> [Setup] {
    exchange(\.setups, for: [])
  }

  /// Sets what is at a place, and returns what was there.
  private func exchange<Value: Sendable>(_ place: WritableKeyPath<State, Value>, for new: Value) -> Value {
    state.withLockedValue { state in
      defer { state[keyPath: place] = new }
      return state[keyPath: place]
    }
  }
}

extension MockServer {
  /// Looks over what the test has set up: a fault or a stub with `times`, or a hold, that no request met is a failure.
  ///
  /// The trait and `withJSONServer` do this at the end of a test; a test with ``start(_:routes:pathPrefix:unexpectedRequests:auth:listens:sourcePath:configure:)``
  /// does it in `tearDown`. In Swift Testing each is recorded as an issue where it was set up; elsewhere they are thrown.
  ///
  /// - Throws: ``MockServerError`` with code `unmetSetup`, or what a call before reported that could not throw; of several
  ///   failures, in this server and its sessions, the code of the first and the messages of all.
  public func verify() async throws(MockServerError) {
    for (_, session) in sessions.withLockedValue({ $0.sorted { $0.key < $1.key } }) {
      do throws(MockServerError) {
        try await session.verify()
      } catch {
        ledger.recordFailure(error, at: nil)
      }
    }
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
      do throws(MockServerError) {
        try error.reportForRunningTest()
      } catch {
        ledger.recordFailure(error, at: nil)
      }
    }
    try reportFailures()
  }

  /// Records what is wrong as an issue, or for the next call that throws.
  func report(_ reported: MockServerError, at place: CodePlace) {
    do throws(MockServerError) {
      try place.report(reported)
    } catch {
      ledger.recordFailure(reported, at: place)
    }
  }

  private func reportFailures() throws(MockServerError) {
    var failures: [MockServerError] = []
    for failure in ledger.takeFailures() {
      do throws(MockServerError) {
        guard let place = failure.place else { throw failure.error }
        try place.report(failure.error)
      } catch {
        failures.append(error)
      }
    }
    guard let first = failures.first else { return }
    throw MockServerError(first.code, failures.map(\.message).joined(separator: "\n"))
  }

  /// Does what may fail, and reports the failure at a place.
  func check(
    _ place: CodePlace, _ body: () async throws(MockServerError) -> Void
  ) async throws(MockServerError) {
    try reportFailures()
    do throws(MockServerError) {
      try await body()
    } catch {
      let namesAttachment = await !requests.isEmpty && ledger.takesAttachment()
      try place.report(namesAttachment ? error.namingAttachment : error)
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
