/// The slots of some records of a collection, ascending.
enum SlotSet: Sendable {
  /// All slots up to a number: a collection without removed records.
  case firstSlots(Int)
  case list([Int32])
  case bits(Bitmap, count: Int)

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
  func bits(slotCount: Int) -> Bitmap {
    switch self {
    case .firstSlots(let count): Bitmap(first: count, room: slotCount)
    case .list(let slots): Bitmap(slots, room: slotCount)
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

/// A set of slots, one bit for each slot that there is room for.
///
/// Sets of many thousand numbers are joined in microseconds, and are read in ascending order however they were filled.
struct Bitmap: Sendable {
  private var words: [UInt64]

  /// Makes room for numbers below another; none is in the set.
  init(room: Int) {
    words = Array(repeating: 0, count: (room + 63) / 64)
  }

  /// Creates a set of the given numbers.
  init(_ numbers: [Int32], room: Int) {
    self.init(room: room)
    for number in numbers { insert(Int(number)) }
  }

  /// Creates a set of all numbers below another.
  init(first count: Int, room: Int) {
    self.init(room: room)
    for index in 0..<(count / 64) { words[index] = .max }
    for number in (count / 64 * 64)..<count { insert(number) }
  }

  /// The number of members. O(room / 64).
  var count: Int {
    words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  func contains(_ number: Int32) -> Bool {
    words[Int(number) >> 6] & Self.bit(Int(number)) != 0
  }

  /// - Precondition: There is room for the number.
  mutating func insert(_ number: Int) {
    words[number >> 6] |= Self.bit(number)
  }

  mutating func remove(_ number: Int) {
    words[number >> 6] &= ~Self.bit(number)
  }

  /// Removes what another set, with room for the same numbers, does not hold.
  mutating func formIntersection(_ other: Bitmap) {
    for index in words.indices { words[index] &= other.words[index] }
  }

  /// Removes what another set, with room for the same numbers, holds.
  mutating func subtract(_ other: Bitmap) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  /// Returns the numbers at a range of positions, ascending. O(room / 64 + length of the range).
  subscript(range: Range<Int>) -> [Int32] {
    var numbers: [Int32] = []
    numbers.reserveCapacity(range.count)
    var position = 0
    for (index, word) in words.enumerated() {
      guard position < range.upperBound else { break }
      let next = position + word.nonzeroBitCount
      defer { position = next }
      guard next > range.lowerBound else { continue }
      var rest = word
      for position in position..<min(next, range.upperBound) {
        if position >= range.lowerBound { numbers.append(Int32(index * 64 + rest.trailingZeroBitCount)) }
        rest &= rest &- 1
      }
    }
    return numbers
  }

  private static func bit(_ number: Int) -> UInt64 {
    1 << UInt64(truncatingIfNeeded: number & 63)
  }
}
