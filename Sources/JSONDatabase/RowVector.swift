/// The rows of a collection by slot, cheap to copy and cheap to change after a copy.
///
/// A slot is a row's number for life: rows are appended at the end, replaced in place, and a removed row leaves its slot
/// empty. Because the slots are arrays of arrays of arrays, a change after a copy copies one leaf and its two ancestors
/// (about 64 + 64 + n / 4096 references), not the rows: a commit can hold a version while the next write goes on.
struct RowVector: Sendable {
  private static let leafBits = 6
  private static let leafSize = 1 << leafBits

  private var leaves: ContiguousArray<ContiguousArray<ContiguousArray<Row?>>> = []

  /// The number of slots, empty ones included.
  private(set) var slotCount = 0

  /// The number of rows.
  private(set) var count = 0

  /// From the first slot with a row to the last; the first and the last row are asked for with each new record.
  private var occupied = 0..<0

  /// The row in a slot; `nil` when it was removed.
  subscript(slot: Int) -> Row? {
    get {
      leaves[slot >> (2 * Self.leafBits)][(slot >> Self.leafBits) & (Self.leafSize - 1)][slot & (Self.leafSize - 1)]
    }
    set {
      if self[slot] != nil { count -= 1 }
      if newValue != nil { count += 1 }
      leaves[slot >> (2 * Self.leafBits)][(slot >> Self.leafBits) & (Self.leafSize - 1)][slot & (Self.leafSize - 1)] =
        newValue
      noteOccupied(slot, newValue != nil)
    }
  }

  private mutating func noteOccupied(_ slot: Int, _ hasRow: Bool) {
    if hasRow {
      occupied =
        occupied.isEmpty ? slot..<(slot + 1) : min(occupied.lowerBound, slot)..<max(occupied.upperBound, slot + 1)
    } else if occupied.contains(slot) {
      var (lower, upper) = (occupied.lowerBound, occupied.upperBound)
      while lower < upper, self[upper - 1] == nil { upper -= 1 }
      while lower < upper, self[lower] == nil { lower += 1 }
      occupied = lower..<upper
    }
  }

  /// Adds a slot at the end and returns its number.
  @discardableResult
  mutating func append(_ row: Row?) -> Int {
    let slot = slotCount
    let top = slot >> (2 * Self.leafBits)
    let middle = (slot >> Self.leafBits) & (Self.leafSize - 1)
    if top == leaves.count { leaves.append([]) }
    if middle == leaves[top].count {
      var leaf = ContiguousArray<Row?>()
      leaf.reserveCapacity(Self.leafSize)
      leaves[top].append(leaf)
    }
    leaves[top][middle].append(row)
    slotCount += 1
    if row != nil { count += 1 }
    noteOccupied(slot, row != nil)
    return slot
  }

  /// Removes the last slot.
  mutating func removeLast() {
    self[slotCount - 1] = nil
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

  /// The first row in stored order. O(1).
  var first: Row? { occupied.isEmpty ? nil : self[occupied.lowerBound] }

  /// The last row in stored order. O(1).
  var last: Row? { occupied.isEmpty ? nil : self[occupied.upperBound - 1] }
}
