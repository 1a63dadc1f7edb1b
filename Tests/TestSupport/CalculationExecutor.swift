import Dispatch
import Foundation
import Synchronization
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

/// Runs one calculation for each processor at a time, and leaves it to the system to share the processors with all other
/// threads.
///
/// The testing library begins only some tests at a time. On one thread, calculations that wait for each other would keep
/// all other tests from beginning.
private final class CalculationExecutor: TaskExecutor {
  static let shared = CalculationExecutor()

  /// Each has a thread of its own, unlike a concurrent queue, which shares those of all other tests.
  private let queues = (0..<max(1, ProcessInfo.processInfo.activeProcessorCount)).map {
    DispatchQueue(label: "calculations-\($0)")
  }
  /// The number of calculations of each queue that have not ended.
  private let loads: Mutex<[Int]>

  init() {
    loads = Mutex(queues.map { _ in 0 })
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let index = loads.withLock { loads in
      let index = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      loads[index] += 1
      return index
    }
    queues[index].async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      self.loads.withLock { $0[index] -= 1 }
    }
  }
}
