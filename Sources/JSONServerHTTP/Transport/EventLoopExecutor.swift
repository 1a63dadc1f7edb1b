import Dispatch
import NIOConcurrencyHelpers
package import NIOCore
import NIOPosix

/// The event loop of a server: one thread that does one piece of work after the other.
///
/// All servers of the process share the event loops, which never end.
package struct EventLoopExecutor: Sendable {
  /// The next event loop of the process, unless a test controls the time of its own.
  var eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

  package init(eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()) {
    self.eventLoop = eventLoop
  }

  /// The executor of an actor on this event loop; code on the event loop may use `assumeIsolated` with the actor.
  package var executor: any SerialExecutor { eventLoop.executor }

  /// Runs work on the event loop, after waiting work.
  package func execute(_ work: @escaping @Sendable () -> Void) {
    eventLoop.execute(work)
  }

  /// Runs work on the event loop after some time.
  ///
  /// - Returns: The task, for canceling the work before it begins. Releasing it cancels nothing.
  @discardableResult
  package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledTask {
    ScheduledTask(scheduled: eventLoop.scheduleTask(in: TimeAmount(delay), work))
  }

  /// Does blocking work on another thread; the event loop has done everything that this work passed to it when this
  /// returns.
  package func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "swift-json-server.blocking").async {
        let result = work()
        // The thread sanitizer misses the order of a continuation that is resumed before it is awaited, but sees the
        // event loop's lock.
        execute { continuation.resume(returning: result) }
      }
    }
  }

  /// Work that an event loop does later.
  package struct ScheduledTask: Sendable {
    fileprivate let scheduled: Scheduled<Void>

    /// Cancels the work, unless it has begun.
    package func cancel() {
      scheduled.cancel()
    }
  }
}

/// Threads for work that would block an event loop.
///
/// All servers of the process share them; they begin at first use and never end. On Linux, event loops come first when
/// there are too few processors: with four clients that read 100 MB each, on two processors, a small request takes 0.3
/// ms instead of 0.5, and the slowest of a hundred 4 ms instead of 8 to 14.
package struct WorkerThreads: Sendable {
  /// For slices of large bodies that take longer than the loop may; each takes some milliseconds at most.
  static let slices = WorkerThreads()
  /// For reads of many records, which may take long.
  package static let calculations = WorkerThreads()
  /// For changes of many records, for which other writes wait, so they must not wait for reads.
  package static let changes = WorkerThreads()

  /// The number of threads.
  static let count = max(2, NIOCore.System.coreCount)

  private let pool: NIOThreadPool

  private init() {
    pool = NIOThreadPool(numberOfThreads: Self.count)
    pool.start()
  }

  /// Releases a value on another thread, since freeing many records takes long.
  ///
  /// - Parameter other: The value that replaces it.
  package static func release<Value: Sendable>(_ value: inout Value, leaving other: Value) {
    changes.run { [value] in withExtendedLifetime(value) {} }
    value = other
  }

  /// Does the parts of some work on this thread, which is one of these, and on free ones; returns when all are done.
  package func share(_ count: Int, _ part: @escaping @Sendable (Int) -> Void) {
    let rest = NIOLockedValueBox(0..<count)
    let undone = DispatchGroup()
    for _ in 0..<count { undone.enter() }
    let help = { @Sendable in
      while let number = rest.withLockedValue({ $0.popFirst() }) {
        part(number)
        undone.leave()
      }
    }
    for _ in 1..<min(Self.count, count) { run(help) }
    help()
    undone.wait()
  }

  /// Queues work for a thread; work begins in order.
  package func run(_ work: @escaping @Sendable () -> Void) {
    pool.submit { _ in
      // Set each time, which takes a fraction of a microsecond: the pool does not report the start of a thread.
      System.lowerThreadPriority()
      work()
    }
  }
}
