import NIOCore
import NIOPosix

/// Threads for work that would keep an event loop from its clients.
///
/// Shared by all servers of the process, begun at first use, and there as long as it lives. On Linux the loops come first
/// where there are too few processors for both: with four clients that read 100 MB each, on two processors, a small
/// request takes 0.3 ms instead of 0.5, and the slowest of a hundred 4 ms instead of 8 to 14.
struct WorkerThreads: Sendable {
  /// For the slices of large bodies: each is done in a fraction of a millisecond.
  static let slices = WorkerThreads()
  /// For what reads many records, which may take long.
  static let calculations = WorkerThreads()
  /// For changes of many records, which other writes wait for, and so must not wait for reads.
  static let changes = WorkerThreads()

  /// How many they are.
  static let count = max(2, NIOCore.System.coreCount)

  private let pool: NIOThreadPool

  private init() {
    pool = NIOThreadPool(numberOfThreads: Self.count)
    pool.start()
  }

  /// Releases a value on another thread: what holds many records takes long to be freed.
  ///
  /// - Parameter other: What takes its place.
  static func release<Value: Sendable>(_ value: inout Value, leaving other: Value) {
    changes.run { [value] in withExtendedLifetime(value) {} }
    value = other
  }

  /// Has a thread do work when all work before has begun.
  func run(_ work: @escaping @Sendable () -> Void) {
    pool.submit { _ in
      // Said each time, which costs a fraction of a microsecond: the pool has no word for when a thread begins.
      System.lowerThreadPriority()
      work()
    }
  }
}
