import JSONServerValues

/// The rows of a collection by slot, cheap to copy and cheap to change after a copy.
///
/// A slot is the permanent number of a row: rows are added at the end and replaced in place, and a deleted row leaves
/// an empty slot. Empty slots at the end are released, so adding and deleting records takes no memory: the last slot
/// always has a row. Other empty slots stay until the rows are renumbered (``compacted``). A commit can keep a
/// version during the next write, since copies share the slots that do not change.
struct PersistentRowVector: Sendable {
  private var slots = PersistentArray<Row?>()

  /// The number of slots, empty ones included.
  var slotCount: Int { slots.count }

  /// The number of rows.
  private(set) var count = 0

  /// The bytes of the records.
  private(set) var byteCount = 0

  /// The first slot with a row, if there is one; each new record reads the first row.
  private var firstSlot = 0

  /// The row in a slot; `nil` for a deleted row, and beyond the last slot.
  ///
  /// Setting a row beyond the last slot undoes a deletion that released slots.
  subscript(slot: Int) -> Row? {
    get {
      guard slot < slotCount else { return nil }
      return slots[slot]
    }
    set {
      guard newValue != nil || slot < slotCount else { return }
      while slotCount <= slot { slots.append(nil) }
      if let old = self[slot] {
        count -= 1
        byteCount -= old.record.count
      }
      slots[slot] = newValue
      if let newValue {
        firstSlot = count == 0 ? slot : min(firstSlot, slot)
        count += 1
        byteCount += newValue.record.count
      } else {
        while slotCount > 0, self[slotCount - 1] == nil { slots.removeLast() }
        while firstSlot < slotCount, self[firstSlot] == nil { firstSlot += 1 }
      }
    }
  }

  /// Adds a row at the end and returns its slot.
  @discardableResult
  mutating func append(_ row: Row) -> Int {
    if count == 0 { firstSlot = slotCount }
    slots.append(row)
    count += 1
    byteCount += row.record.count
    return slotCount - 1
  }

  /// Calls a closure with each row, in stored order.
  ///
  /// - Parameter range: The slots of the rows.
  @inline(__always)
  func forEach<Failure: Error>(
    in range: Range<Int> = 0..<Int.max, _ body: (_ slot: Int, _ row: Row) throws(Failure) -> Void
  ) throws(Failure) {
    try slots.forEach(in: range) { slot, row throws(Failure) in
      if let row { try body(slot, row) }
    }
  }

  /// The rows in order without empty slots. O(n).
  var compacted: PersistentRowVector {
    var rows = PersistentRowVector()
    forEach { rows[rows.slotCount] = $1 }
    return rows
  }

  /// Whether two vectors share their rows, and neither was changed since.
  func isIdentical(to other: PersistentRowVector) -> Bool { slots.isIdentical(to: other.slots) }

  /// The slots in which another version has other rows, in ascending order.
  ///
  /// - Returns: `nil` when there are too many.
  /// - Complexity: O(slots / 4096 + number of examined slots).
  func differences(from other: PersistentRowVector, atMost maximum: Int) -> [Int]? {
    var found: [Int] = []
    for range in slots.rangesNotShared(with: other.slots) {
      for slot in range where !Row.isSame(self[slot], other[slot]) {
        guard found.count < maximum else { return nil }
        found.append(slot)
      }
    }
    return found
  }

  /// Whether reading all rows takes noticeably long. O(1).
  var isLarge: Bool { count > QueryPlan.quickRows || byteCount > QueryPlan.quickBytes }

  /// The first row in stored order. O(1).
  var first: Row? { self[firstSlot] }

  /// The last row in stored order. O(1).
  var last: Row? { slotCount == 0 ? nil : self[slotCount - 1] }
}
