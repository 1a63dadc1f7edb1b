import JSONServerValues

/// The slots of a collection's records in the order of some sort keys.
///
/// Holds the order only: a write reads the few records that it compares with.
struct SortedIndex: RowIndex {
  private let order: SortOrder
  private(set) var slots = OrderedSlots([])
  /// The kinds of values found under each key.
  private(set) var kinds: [SortValue.Kinds]
  /// Whether a record has several values for the first key; only one of them decides its place.
  private var hasMultiples = false

  /// Whether numbers and texts mix under a key, so that the order depends on what else is sorted: then there is none.
  let isMixed: Bool

  /// Sorts all rows.
  ///
  /// - Complexity: O(n log n).
  init(_ sorting: Sorting, rows: PersistentRowVector) {
    order = sorting.order
    let first = order.keys[0].path
    var all: [Int32] = []
    all.reserveCapacity(rows.count)
    var hasMultiples = false
    rows.forEach { slot, row in
      all.append(Int32(slot))
      if first.isNested, !hasMultiples { hasMultiples = row.withRecord(first.isMultiple) }
    }
    self.hasMultiples = hasMultiples
    let columns = sorting.columns(all, of: rows)
    kinds = columns.map { SortValue.Kinds($0) }
    isMixed = kinds.contains(where: \.isMixed)
    if !isMixed { slots = OrderedSlots(sorting.sorted(all, by: columns)) }
  }

  /// - Complexity: O(log n) records read for each change.
  mutating func follow(_ changes: RowChanges) -> Bool {
    // A row that goes may end a mixture.
    if isMixed { return changes.slots.allSatisfy { changes.before[$0] == nil } }
    let order = order
    let moved = changes.slots.compactMap { slot in
      let (old, new) = (changes.before[slot].map(order.values), changes.after[slot].map(order.values))
      if let old, let new, order.isEqual(old, new) { return nil as (slot: Int, old: [SortValue]?, new: [SortValue]?)? }
      return (slot, old, new)
    }
    for slot in changes.slots where order.keys[0].path.isNested && !hasMultiples {
      hasMultiples = changes.after[slot]?.withRecord(order.keys[0].path.isMultiple) ?? false
    }
    // While slots are taken out, the others are where their old values belong.
    for (slot, old, _) in moved {
      guard let old else { continue }
      slots.remove(Int32(slot)) { order.comes($0, before: old, slot, in: changes.before) }
    }
    for (slot, _, new) in moved {
      guard let new else { continue }
      for index in kinds.indices { kinds[index].insert(new[index]) }
      guard !kinds.contains(where: \.isMixed) else { return false }
      slots.insert(Int32(slot)) { order.comes($0, before: new, slot, in: changes.after) }
    }
    return true
  }
}

extension SortOrder {
  /// The values of a row under the keys.
  fileprivate func values(of row: Row) -> [SortValue] {
    row.withRecord { record in keys.map { SortValue($0.path.value(in: record), dialect: dialect) } }
  }

  /// Whether a slot's row comes before values that are in another slot.
  fileprivate func comes(_ other: Int32, before values: [SortValue], _ slot: Int, in rows: PersistentRowVector) -> Bool
  {
    guard let row = rows[Int(other)] else { return false }
    return isBefore(self.values(of: row), Int(other), values, slot)
  }
}

extension SortedIndex {
  /// Returns the positions of the rows whose value passes a comparison by size.
  ///
  /// The order is that of one key, ascending: what passes is contiguous, and its ends are found by reading
  /// O(log n) records.
  ///
  /// - Returns: `nil` when the values compare in an order other than that in which they sort.
  func positions(passing condition: Condition, in rows: PersistentRowVector) -> Range<Int>? {
    guard let operand = condition.operands.first, agrees(with: condition, operand) else { return nil }
    func prefixCount(_ isBefore: (ValueToken) -> Bool) -> Int {
      slots.prefixCount { slot in
        rows[Int(slot)]?.withRecord { record in
          // Null and missing values are at the end.
          guard let value = condition.path.value(in: record), !value.isNull else { return false }
          return isBefore(value)
        } ?? false
      }
    }
    func countBelow() -> Int { prefixCount { operand.order(of: $0, condition.dialect).map { $0 < 0 } ?? false } }
    func countUpTo() -> Int { prefixCount { operand.order(of: $0, condition.dialect).map { $0 <= 0 } ?? false } }
    func countAll() -> Int { prefixCount { _ in true } }
    switch condition.comparison {
    case .less: return 0..<countBelow()
    case .lessOrEqual: return 0..<countUpTo()
    case .greater: return countUpTo()..<countAll()
    case .greaterOrEqual: return countBelow()..<countAll()
    case .notEqual, .equal, .isIn, .contains, .startsWith, .endsWith, .like, .exists: return nil
    }
  }

  /// Whether the values compare with an operand in the order in which they are stored.
  private func agrees(with condition: Condition, _ operand: Operand) -> Bool {
    let kinds = kinds[0]
    if hasMultiples { return false }
    // 1.0 treats null, which sorts last, as 0.
    if condition.dialect == .v1, kinds.hasNulls { return false }
    // 1.0 sorts texts by collation but compares them by code point; no number compares with a text.
    if condition.dialect == .v1, kinds.hasTexts { return false }
    return !kinds.hasNumbers || operand.number(condition.dialect) != nil
  }

  /// The slots at a range of positions, as a set.
  ///
  /// - Parameter all: All slots that the index holds.
  /// - Complexity: O(n / 64 + the length of the range or of the rest, whichever is less).
  func slots(in range: Range<Int>, outOf all: SlotSet, slotCount: Int) -> SlotSet {
    let isFew = range.count <= slots.count / 2
    var bits = isFew ? Bitmap(room: slotCount) : all.bits(slotCount: slotCount)
    func change(_ part: Range<Int>) {
      slots.forEach(in: part) { slot in
        if isFew { bits.insert(Int(slot)) } else { bits.remove(Int(slot)) }
        return true
      }
    }
    change(isFew ? range : 0..<range.lowerBound)
    if !isFew { change(range.upperBound..<slots.count) }
    return .bits(bits, count: range.count)
  }
}
