import Synchronization

/// How long a reader may take, and whether anybody still wants the result.
///
/// Code that is about to take long asks here first, and code that takes long asks again and again. When the answer is no,
/// the code returns something empty at once: the result is then incomplete, and the caller drops it.
package final class Patience: Sendable {
  /// Something that there was no time for.
  package struct Work: Sendable {
    /// A name for a person, such as `indexing orders by score`; `nil` when nothing but reading.
    package let name: String?
    /// Whether another thread was doing it already.
    package let isUnderWay: Bool
  }

  /// Does the parts of some work on several threads, by their numbers from 0, and returns when all are done.
  package typealias Sharing = @Sendable (_ count: Int, _ part: @escaping @Sendable (Int) -> Void) -> Void

  /// Time without an end, for results that somebody always wants.
  package static let endless = Patience()

  /// Whether there is time for what is found at once, and for nothing else.
  package let isShort: Bool
  /// How work is shared among threads; `nil` where this one does all of it.
  private let sharing: Sharing?
  private let isOverFlag = Atomic(false)
  private let refused = Mutex<Work?>(nil)

  /// - Parameters:
  ///   - isShort: Whether there is time for what is found at once, and for nothing else.
  ///   - sharing: How work is shared among threads; `nil` where the reader's does all of it.
  package init(isShort: Bool = false, sharing: Sharing? = nil) {
    self.isShort = isShort
    self.sharing = sharing
  }

  /// Whether the time is over: what was read is incomplete.
  package var isOver: Bool { isOverFlag.load(ordering: .relaxed) }

  /// The work for which there was no time.
  package var refusedWork: Work? { refused.withLock { $0 } }

  /// Ends the time: nobody wants the result any more.
  package func end() { isOverFlag.store(true, ordering: .relaxed) }

  /// Begins again with another result.
  package func renew() {
    guard isOver else { return }
    refused.withLock { $0 = nil }
    isOverFlag.store(false, ordering: .relaxed)
  }

  /// The most parts into which work is divided: a few for each thread, of which one may be busy with something else.
  private static let maximumParts = 16
  /// The least elements that are worth a part.
  private static let minimumPart = 1_000

  /// Whether several threads read a range.
  func shares(_ range: Range<Int>) -> Bool { sharing != nil && Self.partCount(range) > 1 }

  private static func partCount(_ range: Range<Int>) -> Int { min(range.count / minimumPart, maximumParts) }

  /// Collects what is found in the parts of a range, in order, on several threads where there are some.
  func collect<Element: Sendable>(
    in range: Range<Int>, _ find: @escaping @Sendable (Range<Int>) -> [Element]
  ) -> [Element] {
    let count = Self.partCount(range)
    guard let sharing, count > 1 else { return find(range) }
    let found = Mutex(Array(repeating: [Element](), count: count))
    let keep = { @Sendable (number: Int, elements: [Element]) in found.withLock { $0[number] = elements } }
    sharing(count) { number in
      let start = range.lowerBound + range.count * number / count
      keep(number, find(start..<(range.lowerBound + range.count * (number + 1) / count)))
    }
    return found.withLock { $0.flatMap { $0 } }
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
