import Dispatch
import NIOCore
import NIOPosix
import Synchronization

/// The event loop that a server lives on: one thread that runs one piece of work after the other.
///
/// Loops are shared by all servers of the process and live as long as it does.
struct EventLoopExecutor: Sendable {
  let eventLoop: any EventLoop

  /// Takes the next of the process's loops.
  init() {
    eventLoop = MultiThreadedEventLoopGroup.singleton.next()
  }

  /// Makes an executor of a loop whose time a test controls.
  init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  /// The executor of an actor that lives on this loop; what runs on the loop may `assumeIsolated` to such an actor.
  var executor: any SerialExecutor { eventLoop.executor }

  /// Whether the caller runs on this loop.
  var isCurrent: Bool { eventLoop.inEventLoop }

  /// Runs work on the loop, after what is already waiting there.
  func execute(_ work: @escaping @Sendable () -> Void) {
    eventLoop.execute(work)
  }

  /// Runs work on the loop when a time has passed.
  ///
  /// - Returns: The task, to cancel the work before it has begun. Releasing it cancels nothing.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledTask {
    ScheduledTask(scheduled: eventLoop.scheduleTask(in: TimeAmount(delay), work))
  }

  /// Work that a loop performs later.
  struct ScheduledTask: Sendable {
    fileprivate let scheduled: Scheduled<Void>

    /// Cancels the work; does nothing when it has begun.
    func cancel() {
      scheduled.cancel()
    }
  }
}

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

  /// Does the parts of some work on this thread, one of these, and on free ones; returns when all are done.
  func share(_ count: Int, _ part: @escaping @Sendable (Int) -> Void) {
    let work = SharedWork(count, part)
    for _ in 1..<min(Self.count, count) { run { work.help() } }
    work.help()
    work.wait()
  }

  /// Queues work for a thread; work begins in its order.
  func run(_ work: @escaping @Sendable () -> Void) {
    pool.submit { _ in
      // Said each time, which costs a fraction of a microsecond: the pool has no word for when a thread begins.
      System.lowerThreadPriority()
      work()
    }
  }
}

/// Work in parts, of which each thread that helps takes the next one.
private final class SharedWork: Sendable {
  private let count: Int
  private let part: @Sendable (Int) -> Void
  private let next = Atomic(0)
  private let done = Atomic(0)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ count: Int, _ part: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.part = part
  }

  /// Does parts until none is left that nobody has begun.
  func help() {
    while true {
      let number = next.add(1, ordering: .relaxed).oldValue
      guard number < count else { return }
      part(number)
      if done.add(1, ordering: .acquiringAndReleasing).newValue == count { isDone.signal() }
    }
  }

  /// Waits until all parts are done.
  func wait() { isDone.wait() }
}
