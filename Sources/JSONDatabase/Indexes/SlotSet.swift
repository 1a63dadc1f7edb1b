/// The slots of some records of a collection, ascending.
enum SlotSet: Sendable {
  /// All slots up to a number: a collection without removed records.
  case firstSlots(Int)
  case list([Int32])
  case bits(SlotBitmap, count: Int)

  var count: Int {
    switch self {
    case .firstSlots(let count): count
    case .list(let slots): slots.count
    case .bits(_, let count): count
    }
  }

  /// The slots at a range of positions.
  subscript(range: Range<Int>) -> [Int32] {
    switch self {
    case .firstSlots: range.map { Int32($0) }
    case .list(let slots): range.count == slots.count ? slots : Array(slots[range])
    case .bits(let bits, _): bits[range]
    }
  }

  /// The set as bits.
  func bits(slotCount: Int) -> SlotBitmap {
    switch self {
    case .firstSlots(let count): SlotBitmap(firstSlots: count, slotCount: slotCount)
    case .list(let slots): SlotBitmap(slots, slotCount: slotCount)
    case .bits(let bits, _): bits
    }
  }

  /// The slots that another set holds as well. O(number of slots in both).
  func intersection(_ other: SlotSet, slotCount: Int) -> SlotSet {
    switch (self, other) {
    case (.firstSlots, _): return other
    case (_, .firstSlots): return self
    case (.bits(var bits, _), .bits(let others, _)):
      bits.formIntersection(others)
      return .bits(bits, count: bits.count)
    case (.list(let slots), _):
      let bits = other.bits(slotCount: slotCount)
      return .list(slots.filter(bits.contains))
    case (.bits(let bits, _), .list(let slots)): return .list(slots.filter(bits.contains))
    }
  }

  /// The slots that another set does not hold.
  func subtracting(_ other: SlotSet, slotCount: Int) -> SlotSet {
    let others = other.bits(slotCount: slotCount)
    guard case .list(let slots) = self else {
      var bits = bits(slotCount: slotCount)
      bits.subtract(others)
      return .bits(bits, count: bits.count)
    }
    return .list(slots.filter { !others.contains($0) })
  }
}

/// A set of slots, one bit for each slot that exists.
///
/// Sets of many thousand slots are joined in microseconds, and are read in ascending order however they were filled.
struct SlotBitmap: Sendable {
  private var words: [UInt64]

  /// Makes room for slots up to a number; none is in the set.
  init(slotCount: Int) {
    words = Array(repeating: 0, count: (slotCount + 63) / 64)
  }

  /// Creates a set of the given slots.
  init(_ slots: [Int32], slotCount: Int) {
    self.init(slotCount: slotCount)
    for slot in slots { insert(slot) }
  }

  /// Creates a set of all slots up to a number.
  init(firstSlots count: Int, slotCount: Int) {
    self.init(slotCount: slotCount)
    for index in 0..<(count / 64) { words[index] = .max }
    for slot in (count / 64 * 64)..<count { insert(Int32(slot)) }
  }

  /// The number of slots in the set. O(room / 64).
  var count: Int {
    words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  func contains(_ slot: Int32) -> Bool {
    words[Int(slot) >> 6] & Self.bit(slot) != 0
  }

  /// - Precondition: There is room for the slot.
  mutating func insert(_ slot: Int32) {
    words[Int(slot) >> 6] |= Self.bit(slot)
  }

  mutating func remove(_ slot: Int32) {
    words[Int(slot) >> 6] &= ~Self.bit(slot)
  }

  /// Removes what another set, with room for the same slots, does not hold.
  mutating func formIntersection(_ other: SlotBitmap) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  /// Removes what another set, with room for the same slots, holds.
  mutating func subtract(_ other: SlotBitmap) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  /// Returns the slots at a range of positions, ascending. O(room / 64 + length of the range).
  subscript(range: Range<Int>) -> [Int32] {
    var slots: [Int32] = []
    slots.reserveCapacity(range.count)
    var position = 0
    for (index, word) in words.enumerated() {
      guard position < range.upperBound else { break }
      let next = position + word.nonzeroBitCount
      defer { position = next }
      guard next > range.lowerBound else { continue }
      var rest = word
      for position in position..<min(next, range.upperBound) {
        if position >= range.lowerBound { slots.append(Int32(index * 64 + rest.trailingZeroBitCount)) }
        rest &= rest &- 1
      }
    }
    return slots
  }

  private static func bit(_ slot: Int32) -> UInt64 {
    1 << UInt64(truncatingIfNeeded: slot & 63)
  }
}
