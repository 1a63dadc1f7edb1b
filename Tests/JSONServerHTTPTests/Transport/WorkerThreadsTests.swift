#if canImport(Glibc)
  import Glibc
  import Testing

  @testable import JSONServerHTTP

  struct WorkerThreadsTests {
    /// - Parameter thread: 0 for the calling one.
    private static func niceness(of thread: Int32) -> Int32 {
      getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(thread))
    }

    @Test(arguments: [WorkerThreads.slices, .calculations, .changes])
    func `Workers come after the loops where both want a processor`(_ threads: WorkerThreads) async {
      let loop = EventLoopExecutor()
      let niceness = await withCheckedContinuation { continuation in
        threads.run {
          let niceness = Self.niceness(of: 0)
          // From a loop: a thread that is begun to go on with the test would take the niceness over.
          loop.execute { continuation.resume(returning: niceness) }
        }
      }
      #expect(niceness == min(Self.niceness(of: getpid()) + 3, 19))
    }
  }
#endif
