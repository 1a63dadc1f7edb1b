import Synchronization

/// An index of the rows of a collection, which can follow changes of the rows.
///
/// An index is a value: a reader keeps its copy when the rows change. Copies share memory.
protocol RowIndex: Sendable {
  /// Updates the index from one version of the rows to another.
  ///
  /// - Returns: Whether the index is valid for the other version; if not, it must be made again.
  mutating func follow(_ changes: RowChanges) -> Bool
}

/// The differences between two versions of the rows of a collection.
struct RowChanges {
  let before: PersistentRowVector
  let after: PersistentRowVector
  /// The slots in which the rows differ, in ascending order.
  let slots: [Int]

  /// Calls a closure with each change.
  @inline(__always)
  func forEach(_ body: (_ slot: Int, _ old: Row?, _ new: Row?) -> Void) {
    for slot in slots { body(slot, before[slot], after[slot]) }
  }

  /// Calls a closure with each added and removed row; a changed row is removed and added. For indexes that are sums
  /// over rows.
  ///
  /// - Parameter body: Called with a row and 1 for an added row, or -1 for a removed row.
  func forEachStep(_ body: (Row, Int) -> Void) {
    forEach { _, old, new in
      if let new { body(new, 1) }
      if let old { body(old, -1) }
    }
  }
}

/// Derived data of the rows of a collection.
protocol RowFollower: Sendable {
  /// Follows the rows, or drops data that is not worth following.
  func catchUp(to rows: PersistentRowVector)

  /// Drops data about rows that have changed much since, which it would keep in memory.
  func trim(_ rows: PersistentRowVector)

  /// Drops all data.
  func forget()
}

/// An index of a collection that is made at first use, by the thread that needs it first.
///
/// All versions of a collection share it. It remembers the rows for which it was last correct. A read first applies what
/// has changed since. So a write costs nothing for indexes, a rolled back change needs no
/// undo, and an index that a slow reader makes for an old version helps readers of new versions.
final class SharedIndex<Value: RowIndex>: RowFollower {
  private struct State: Sendable {
    var rows: PersistentRowVector
    var value: Value

