/// The slots of some records of a collection, ascending.
enum SlotSet {
  /// All slots up to a number: a collection without removed records.
  case firstSlots(Int)
  case list([Int32])

  var count: Int {
    switch self {
    case .firstSlots(let count): count
    case .list(let slots): slots.count
    }
  }

  /// The slots at a range of positions.
  subscript(range: Range<Int>) -> [Int32] {
    switch self {
    case .firstSlots: range.map { Int32($0) }
    case .list(let slots): range.count == slots.count ? slots : Array(slots[range])
    }
  }

  /// The slots that satisfy a predicate.
  func filter(_ isIncluded: (Int32) -> Bool) -> [Int32] {
    switch self {
    case .firstSlots(let count): (0..<Int32(count)).filter(isIncluded)
    case .list(let slots): slots.filter(isIncluded)
    }
  }
}
