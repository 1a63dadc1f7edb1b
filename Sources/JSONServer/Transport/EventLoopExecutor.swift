import NIOCore
import NIOPosix

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
