import Synchronization

/// Something that is found out about all rows of a collection, and that follows their changes.
///
/// A value: a reader keeps the one that it was given, whatever becomes of the rows. Copies share what they can.
protocol RowIndex: Sendable {
  /// Follows the rows from one version to another.
  ///
  /// - Returns: Whether it is right for the other version; if not, it is found out anew.
  mutating func follow(_ changes: RowChanges) -> Bool
}

/// What differs between two versions of the rows of a collection.
struct RowChanges {
  let before: PersistentRowVector
  let after: PersistentRowVector
  /// The slots in which the rows differ, ascending.
  let slots: [Int]

  /// Calls a closure with each change.
  @inline(__always)
  func forEach(_ body: (_ slot: Int, _ old: Row?, _ new: Row?) -> Void) {
    for slot in slots { body(slot, before[slot], after[slot]) }
  }

  /// The changes as rows that came, went or became others, for what is the sum of its rows.
  ///
  /// - Parameter body: Is given a row and its step: 1 for one that came, -1 for one that went.
  func forEachStep(_ body: (Row, Int) -> Void) {
    forEach { _, old, new in
      if let new { body(new, 1) }
      if let old { body(old, -1) }
    }
  }
}

/// What is known of the rows of a collection, whatever that is.
protocol RowFollower: Sendable {
  /// Follows the rows, or gives up what is not worth following.
  func catchUp(to rows: PersistentRowVector)

  /// Gives up what is known of rows that have changed much since, which it would keep in memory.
  func trim(_ rows: PersistentRowVector)
}

/// One thing that is found out about the rows of a collection at first use, by whichever thread needs it first.
///
/// All versions of a collection share it. It is about the version for which it was asked last, and follows the rows to
/// the version for which it is asked next: few rows differ between the two. So a write costs no index anything, a change
/// that is taken back need not be undone in any, and what a slow reader finds out about an old version serves new ones.
final class SharedIndex<Value: RowIndex>: RowFollower {
  private struct State: Sendable {
    var rows: PersistentRowVector
    var value: Value

    mutating func apply<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
  }

  /// Follows the rows to another version.
  ///
  /// - Returns: Whether it is known now; not when more rows differ than a number, or the value cannot follow.
  private static func follow(_ state: inout State?, to rows: PersistentRowVector, atMost maximum: Int) -> Bool {
    guard let before = state?.rows else { return false }
    if rows.isIdentical(to: before) { return true }
    guard let slots = rows.differences(from: before, atMost: maximum) else { return false }
    guard state?.value.follow(RowChanges(before: before, after: rows, slots: slots)) == true else {
      // It may have followed a part of the way.
      state = nil
      return false
    }
    state?.rows = rows
    return true
  }

  private let state: Mutex<State?>

  /// - Parameter other: An index, with what is known in which this one begins, unless that is being made.
  init(copying other: SharedIndex? = nil) {
    let known = other?.state.withLockIfAvailable { $0 } ?? nil
    state = Mutex(known)
  }

  /// The most changed rows that are followed without a second thought.
  private static var quickChanges: Int { 200 }

  /// Returns what is found out about some rows.
  ///
  /// - Parameters:
  ///   - work: What finding it out is called.
  ///   - make: Finds it out.
  /// - Returns: `nil` when there is no time for that.
  func value(
    of rows: PersistentRowVector, _ patience: Patience, _ work: @autoclosure () -> String? = nil,
    make: (PersistentRowVector) -> Value
  ) -> Value? {
    read(rows, patience, work(), make: make) { $0 }
  }

