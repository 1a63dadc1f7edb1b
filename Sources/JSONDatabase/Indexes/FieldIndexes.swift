/// What a collection remembers about its records' fields, built at first use and kept current by each write.
struct FieldIndexes: Sendable {
  /// The most indexes of one kind; the least recently used is dropped when one more is built.
  private static let maximumCount = 16

  var equality = LRUCache<FieldPath, HashIndex>(maximumCount)
  var order = LRUCache<[SortKey], SortedIndex>(maximumCount)
  /// The sort keys under which numbers and texts mix.
  var unordered: Set<[SortKey]> = []

  /// Paths that some record is known to have, and paths that none has.
  var known: [FieldPath: Bool] = [:]

  /// What filters select that take many records of an index, until a record changes.
  var matches = LRUCache<FilterMatches.Key, FilterMatches>(maximumCount)

  /// Returns the index of the values at a path. O(n) at first use.
  mutating func equality(of path: FieldPath, in rows: PersistentRowVector) -> HashIndex {
    equality.value(for: path) { HashIndex(path, rows: rows) }
  }

  /// Returns the order by sort keys; `nil` when what they compare is mixed. O(n log n) at first use.
  mutating func order(
    by keys: [SortKey], in rows: PersistentRowVector, make: (PersistentRowVector) -> SortedIndex?
  ) -> SortedIndex? {
    if unordered.contains(keys) { return nil }
    if let index = order[keys] { return index }
    guard let index = make(rows) else {
      if unordered.count < Self.maximumCount { unordered.insert(keys) }
      return nil
    }
    order[keys] = index
    return index
  }

  /// Whether any row has a value at a path. O(n) at most, at first use.
  mutating func isKnown(_ path: FieldPath, in rows: PersistentRowVector) -> Bool {
    if let isUsed = known[path] { return isUsed }
    var found = false
    rows.forEach { _, row in
      found = row.withRecord { path.leads(in: $0) { _ in true } }
      return !found
    }
    if known.count >= Self.maximumKnown { known = [:] }
    known[path] = found
    return found
  }

  /// The most paths of which it is known whether a record has them: each write asks for all of them.
  static let maximumKnown = 256

  /// Records that a row is being added, replaced or removed, while `rows` still holds what was there before.
  mutating func replace(_ old: Row?, with new: Row?, at slot: Int, in rows: PersistentRowVector) {
    matches.removeAll { _ in true }
    equality.updateAll { index in
      index.replace(old, with: new, at: slot)
      return true
    }
    order.updateAll { $0.replace(old, with: new, at: slot, in: rows) }
    // Removing a row may end a mixture.
    if old != nil { unordered = [] }
    known = known.filter { path, isKnown in
      // A removed row may have been the last with a path, an added one the first.
      guard let row = isKnown ? old : new else { return true }
      return row.withRecord { !path.leads(in: $0) { _ in true } }
    }
  }
}

/// A few values by key; when one too many is added, the least recently used one is dropped.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let maximumCount: Int
  private var values: [Key: Value] = [:]
  private var lastUse: [Key: Int] = [:]
  private var uses = 0

  init(_ maximumCount: Int) {
    self.maximumCount = maximumCount
  }

  /// The value of a key; reading it counts as a use.
  subscript(key: Key) -> Value? {
    mutating get {
      guard let value = values[key] else { return nil }
      use(key)
      return value
    }
    set {
      if newValue != nil, values[key] == nil, values.count >= maximumCount { removeOldest() }
      values[key] = newValue
      if newValue == nil { lastUse[key] = nil } else { use(key) }
    }
  }

  /// The value of a key, made when there is none.
  mutating func value(for key: Key, make: () -> Value) -> Value {
    if let value = self[key] { return value }
    let value = make()
    self[key] = value
    return value
  }

  /// The keys, in any order.
  var keys: Dictionary<Key, Value>.Keys { values.keys }

  /// The value of a key; asking is no use of it.
  func known(_ key: Key) -> Value? { values[key] }

  /// Whether a key has a value; asking is no use of it.
  func contains(_ key: Key) -> Bool { values[key] != nil }

  /// Removes the values of the keys that satisfy a predicate.
  mutating func removeAll(where isRemoved: (Key) -> Bool) {
    for key in values.keys.filter(isRemoved) { self[key] = nil }
  }

  /// Adds the values of keys that have none.
  mutating func add(_ other: LRUCache) {
    for (key, value) in other.values where values[key] == nil { self[key] = value }
  }

  /// Changes every value in place; one for which the closure returns `false` is removed.
  mutating func updateAll(_ body: (inout Value) -> Bool) {
    for key in Array(values.keys) {
      // Taken out while it changes, so that the change does not copy it.
      guard var value = values.removeValue(forKey: key) else { continue }
      if body(&value) { values[key] = value } else { lastUse[key] = nil }
    }
  }

  private mutating func use(_ key: Key) {
    uses += 1
    lastUse[key] = uses
  }

  private mutating func removeOldest() {
    guard let oldest = lastUse.min(by: { $0.value < $1.value })?.key else { return }
    values[oldest] = nil
    lastUse[oldest] = nil
  }
}
