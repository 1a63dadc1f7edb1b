package import JSONServer
import NIOConcurrencyHelpers

/// The rules, expectations and failures of a test, for the check at its end.
package final class Ledger: Sendable {
  /// Records an error as an issue of the running test, at a place in its source, or for the next call that throws.
  package typealias Report = @Sendable (MockServerError) -> Void

  /// A fault, a hold or a stub that at least one request should meet.
  package struct Setup: Sendable {
    package let kind: Rule.Kind
    package let id: Int
    package let request: RequestPattern
    package let report: Report
  }

  /// A failure in a call that does not throw, or in a task of the server; reports it when it is called.
  package typealias Failure = @Sendable () throws(MockServerError) -> Void

  private struct State {
    var setups: [Setup] = []
    var expected: Set<Int> = []
    /// The unexpected requests that the journal no longer has.
    var unexpected: [Exchange] = []
    var namesAttachment = false
    var failures: [Failure] = []
  }

  private let state = NIOLockedValueBox(State())

  /// The unexpected requests that were reported, of a server and its sessions. Kept alive, so that no new object gets the same
  /// identifier.
  private let reported: NIOLockedValueBox<[ObjectIdentifier: Exchange]>

  /// - Parameter server: The ledger of the server, for that of one of its sessions.
  init(of server: Ledger? = nil) {
    reported = server?.reported ?? NIOLockedValueBox([:])
  }

  package func recordSetup(_ kind: Rule.Kind, _ id: Int, _ request: RequestPattern, _ report: @escaping Report) {
    state.withLockedValue { $0.setups.append(Setup(kind: kind, id: id, request: request, report: report)) }
  }

  /// Forgets all set-ups of a kind.
  package func forgetAll(_ kind: Rule.Kind) {
    state.withLockedValue { $0.setups.removeAll { $0.kind == kind } }
  }

  package func recordExpected(_ exchanges: [Exchange]) {
    state.withLockedValue { $0.expected.formUnion(exchanges.map(\.id)) }
  }

  /// The exchanges that met no expectation.
  package func unexpected(among exchanges: [Exchange]) -> [Exchange] {
    let expected = state.withLockedValue { $0.expected }
    return exchanges.filter { !expected.contains($0.id) }
  }

  /// Keeps unexpected requests that the journal is about to forget.
  package func recordUnexpected(_ exchanges: [Exchange]) {
    state.withLockedValue { $0.unexpected += exchanges }
  }

  /// Takes the unexpected requests to report: of the kept and the current ones, those that were not reported before.
  package func takeUnexpected(_ current: [Exchange]) -> [Exchange] {
    let all = exchange(\.unexpected, for: []) + current
    return reported.withLockedValue { reported in
      all.filter { reported.updateValue($0, forKey: ObjectIdentifier($0)) == nil }
    }
  }

  /// Lets the first issue with requests name the attachment.
  package func nameAttachment() {
    state.withLockedValue { $0.namesAttachment = true }
  }

  /// Whether an issue names the attachment; true once.
  package func takesAttachment() -> Bool {
    exchange(\.namesAttachment, for: false)
  }

  package func recordFailure(_ failure: @escaping Failure) {
    state.withLockedValue { $0.failures.append(failure) }
  }

  package func takeFailures() -> [Failure] {
    exchange(\.failures, for: [])
  }

  package func takeSetups() -> [Setup] {
    exchange(\.setups, for: [])
  }

  /// Sets a value, and returns the old one.
  private func exchange<Value: Sendable>(_ place: WritableKeyPath<State, Value>, for new: Value) -> Value {
    state.withLockedValue { state in
      defer { state[keyPath: place] = new }
      return state[keyPath: place]
    }
  }
}
