import Synchronization

/// How long a reader may take, and whether anybody still wants the result.
///
/// Code that is about to take long asks here first, and code that takes long asks again and again. When the answer is no,
/// the code returns something empty at once: what was read is then incomplete, and whoever asked for it drops it.
package final class Patience: Sendable {
  /// Something that there was no time for.
  package struct Work: Sendable {
    /// What it is, for a person, such as `indexing orders by score`; `nil` when nothing but reading.
    package let name: String?
    /// Whether another thread was doing it already.
    package let isUnderWay: Bool
  }

  /// Time without an end, for results that somebody always wants.
  package static let endless = Patience()

  /// Whether there is time for what is found at once, and for nothing else.
  package let isShort: Bool
  private let isOverFlag = Atomic(false)
  private let refused = Mutex<Work?>(nil)

  /// - Parameter isShort: Whether there is time for what is found at once, and for nothing else.
  package init(isShort: Bool = false) {
    self.isShort = isShort
  }

  /// Whether the time is over: what was read is incomplete.
  package var isOver: Bool { isOverFlag.load(ordering: .relaxed) }

  /// What there was no time for.
  package var refusedWork: Work? { refused.withLock { $0 } }

  /// Ends the time: nobody wants the result any more.
  package func end() { isOverFlag.store(true, ordering: .relaxed) }

  /// Begins anew with another result.
  package func renew() {
    guard isOver else { return }
    refused.withLock { $0 = nil }
    isOverFlag.store(false, ordering: .relaxed)
  }

  /// Asks for the time to do something that may take long.
  ///
  /// - Parameters:
  ///   - isLong: Whether it takes noticeably long.
  ///   - name: What it is, for a person.
  ///   - isUnderWay: Whether another thread is doing it already.
  /// - Returns: Whether there is time.
  func allows(_ isLong: Bool, _ name: @autoclosure () -> String? = nil, isUnderWay: Bool = false) -> Bool {
    guard isLong, isShort else { return !isOver }
    if !isOver {
      refused.withLock { $0 = Work(name: name(), isUnderWay: isUnderWay) }
      end()
    }
    return false
  }
}