    mutating func apply<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }
  }

  /// Updates the index to another version of the rows.
  ///
  /// - Returns: Whether the index is valid now; `false` when too many rows differ, or the index cannot follow.
  private static func follow(_ state: inout State?, to rows: PersistentRowVector, atMost maximum: Int) -> Bool {
    guard let before = state?.rows else { return false }
    if rows.isIdentical(to: before) { return true }
    guard let slots = rows.differences(from: before, atMost: maximum) else { return false }
    guard state?.value.follow(RowChanges(before: before, after: rows, slots: slots)) == true else {
      // The index may have followed a part of the changes.
      state = nil
      return false
    }
    state?.rows = rows
    return true
  }

  private let state: Mutex<State?>

  /// - Parameter other: An index with initial data, which is ignored while another thread is changing it.
  init(copying other: SharedIndex? = nil) {
    let known = other?.state.withLockIfAvailable { $0 } ?? nil
    state = Mutex(known)
  }

  /// Returns the index of some rows.
  ///
  /// - Parameters:
  ///   - work: The name of the work of making the index.
  ///   - make: Makes the index.
  /// - Returns: `nil` when there is no time for that.
  func value(
    of rows: PersistentRowVector, _ patience: Patience, _ work: @autoclosure () -> String? = nil,
    make: (PersistentRowVector) -> Value
  ) -> Value? {
    read(rows, patience, work(), make: make) { $0 }
  }

  /// Calls a closure with the index of some rows; the closure may extend the index.
  ///
  /// - Returns: `nil` when there is no time for that.
  func read<Result: Sendable>(
    _ rows: PersistentRowVector, _ patience: Patience, _ work: @autoclosure () -> String? = nil,
    make: (PersistentRowVector) -> Value, _ body: (inout Value) -> Result
  ) -> Result? {
    if patience.isShort, rows.isLarge {
      let result = state.withLockIfAvailable { state -> Result? in
        guard Self.follow(&state, to: rows, atMost: QueryPlan.followedImmediately) else {
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
    if patience.isShort {
      // Another thread may be making the index of an older version with many rows: then these few are read once more.
      let result = state.withLockIfAvailable { read(&$0, rows, patience, make, body) }
      if let result { return result }
      var value = make(rows)
      return patience.isOver ? nil : body(&value)
    }
    return state.withLock { read(&$0, rows, patience, make, body) }
  }

  private func read<Result>(
    _ state: inout State?, _ rows: PersistentRowVector, _ patience: Patience, _ make: (PersistentRowVector) -> Value,
    _ body: (inout Value) -> Result
  ) -> Result? {
    if !Self.follow(&state, to: rows, atMost: QueryPlan.followed(of: rows)) {
      // The old index need not stay in memory while the new one is made.
      state = nil
      if patience.isOver { return nil }
      let value = make(rows)
      if patience.isOver { return nil }
      state = State(rows: rows, value: value)
    }
    return state?.apply(body)
  }

  /// Calls a closure with the index, if it is correct for some rows, or follows few changes to them.
  func readIfCurrent<Result: Sendable>(_ rows: PersistentRowVector, _ body: (inout Value) -> Result) -> Result? {
    let result = state.withLockIfAvailable { state in
      Self.follow(&state, to: rows, atMost: QueryPlan.followedImmediately) ? state?.apply(body) : nil
    }
    return result ?? nil
  }

  func catchUp(to rows: PersistentRowVector) {
    state.withLock { state in
      if !Self.follow(&state, to: rows, atMost: QueryPlan.followed(of: rows)) { state = nil }
    }
  }

  func forget() { state.withLock { $0 = nil } }

  func trim(_ rows: PersistentRowVector) {
    _ = state.withLockIfAvailable { state in
      if let known = state?.rows, rows.differences(from: known, atMost: QueryPlan.followedImmediately) == nil {
        state = nil
      }
    }
  }
}

/// Indexes of one kind by key; when there is one too many, the least recently used one is dropped.
final class IndexTable<Key: Hashable & Sendable, Value: RowIndex>: RowFollower {
  private let indexes: Mutex<LRUCache<Key, SharedIndex<Value>>>

  /// - Parameter other: Indexes with initial data.
  init(_ maximumCount: Int, copying other: IndexTable? = nil) {
    let known = other?.indexes.withLock { $0 }.mapValues { SharedIndex(copying: $0) }
    indexes = Mutex(known ?? LRUCache(maximumCount))
  }

  /// The index of a key, which may still have to be made.
  subscript(key: Key) -> SharedIndex<Value> {
    indexes.withLock { $0.value(for: key) { SharedIndex() } }
  }

  /// The index of a key; `nil` when as many others are in use as may be. Who does without reads the records.
  func admitted(_ key: Key) -> SharedIndex<Value>? {
    indexes.withLock { $0.admit(key) { SharedIndex() } }
  }

  func forget() { indexes.withLock { $0.removeAll() } }

  func catchUp(to rows: PersistentRowVector) {
    for index in indexes.withLock({ $0.all }) { index.catchUp(to: rows) }
  }

  func trim(_ rows: PersistentRowVector) {
    for index in indexes.withLock({ $0.all }) { index.trim(rows) }
  }
}

/// A few values by key; when there is one too many, the least recently used one is dropped.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let maximumCount: Int
  private var entries: [Key: (value: Value, lastUse: Int)] = [:]
  private var uses = 0
  /// The use when a value was last dropped for another.
  private var lastDrop = 0

  init(_ maximumCount: Int) {
    self.maximumCount = maximumCount
  }

  /// For how many uses of the cache a value counts as in use.
  private var span: Int { 4 * maximumCount }

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

  /// The value of a key; made when it is missing.
  mutating func value(for key: Key, make: () -> Value) -> Value {
    if let value = self[key] { return value }
    let value = make()
    self[key] = value
    return value
  }

  /// The value of a key; made when it is missing, unless that would drop a value that is in use.
  ///
  /// Without that, a few keys too many in turn would each drop the value that is needed next.
  mutating func admit(_ key: Key, make: () -> Value) -> Value? {
    if entries[key] == nil, entries.count >= maximumCount {
      uses += 1
      let oldest = entries.values.lazy.map(\.lastUse).min() ?? 0
      guard uses - max(oldest, lastDrop) > span else { return nil }
      lastDrop = uses
    }
    return value(for: key, make: make)
  }

  /// All values, in any order.
  var all: [Value] { entries.values.map(\.value) }

  mutating func removeAll() { entries = [:] }

  /// The same cache with changed values.
  func mapValues(_ transform: (Value) -> Value) -> LRUCache {
    var result = self
    result.entries = entries.mapValues { (transform($0.value), $0.lastUse) }
    return result
  }
}