  /// Passes a closure what is found out about some rows, perhaps to keep more of the same with it.
  ///
  /// - Returns: `nil` when there is no time for that.
  func read<Result: Sendable>(
    _ rows: PersistentRowVector, _ patience: Patience, _ work: @autoclosure () -> String? = nil,
    make: (PersistentRowVector) -> Value, _ body: (inout Value) -> Result
  ) -> Result? {
    if patience.isShort, rows.isLarge {
      let result = state.withLockIfAvailable { state -> Result? in
        guard Self.follow(&state, to: rows, atMost: Self.quickChanges) else {
          _ = patience.allows(true, work())
          return nil
        }
        return state?.apply(body)
      }
      guard let result else {
        _ = patience.allows(true, work(), isUnderWay: true)
        return nil
      }
      return result
    }
    return state.withLock { state in
      // With more changes, finding it out anew costs less.
      if !Self.follow(&state, to: rows, atMost: max(2_000, rows.count / 8)) {
        // What was known need not be kept while the rest is found out.
        state = nil
        if patience.isOver { return nil }
        let value = make(rows)
        if patience.isOver { return nil }
        state = State(rows: rows, value: value)
      }
      return state?.apply(body)
    }
  }

  /// What is known of some rows without reading more than a few of them.
  func known(of rows: PersistentRowVector) -> Value? {
    let value = state.withLockIfAvailable { state in
      Self.follow(&state, to: rows, atMost: Self.quickChanges) ? state?.value : nil
    }
    return value ?? nil
  }

  func catchUp(to rows: PersistentRowVector) {
    state.withLock { state in
      if !Self.follow(&state, to: rows, atMost: max(2_000, rows.count / 8)) { state = nil }
    }
  }

  /// Gives up what is known.
  func forget() { state.withLock { $0 = nil } }

  func trim(_ rows: PersistentRowVector) {
    _ = state.withLockIfAvailable { state in
      if let known = state?.rows, rows.differences(from: known, atMost: Self.quickChanges) == nil { state = nil }
    }
  }
}

/// Indexes of one kind by what they are about; when one too many is added, the least recently used one is dropped.
final class IndexTable<Key: Hashable & Sendable, Value: RowIndex>: RowFollower {
  private let indexes: Mutex<LRUCache<Key, SharedIndex<Value>>>

  /// - Parameter other: Indexes, with what is known in which these begin.
  init(_ maximumCount: Int, copying other: IndexTable? = nil) {
    let known = other?.indexes.withLock { $0 }.mapValues { SharedIndex(copying: $0) }
    indexes = Mutex(known ?? LRUCache(maximumCount))
  }

  /// The index of a key, which may have to be made still.
  subscript(key: Key) -> SharedIndex<Value> {
    indexes.withLock { $0.value(for: key) { SharedIndex() } }
  }

  func removeAll() { indexes.withLock { $0.removeAll() } }

  func catchUp(to rows: PersistentRowVector) {
    for index in indexes.withLock({ $0.all }) { index.catchUp(to: rows) }
  }

  func trim(_ rows: PersistentRowVector) {
    for index in indexes.withLock({ $0.all }) { index.trim(rows) }
  }
}

/// A few values by key; when one too many is added, the least recently used one is dropped.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let maximumCount: Int
  private var entries: [Key: (value: Value, lastUse: Int)] = [:]
  private var uses = 0

  init(_ maximumCount: Int) {
    self.maximumCount = maximumCount
  }

  /// The value of a key; reading it counts as a use.
  subscript(key: Key) -> Value? {
    mutating get {
      uses += 1
      entries[key]?.lastUse = uses
      return entries[key]?.value
    }
    set {
      uses += 1
      entries[key] = newValue.map { ($0, uses) }
      guard entries.count > maximumCount else { return }
      if let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key { entries[oldest] = nil }
    }
  }

  /// The value of a key, made when there is none.
  mutating func value(for key: Key, make: () -> Value) -> Value {
    if let value = self[key] { return value }
    let value = make()
    self[key] = value
    return value
  }

  /// The value of a key; asking is no use of it.
  func known(_ key: Key) -> Value? { entries[key]?.value }

  /// All values, in any order.
  var all: [Value] { entries.values.map(\.value) }

  mutating func removeAll() { entries = [:] }

  /// The same with each value changed.
  func mapValues(_ transform: (Value) -> Value) -> LRUCache {
    var result = self
    result.entries = entries.mapValues { (transform($0.value), $0.lastUse) }
    return result
  }
}
