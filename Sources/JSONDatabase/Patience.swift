import Synchronization

/// The time that a reader has, and whether its result is still needed.
///
/// Call ``allows(_:_:isUnderWay:)`` before slow work. If it returns false, return at once, with any value: nobody sees it,
/// since ``Database/attempt(within:_:)`` returns `nil` then.
package final class Patience: Sendable {
  /// Work for which there was no time.
  package struct Work: Sendable {
    /// A name for people, such as `indexing orders by score`; `nil` for reading only.
    package let name: String?
    /// Whether another thread was already doing it.
    package let isUnderWay: Bool
  }

  /// Does the parts of some work on several threads, by their numbers from 0, and returns when all are done.
  package typealias Sharing = @Sendable (_ count: Int, _ part: @escaping @Sendable (Int) -> Void) -> Void

  /// Unlimited time, for results that are always needed.
  package static let endless = Patience()

  /// Whether there is time only for results that are found immediately.
  package let isShort: Bool
  /// Shares work among threads; `nil` to do all of it on this thread.
  private let sharing: Sharing?
  private let isOverFlag = Atomic(false)
  private let refused = Mutex<Work?>(nil)

  /// - Parameters:
  ///   - isShort: Whether there is time only for results that are found immediately.
  ///   - sharing: Shares work among threads; `nil` to do all of it on the reader's thread.
  package init(isShort: Bool = false, sharing: Sharing? = nil) {
    self.isShort = isShort
    self.sharing = sharing
  }

  /// Whether the time is over, so that the result is incomplete.
  var isOver: Bool { isOverFlag.load(ordering: .relaxed) }

  /// The work for which there was no time.
  package var refusedWork: Work? { refused.withLock { $0 } }

  /// Ends the time: the result is not needed any more.
  package func end() { isOverFlag.store(true, ordering: .relaxed) }

  /// Begins again with another result.
  fileprivate func renew() {
    guard isOver else { return }
    refused.withLock { $0 = nil }
    isOverFlag.store(false, ordering: .relaxed)
  }

  /// Whether several threads read a range.
  func shares(_ range: Range<Int>) -> Bool { sharing != nil && Self.partCount(range) > 1 }

  private static func partCount(_ range: Range<Int>) -> Int {
    min(range.count / QueryPlan.minimumPart, QueryPlan.maximumParts)
  }

  /// Collects results from the parts of a range, in order, on several threads if there are any.
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

  /// Asks for time for work that may take long.
  ///
  /// - Parameters:
  ///   - isLong: Whether the work takes noticeably long.
  ///   - name: A name for people.
  ///   - isUnderWay: Whether another thread is already doing it.
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

extension Database {
  /// Runs work on this version until its time limit. A short limit starts anew for each attempt.
  ///
  /// - Returns: What the work returned or threw; `nil` when there was no time for all of it. Then drop the version.
  package mutating func attempt<Success, Failure: Error>(
    within patience: Patience, _ work: (inout Database) throws(Failure) -> Success
  ) -> Result<Success, Failure>? {
    if patience.isShort { patience.renew() }
    guard !patience.isOver else { return nil }
    self.patience = patience
    let outcome = Result { () throws(Failure) in try work(&self) }
    self.patience = .endless
    return patience.isOver ? nil : outcome
  }
}
