import OrderedJSON

/// The slots of a collection's records in the order of some sort keys.
///
/// Holds the order only: a write reads the few records that it compares with.
struct OrderIndex: Sendable {
  private let comparison: RowComparison
  private(set) var slots: OrderedSlots
  /// The kinds of values met under each key.
  private(set) var kinds: [SortValue.Kinds]

  /// Sorts all rows; `nil` when numbers and texts mix under a key, where the order depends on what else is sorted.
  ///
  /// - Complexity: O(n log n).
  init?(_ keys: [SortKey], dialect: Dialect, rows: RowVector) {
    comparison = RowComparison(keys: keys, dialect: dialect)
    var all: [Int32] = []
    all.reserveCapacity(rows.count)
    rows.forEach { slot, _ in
      all.append(Int32(slot))
      return true
    }
    let columns = Sorting(keys, dialect: dialect).columns(all, of: rows)
    kinds = columns.map { SortValue.Kinds($0) }
    guard !kinds.contains(where: \.isMixed) else { return nil }
    slots = OrderedSlots(Sorting(keys, dialect: dialect).sorted(all, by: columns))
  }

  /// Takes note that a row is being added, replaced or removed, while `rows` still holds what was there before.
  ///
  /// - Returns: Whether the index is still good.
  /// - Complexity: O(log n) records read.
  mutating func replace(_ old: Row?, with new: Row?, at slot: Int, in rows: RowVector) -> Bool {
    let comparison = comparison
    let oldValues = old.map(comparison.values)
    let newValues = new.map(comparison.values)
    if let oldValues, let newValues, comparison.order(oldValues, newValues) == 0 { return true }
    if let oldValues {
      slots.remove(Int32(slot)) { comparison.comes($0, before: oldValues, slot, in: rows) }
    }
    if let newValues {
      for index in kinds.indices { kinds[index].insert(newValues[index]) }
      guard !kinds.contains(where: \.isMixed) else { return false }
      slots.insert(Int32(slot)) { comparison.comes($0, before: newValues, slot, in: rows) }
    }
    return true
  }
}
