import JSONServerValues

/// The rows of a collection by slot, cheap to copy and cheap to change after a copy.
///
/// A slot is the permanent number of a row: rows are added at the end and replaced in place, and a deleted row leaves
/// an empty slot. Empty slots at the end are released, so adding and deleting records takes no memory: the last slot
/// always has a row. Other empty slots stay until the rows are renumbered (``compacted(keeping:)``). The slots are
/// arrays of arrays of arrays, so a change after a copy copies one leaf and its two ancestors (about 64 + 64 + n / 4096
/// references), not the rows: a commit can keep a version during the next write.
struct PersistentRowVector: Sendable {
  private static let leafBits = 6
  private static let leafSize = 1 << leafBits

  private var leaves: ContiguousArray<ContiguousArray<ContiguousArray<Row?>>> = []

  /// The number of slots, empty ones included.
  private(set) var slotCount = 0

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
      return leaves[slot >> (2 * Self.leafBits)][(slot >> Self.leafBits) & (Self.leafSize - 1)][
        slot & (Self.leafSize - 1)]
    }
    set {
      guard newValue != nil || slot < slotCount else { return }
      while slotCount <= slot { appendSlot(nil) }
      if let old = self[slot] {
        count -= 1
        byteCount -= old.record.count
      }
      leaves[slot >> (2 * Self.leafBits)][(slot >> Self.leafBits) & (Self.leafSize - 1)][slot & (Self.leafSize - 1)] =
        newValue
      if let newValue {
        firstSlot = count == 0 ? slot : min(firstSlot, slot)
        count += 1
        byteCount += newValue.record.count
      } else {
        while slotCount > 0, self[slotCount - 1] == nil { removeLastSlot() }
        while firstSlot < slotCount, self[firstSlot] == nil { firstSlot += 1 }
      }
    }
  }

  /// Adds a row at the end and returns its slot.
  @discardableResult
  mutating func append(_ row: Row) -> Int {
    if count == 0 { firstSlot = slotCount }
    appendSlot(row)
    count += 1
    byteCount += row.record.count
    return slotCount - 1
  }

  private mutating func appendSlot(_ row: Row?) {
    let top = slotCount >> (2 * Self.leafBits)
    let middle = (slotCount >> Self.leafBits) & (Self.leafSize - 1)
    if top == leaves.count { leaves.append([]) }
    if middle == leaves[top].count {
      var leaf = ContiguousArray<Row?>()
      leaf.reserveCapacity(Self.leafSize)
      leaves[top].append(leaf)
    }
    leaves[top][middle].append(row)
    slotCount += 1
  }

  private mutating func removeLastSlot() {
    slotCount -= 1
    let top = slotCount >> (2 * Self.leafBits)
    let middle = (slotCount >> Self.leafBits) & (Self.leafSize - 1)
    leaves[top][middle].removeLast()
    if leaves[top][middle].isEmpty { leaves[top].removeLast() }
    if leaves[top].isEmpty { leaves.removeLast() }
  }

  /// Calls a closure with each row, in stored order.
  ///
  /// - Parameter range: The slots of the rows.
  @inline(__always)
  func forEach(in range: Range<Int> = 0..<Int.max, _ body: (_ slot: Int, _ row: Row) throws -> Void) rethrows {
    var slot = range.lowerBound
    let end = min(range.upperBound, slotCount)
    while slot < end {
      let leaf = leaves[slot >> (2 * Self.leafBits)][(slot >> Self.leafBits) & (Self.leafSize - 1)]
      for index in (slot & (Self.leafSize - 1))..<leaf.count where slot < end {
        if let row = leaf[index] { try body(slot, row) }
        slot += 1
      }
    }
  }

  /// The rows in order without empty slots, except some slots that may be filled again.
  ///
  /// - Parameter kept: Slots, with or without a row, that keep their places among the rows.
  /// - Returns: The rows, and the new number of each of these slots.
  /// - Complexity: O(n).
  func compacted(keeping kept: Set<Int>) -> (rows: PersistentRowVector, slots: [Int: Int]) {
    var rows = PersistentRowVector()
    var slots: [Int: Int] = [:]
    var rest = kept.sorted()[...]
    var next = 0
    forEach { slot, row in
      while let first = rest.first, first < slot {
        slots[rest.removeFirst()] = next
        next += 1
      }
      if rest.first == slot { slots[rest.removeFirst()] = next }
      rows[next] = row
      next += 1
    }
    for slot in rest {
      slots[slot] = next
      next += 1
    }
    return (rows, slots)
  }

  /// Whether two vectors share their rows, and neither was changed since.
  func isIdentical(to other: PersistentRowVector) -> Bool {
    slotCount == other.slotCount && Self.isIdentical(leaves, other.leaves)
  }

  private static func isIdentical<Element>(_ left: ContiguousArray<Element>, _ right: ContiguousArray<Element>) -> Bool
  {
    left.count == right.count
      && left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { $0.baseAddress == left.baseAddress } }
  }

  /// The slots in which another version has other rows, in ascending order.
  ///
  /// - Returns: `nil` when there are too many.
  /// - Complexity: O(slots / 4096 + number of examined slots).
  func differences(from other: PersistentRowVector, atMost maximum: Int) -> [Int]? {
    var found: [Int] = []
    var slot = 0
    let end = max(slotCount, other.slotCount)
    while slot < end {
      let size = sharedSize(at: slot, with: other)
      let next = min(slot + max(size, Self.leafSize), end)
      if size == 0 {
        for slot in slot..<next where !Row.isSame(self[slot], other[slot]) {
          guard found.count < maximum else { return nil }
          found.append(slot)
        }
      }
      slot = next
    }
    return found
  }

  /// How many slots, from one on, are shared with another version: those of a branch, of a leaf, or none.
  private func sharedSize(at slot: Int, with other: PersistentRowVector) -> Int {
    guard slot < slotCount, slot < other.slotCount else { return 0 }
    let (top, middle) = (slot >> (2 * Self.leafBits), (slot >> Self.leafBits) & (Self.leafSize - 1))
    if middle == 0, Self.isIdentical(leaves[top], other.leaves[top]) { return Self.leafSize * Self.leafSize }
    return Self.isIdentical(leaves[top][middle], other.leaves[top][middle]) ? Self.leafSize : 0
  }

  /// The same slots with changed rows. O(n).
  func mapped(_ transform: (Row) -> Row) -> PersistentRowVector {
    var result = self
    result.byteCount = 0
    for top in leaves.indices {
      for middle in leaves[top].indices {
        result.leaves[top][middle] = ContiguousArray(
          leaves[top][middle].map { row in
            let row = row.map(transform)
            result.byteCount += row?.record.count ?? 0
            return row
          })
      }
    }
    return result
  }

  /// Whether reading all rows takes noticeably long. O(1).
  var isLarge: Bool { count > Self.quickCount || byteCount > Self.quickBytes }

  /// The largest number of rows that are always tested or sorted immediately: half of ``quickCount``, and not more
  /// bytes than ``quickBytes``.
  var quickMatches: Int { min(Self.quickCount / 2, Self.quickBytes / max(byteCount / max(count, 1), 1)) }

  /// The largest number of rows, and of bytes, that are always read immediately, which takes about a millisecond.
  private static let quickCount = 2_000
  static let quickBytes = 4 << 20

  /// The first row in stored order. O(1).
  var first: Row? { self[firstSlot] }

  /// The last row in stored order. O(1).
  var last: Row? { slotCount == 0 ? nil : self[slotCount - 1] }
}
