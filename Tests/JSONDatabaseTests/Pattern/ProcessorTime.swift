import Foundation

/// Returns the seconds that the processor spends on some work; what others take of its time does not count.
func processorTime(of work: () throws -> Void) rethrows -> Double {
  let start = processorTime()
  try work()
  return processorTime() - start
}

/// The seconds that the processor has spent on this thread.
private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
