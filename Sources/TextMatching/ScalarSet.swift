import JSONServerValues

/// A set of code points, as sorted ranges that neither overlap nor touch.
///
/// Surrogates may be members: a pattern can name them, and no UTF-8 text holds one.
package struct ScalarSet: Sendable, Hashable {
  package let ranges: [ClosedRange<UInt32>]

  /// The greatest code point.
  static let maximum: UInt32 = 0x10FFFF

  /// Creates a set from ranges in any order.
  init(_ ranges: [ClosedRange<UInt32>]) {
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    self.ranges = merged
  }

  /// The code points that are not in the set.
  var inverted: ScalarSet {
    var gaps: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
      next = range.upperBound + 1
    }
    if next <= Self.maximum { gaps.append(next...Self.maximum) }
    return ScalarSet(gaps)
  }

  /// The set together with every equivalent of its members when case is ignored.
  var ignoringCase: ScalarSet {
    var closed = ranges
    for letter in UInt8(ascii: "A")...UInt8(ascii: "Z") {
      let family = [UInt32(letter), UInt32(letter) + 0x20]
      if family.contains(where: contains) { closed += family.map { $0...$0 } }
    }
    // ASCII letters have no equivalents elsewhere, so most patterns never need the table.
    if let last = ranges.last, last.upperBound >= 0x80 {
      for family in CaseFolding.families.values where family.contains(where: { contains($0.value) }) {
        closed += family.map { $0.value...$0.value }
      }
    }
    return ScalarSet(closed)
  }

  /// Returns whether a code point is a member. O(log n) in the number of ranges.
  func contains(_ value: UInt32) -> Bool {
    let index = ranges.partitioningIndex { $0.upperBound >= value }
    return index < ranges.count && ranges[index].contains(value)
  }

  /// `\d`
  static let digits = ScalarSet([0x30...0x39])

  /// `\w`, and what `\b` looks for on one side.
  static let wordCharacters = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

  /// `\s`: ECMA-262's WhiteSpace and LineTerminator.
  static let whitespace = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
    0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])

  /// `.`: all but ECMA-262's LineTerminator.
  static let allButLineTerminators = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).inverted
}
