/// A set of byte values. Letters come in both cases: rules do not distinguish them.
struct ByteSet: Sendable, Hashable {
  private var words: SIMD4<UInt64> = .zero

  /// Creates a set of some bytes, and of the other case of each letter among them.
  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  /// Every byte.
  static let all = ByteSet(UInt8.min...UInt8.max)
  static let digits = ByteSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
  static let words = digits.union(ByteSet(UInt8(ascii: "a")...UInt8(ascii: "z"))).union(ByteSet("_".utf8))
  static let spaces = ByteSet(" \t\n\r\u{B}\u{C}".utf8)

  func contains(_ byte: UInt8) -> Bool {
    words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0
  }

  /// Adds a byte and, when it is a letter, its other case.
  mutating func insert(_ byte: UInt8) {
    let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    for member in isLetter ? [byte | 0x20, byte & ~0x20] : [byte] {
      words[Int(member >> 6)] |= 1 << UInt64(member & 63)
    }
  }

  func union(_ other: ByteSet) -> ByteSet {
    var result = self
    result.words |= other.words
    return result
  }

  var inverted: ByteSet {
    var result = self
    result.words = ~words
    return result
  }
}
