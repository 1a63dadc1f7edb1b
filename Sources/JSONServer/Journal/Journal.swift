import DequeModule

/// The newest exchanges of a server, and the waiters for one that is yet to come.
struct Journal {
  /// A caller that waits for an exchange.
  private struct Waiter {
    /// The exchange after which it waits.
    let last: Int
    let predicate: @Sendable (Exchange) -> Bool
    let continuation: CheckedContinuation<Exchange?, Never>
    let deadline: EventLoopExecutor.ScheduledTask
  }

  private let capacity: Int
  /// The most bytes of bodies that are kept, so that large responses do not fill the memory.
  private var byteCapacity: Int
  private var kept: Deque<Exchange> = []
  private var keptBytes = 0
  private var waiters: [Int: Waiter] = [:]
  /// Whether the bytes of a large body are being made.
  var isMakingBytes = false

  init(capacity: Int, byteCapacity: Int) {
    self.capacity = max(capacity, 0)
    self.byteCapacity = max(byteCapacity, 0)
  }

  /// The exchanges that are kept, oldest first.
  var exchanges: [Exchange] {
    // An array of an empty deque writes its count, 0 as before, into the one empty array that all threads share.
    kept.isEmpty ? [] : Array(kept)
  }

  /// The exchange with a number, if it is still kept. O(number of exchanges).
  subscript(id: Int) -> Exchange? { kept.last { $0.id == id } }

  /// Adds an exchange, drops what is too old to keep, and resumes the waiters for which it matches.
  mutating func append(_ exchange: Exchange) {
    kept.append(exchange)
    keptBytes += exchange.bodyBytes
    dropOldest()
    resumeWaiters(with: exchange)
  }

  /// Puts an exchange in the place of the one with its id, if that is still kept, and resumes the waiters for which it
  /// matches.
  mutating func replace(with exchange: Exchange) {
    // Few exchanges come between a request and its response.
    if let index = kept.lastIndex(where: { $0.id <= exchange.id }), kept[index].id == exchange.id {
      keptBytes += exchange.bodyBytes - kept[index].bodyBytes
      kept[index] = exchange
      // Before, its body was perhaps not there, or counted by estimate.
      dropOldest()
    }
    resumeWaiters(with: exchange)
  }

  /// The newest exchange of whose large body the bytes are not made yet.
  var newestInSlices: Exchange? {
    kept.last { if case .slices = $0.sent.body { true } else { false } }
  }

  private mutating func resumeWaiters(with exchange: Exchange) {
    guard !waiters.isEmpty else { return }
    for (number, waiter) in waiters where exchange.id > waiter.last && waiter.predicate(exchange) {
      endWaiting(number, with: exchange)
    }
  }

  /// Keeps fewer or more bytes of bodies from now on.
  mutating func setByteCapacity(_ byteCapacity: Int) {
    self.byteCapacity = byteCapacity
    dropOldest()
  }

  private mutating func dropOldest() {
    while kept.count > capacity || keptBytes > byteCapacity, let oldest = kept.popFirst() {
      keptBytes -= oldest.bodyBytes
    }
  }

  /// Removes the exchanges; waiters keep waiting.
  mutating func removeAll() {
    kept.removeAll()
    keptBytes = 0
  }

  /// Returns the oldest exchange after an id that matches.
  func first(after id: Int, where predicate: (Exchange) -> Bool) -> Exchange? {
    kept.first { $0.id > id && predicate($0) }
  }

  // MARK: Waiting

  /// Whether there are waiters.
  var isAwaited: Bool { !waiters.isEmpty }

  /// Adds a waiter, by a number of the caller's choice.
  mutating func wait(
    _ number: Int, after id: Int, until deadline: EventLoopExecutor.ScheduledTask,
    for predicate: @escaping @Sendable (Exchange) -> Bool, _ continuation: CheckedContinuation<Exchange?, Never>
  ) {
    waiters[number] = Waiter(last: id, predicate: predicate, continuation: continuation, deadline: deadline)
  }

  /// Resumes a waiter; does nothing when it was resumed already.
  mutating func endWaiting(_ number: Int, with exchange: Exchange? = nil) {
    guard let waiter = waiters.removeValue(forKey: number) else { return }
    waiter.deadline.cancel()
    waiter.continuation.resume(returning: exchange)
  }

  /// Resumes all waiters.
  mutating func endWaiting() {
    for number in waiters.keys { endWaiting(number) }
  }
}

extension Exchange {
  fileprivate var bodyBytes: Int { request.body.count + sent.body.estimatedByteCount }
}
