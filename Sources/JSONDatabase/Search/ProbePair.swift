/// The tests of two bytes of a match, which find candidates 64 bytes at a time.
struct ProbePair: Sendable {
  private let first: ByteProbe
  private let second: ByteProbe

  private init(_ one: ByteProbe, _ other: ByteProbe) {
    (first, second) = one.offset < other.offset ? (one, other) : (other, one)
  }

  /// Takes the two bytes that are rarest in most texts.
  init(rarestOf probes: [ByteProbe]) {
    let rarest = probes.sorted { $0.commonness < $1.commonness }.prefix(2)
    let first = rarest.first ?? ByteProbe(offset: 0, bytes: [])
    // The first test twice amounts to no second test.
    self.init(first, rarest.last ?? first)
  }

  /// How many bytes of a text are read to find out what is rare in it.
  static let sampleCount = 1_024

  /// Takes the two bytes that are rarest together in a text from an offset on; `nil` where no two are rare, or the text
  /// ends soon.
  init?(rarestOf probes: [ByteProbe], in text: UnsafeBufferPointer<UInt8>, from start: Int) {
    let probes = probes.prefix(64)
    guard let base = UnsafeRawPointer(text.baseAddress), let last = probes.last,
      start + Self.sampleCount + last.offset <= text.count
    else { return nil }
    // Counts the words of eight bytes that begin a candidate: what is common amid rare words weighs no more than it should.
    func count(_ one: ByteProbe, _ other: ByteProbe) -> Int {
      stride(from: start, to: start + Self.sampleCount, by: 8).reduce(0) { count, position in
        let differences = one.differences(in: base, at: position) | other.differences(in: base, at: position)
        return ByteProbe.zeros(differences) == 0 ? count : count + 1
      }
    }
    guard let first = probes.min(by: { count($0, $0) < count($1, $1) }),
      let second = probes.map({ ($0, count(first, $0)) }).min(by: { $0.1 < $1.1 }), second.1 <= Self.sampleCount / 32
    else { return nil }
    self.init(first, second.0)
  }

  /// Returns the first offset at or after another where a match may start, or `nil`.
  func firstCandidate(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var position = start
    if let base = UnsafeRawPointer(text.baseAddress) {
      while position + second.offset + 64 <= text.count {
        let differences = first.blockDifferences(in: base, at: position)
        if ByteProbe.hasZero(differences | second.blockDifferences(in: base, at: position)) { break }
        position += 64
      }
      while position + second.offset + 8 <= text.count {
        let differences = first.differences(in: base, at: position) | second.differences(in: base, at: position)
        let zeros = ByteProbe.zeros(differences.littleEndian)
        if zeros != 0 { return position + zeros.trailingZeroBitCount / 8 }
        position += 8
      }
    }
    while position + second.offset < text.count {
      if first.difference(in: text, at: position) | second.difference(in: text, at: position) == 0 { return position }
      position += 1
    }
    return nil
  }
}

/// A quick test of one byte that every match passes, and few other places do.
struct ByteProbe: Sendable {
  /// 64 bytes as words, which the compiler turns into the machine's vectors; of vectors of bytes it makes slow code.
  typealias Block = SIMD8<UInt64>

  let offset: Int

  /// The bits in which the forms of the byte differ.
  private let mask: UInt8

  /// The byte with those bits set.
  private let byte: UInt8

  /// How often the byte occurs in most texts, in any form; only the order of these numbers matters.
  let commonness: Int

  init(offset: Int, bytes: [UInt8]) {
    self.offset = offset
    let first = bytes.first ?? 0
    let mask = bytes.reduce(0) { $0 | ($1 ^ first) }
    self.mask = mask
    byte = first | mask
    commonness = bytes.map(Self.commonness).max() ?? 0
  }

  /// The most common bytes of texts and JSON, most frequent first.
  private static let common = Array(" etaoinsrhl\"dcumpfgwy,:.bvk0123456789_-/xjqz".utf8)

  private static func commonness(of byte: UInt8) -> Int {
    switch byte {
    // A script outside ASCII has one or two first bytes, and sixty-four second ones.
    case 0xC0...: common.count
    case 0x80..<0xC0: common.count / 2
    default: common.firstIndex(of: byte).map { common.count - $0 } ?? 0
    }
  }

  /// Returns zero if the byte passes.
  @inline(__always)
  func difference(in text: UnsafeBufferPointer<UInt8>, at position: Int) -> UInt8 {
    (text[position + offset] | mask) ^ byte
  }

  /// Returns zero for each of eight neighbouring bytes that passes.
  @inline(__always)
  func differences(in text: UnsafeRawPointer, at position: Int) -> UInt64 {
    let found = (text + position + offset).loadUnaligned(as: UInt64.self)
    return (found | Self.ones &* UInt64(mask)) ^ (Self.ones &* UInt64(byte))
  }

  /// Returns zero for each of 64 neighbouring bytes that passes.
  @inline(__always)
  func blockDifferences(in text: UnsafeRawPointer, at position: Int) -> Block {
    let found = (text + position + offset).loadUnaligned(as: Block.self)
    return (found | Block(repeating: Self.ones &* UInt64(mask))) ^ Block(repeating: Self.ones &* UInt64(byte))
  }

  /// A one in every byte.
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Returns a word with the high bit of its first zero byte set, and perhaps of bytes above that one.
  @inline(__always)
  static func zeros(_ word: UInt64) -> UInt64 {
    // Subtracting one carries into the high bit of a zero byte.
    (word &- ones) & ~word & ones << 7
  }

  @inline(__always)
  static func hasZero(_ block: Block) -> Bool {
    let zeros = (block &- Block(repeating: ones)) & ~block & Block(repeating: ones << 7)
    let half = zeros.lowHalf | zeros.highHalf
    let quarter = half.lowHalf | half.highHalf
    return quarter[0] | quarter[1] != 0
  }
}
