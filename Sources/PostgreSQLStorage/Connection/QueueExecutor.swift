#if PostgreSQL
  import Dispatch

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
