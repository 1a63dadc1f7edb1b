import DequeModule

/// The requests that another server is asked for, or will be when others have ended.
///
/// It belongs to the server's engine, whose sessions share it; all of them run on one loop.
final class UpstreamCalls {
  let upstream: Upstream
  let name: ViaName
  /// What starts the calls that wait, and what ends those that are under way, by their numbers.
  private var waiting: Deque<(number: Int, start: () -> Void)> = []
  private var running: [Int: () -> Void] = [:]
  private var lastNumber = 0

  init(_ upstream: Upstream, random: UInt64) {
    self.upstream = upstream
    name = ViaName(random: random)
  }

  /// A number that no call has.
  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Starts a call, immediately or when others have ended.
  ///
  /// - Parameter start: Starts it, and returns what cancels it.
  func add(_ number: Int, _ start: @escaping () -> (() -> Void)) {
    let startNow = { [self] in
      running[number] = {}
      running[number] = start()
    }
    if running.count < max(upstream.maximumConcurrentRequests, 1) {
      startNow()
    } else {
      waiting.append((number, startNow))
    }
  }

  /// Ends a call, cancels what is left of it, and starts the next one.
  ///
  /// - Returns: Whether it had not ended before.
  func end(_ number: Int) -> Bool {
    guard let cancel = running.removeValue(forKey: number) else {
      guard let index = waiting.firstIndex(where: { $0.number == number }) else { return false }
      waiting.remove(at: index)
      return true
    }
    cancel()
    if let next = waiting.popFirst() { next.start() }
    return true
  }
}
