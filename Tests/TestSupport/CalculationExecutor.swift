import Dispatch
package import Testing

/// Runs tests that mostly calculate on threads of their own.
///
/// All other tests of a process share a thread for each processor. A minute of calculation there is a minute in which no
/// test of a server goes on, and those tests have deadlines.
package struct OnOwnThreads: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(CalculationExecutor.shared) { try await function() }
  }
}

extension Trait where Self == OnOwnThreads {
  /// Of a suite or test that mostly calculates.
  package static var calculates: Self { Self() }
}

/// Runs one calculation after another, and leaves it to the system to share the processors with all other threads.
private final class CalculationExecutor: TaskExecutor {
  static let shared = CalculationExecutor()

  private let queue = DispatchQueue(label: "calculations")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
