#if PostgreSQL
  import Dispatch

  /// An actor that may block, since it works on a queue of its own.
  protocol BlockingActor: Actor {
    nonisolated var executor: QueueExecutor { get }
  }

  extension BlockingActor {
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Does work after the actor's current work.
    nonisolated func perform(_ work: @escaping @Sendable (isolated Self) -> Void) {
      executor.queue.async { self.assumeIsolated(work) }
    }

    /// Does work after the actor's current work, and blocks until it is done.
    nonisolated func finish(_ work: (isolated Self) -> Void) {
      executor.queue.sync { self.assumeIsolated(work) }
    }
  }

  /// The queue of an actor that may block.
  final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(_ label: String) {
      queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
      dispatchPrecondition(condition: .onQueue(queue))
    }
  }
#endif
