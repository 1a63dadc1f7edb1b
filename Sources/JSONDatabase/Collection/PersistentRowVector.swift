import OrderedJSON

/// The rows of a collection by slot, cheap to copy and cheap to change after a copy.
///
/// A slot is a row's number for life: rows are appended at the end, replaced in place, and a removed row leaves its
/// slot empty. Empty slots at the end are released, so that records that come and go take no memory: the last slot has
/// a row. Those between rows stay until the rows are renumbered (``compacted(keeping:)``). Because the slots are arrays
/// of arrays of arrays, a change after a copy copies one leaf and its two ancestors
/// (about 64 + 64 + n / 4096 references), not the rows: a commit can hold a version while the next write goes on.
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

  /// The first slot with a row, when there is any; the first row is asked for with each new record.
  private var firstSlot = 0

  /// The row in a slot; `nil` when it was removed, and beyond the last slot.
  ///
  /// A row may be set beyond the last slot: a removal that released slots is undone.
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

  /// Calls a closure with each row in stored order, until it returns `false`.
  @inline(__always)
  func forEach(_ body: (_ slot: Int, _ row: Row) throws -> Bool) rethrows {
    var slot = 0
    for middle in leaves {
      for leaf in middle {
        for row in leaf {
          if let row, try !body(slot, row) { return }
          slot += 1
        }
      }
    }
  }

  /// The rows in their order with no empty slots between them, but for some that are to be filled again.
  ///
  /// - Parameter kept: Slots, with a row or without one, that keep their places among the rows.
  /// - Returns: The rows, and the new number of each slot that is kept.
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
      return true
    }
    for slot in rest {
      slots[slot] = next
      next += 1
    }
    return (rows, slots)
  }

  /// Whether another vector is this one: they share their rows, and neither was changed since.
  func isIdentical(to other: PersistentRowVector) -> Bool {
    slotCount == other.slotCount && Self.isIdentical(leaves, other.leaves)
  }

  private static func isIdentical<Element>(_ left: ContiguousArray<Element>, _ right: ContiguousArray<Element>) -> Bool
  {
    left.count == right.count
      && left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { $0.baseAddress == left.baseAddress } }
  }

  /// The slots in which another version has other rows, each with the row of this version.
  ///
  /// - Returns: `nil` when there are more than a number of them.
  /// - Complexity: O(slots / 64 + number of slots that are looked at).
  func differences(from other: PersistentRowVector, atMost maximum: Int) -> [(slot: Int, row: Row?)]? {
    var found: [(slot: Int, row: Row?)] = []
    var slot = 0
    let end = max(slotCount, other.slotCount)
    while slot < end {
      let leafEnd = min(slot + Self.leafSize, end)
      if !hasSameLeaf(at: slot, as: other) {
        for slot in slot..<leafEnd {
          let row = self[slot]
          guard !Row.isSame(row, other[slot]) else { continue }
          guard found.count < maximum else { return nil }
          found.append((slot, row))
        }
      }
      slot = leafEnd
    }
    return found
  }

  private func hasSameLeaf(at slot: Int, as other: PersistentRowVector) -> Bool {
    guard slot < slotCount, slot < other.slotCount else { return false }
    let (top, middle) = (slot >> (2 * Self.leafBits), (slot >> Self.leafBits) & (Self.leafSize - 1))
    return Self.isIdentical(leaves[top][middle], other.leaves[top][middle])
  }

  /// Each row changed, in its slot; ``byteCount`` stays what it was.
  ///
  /// - Parameter earlier: An earlier version with what became of it; what is the same there is taken from it.
  /// - Complexity: O(slots / 64 + rows that are not taken).
  func mapped(
    reusing earlier: (rows: PersistentRowVector, result: PersistentRowVector)?, _ transform: (Row) -> Row
  ) -> PersistentRowVector {
    var result = self
    for top in leaves.indices {
      for middle in leaves[top].indices {
        let leaf = leaves[top][middle]
        if let earlier, top < earlier.rows.leaves.count, middle < earlier.rows.leaves[top].count,
          Self.isIdentical(leaf, earlier.rows.leaves[top][middle])
        {
          result.leaves[top][middle] = earlier.result.leaves[top][middle]
        } else {
          result.leaves[top][middle] = ContiguousArray(leaf.map { $0.map(transform) })
        }
      }
    }
    return result
  }

  /// The first row in stored order. O(1).
  var first: Row? { self[firstSlot] }

  /// The last row in stored order. O(1).
  var last: Row? { slotCount == 0 ? nil : self[slotCount - 1] }
}
