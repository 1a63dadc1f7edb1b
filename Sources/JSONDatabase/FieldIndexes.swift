/// What a collection remembers about its records' fields, made at first use and kept up by each write.
struct FieldIndexes: Sendable {
  /// The most indexes of one kind; the least recently used goes when one more is made.
  private static let maximumCount = 16

  private var equality: [String: EqualityIndex] = [:]
  private var lastUse: [String: Int] = [:]
  private var uses = 0

  /// Paths that some record is known to have, and paths that none has.
  private var known: [String: Bool] = [:]

  /// Returns the index of the values at a path. O(n) at first use.
  mutating func equality(of path: FieldPath, in rows: RowVector) -> EqualityIndex {
    uses += 1
    lastUse[path.name] = uses
    if let index = equality[path.name] { return index }
    if equality.count >= Self.maximumCount, let oldest = lastUse.min(by: { $0.value < $1.value })?.key {
      equality[oldest] = nil
      lastUse[oldest] = nil
    }
    let index = EqualityIndex(path, rows: rows)
    equality[path.name] = index
    return index
  }

  /// Whether any row has a value at a path. O(n) at most, at first use.
  mutating func isKnown(_ path: FieldPath, in rows: RowVector) -> Bool {
    if let answer = known[path.name] { return answer }
    var found = false
    rows.forEach { _, row in
      found = row.withRecord { path.value(in: $0) != nil }
      return !found
    }
    if known.count > 256 { known = [:] }
    known[path.name] = found
    return found
  }

  /// Takes note that a row was added, replaced or removed.
  mutating func replace(_ old: Row?, with new: Row?, at slot: Int) {
    for name in equality.keys { equality[name]?.replace(old, with: new, at: slot) }
    // A row that goes may have been the last with a path, a row that comes the first.
    known = known.filter { path, isKnown in
      let fieldPath = FieldPath(path)
      let changed = isKnown ? old : new
      return changed.map { row in row.withRecord { fieldPath.value(in: $0) == nil } } ?? true
    }
  }
}
