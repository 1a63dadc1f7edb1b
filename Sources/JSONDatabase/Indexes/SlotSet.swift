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
