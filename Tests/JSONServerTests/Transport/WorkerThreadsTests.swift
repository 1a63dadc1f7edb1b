#if canImport(Glibc)
  import Glibc
  import Testing

  @testable import JSONServer

  struct WorkerThreadsTests {
    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test(arguments: [WorkerThreads.slices, .calculations, .changes])
    func `Workers come after the loops where both want a processor`(_ threads: WorkerThreads) async {
      let usual = Self.niceness
      let lower = await withCheckedContinuation { continuation in
        threads.run { continuation.resume(returning: Self.niceness) }
      }
      #expect(lower > usual)
    }
  }
#endif
