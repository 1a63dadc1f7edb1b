package import Testing

/// Lets the cases of tests that mostly calculate run one after another, whatever suites they are of.
///
/// All tests of a process share a thread for each processor, and take turns in one queue. On two processors a minute of
/// calculation in both is a minute in which no test of a server goes on, and those have deadlines.
package struct OneAtATime: SuiteTrait, TestTrait, TestScoping {
  private static let turns = Turns()

  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.take()
    do {
      try await function()
    } catch {
      await Self.turns.pass()
      throw error
    }
    await Self.turns.pass()
  }
}

extension Trait where Self == OneAtATime {
  /// Of a suite or test that mostly calculates.
  package static var calculates: Self { Self() }
}

/// Turns that are taken in the order in which they were asked for.
private actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async {
    if isTaken { return await withCheckedContinuation { waiting.append($0) } }
    isTaken = true
  }

  func pass() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
