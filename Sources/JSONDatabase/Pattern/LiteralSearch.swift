/// Finds a text within UTF-8 text, whatever the case of either (see ``CaseFolding``).
///
/// Candidates are found 64 bytes at a time by the needle's first two bytes, each in every form; only they are compared
/// in full. At worst, where candidates abound, the cost is the text's length times the needle's.
struct LiteralSearch: Sendable {
  /// For each character of the needle, the UTF-8 bytes of every form it may take.
  private let characters: [[[UInt8]]]

  /// The test of each byte of a needle whose characters take one byte in every form; the test is exact then.
  private let probes: [Probe]?

  /// What a match's first and second byte look like.
  private let first: Probe
  private let second: Probe

  /// Creates a search for a text. An empty one is found everywhere.
  init(caseInsensitive needle: String) {
    let characters = needle.unicodeScalars.map { CaseFolding.family(of: $0).map { Array(String($0).utf8) } }
    self.characters = characters
    let isASCII = needle.utf8.allSatisfy { $0 < 0x80 }
    probes = isASCII ? characters.enumerated().map { Probe(offset: $0, bytes: $1.map { $0[0] }) } : nil
    first = Probe(offset: 0, bytes: characters.first?.map { $0[0] } ?? [])
    let secondBytes = Self.secondBytes(of: characters)
    // The first test twice is as good as no second one.
    second = secondBytes.isEmpty ? first : Probe(offset: 1, bytes: secondBytes)
  }

  /// Returns the offset of the first match that starts at or after an offset, or `nil`.
  func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard !characters.isEmpty else { return start <= text.count ? start : nil }
    var position = start
    while let candidate = nextCandidate(in: text, from: position) {
      if isMatch(in: text, at: candidate) { return candidate }
      position = candidate + 1
    }
    return nil
  }

  /// Compares the needle with the text at an offset.
  func isMatch(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    if let probes {
      return start + probes.count <= text.count && probes.allSatisfy { $0.difference(in: text, at: start) == 0 }
    }
    var position = start
    for forms in characters {
      // No form is the beginning of another: UTF-8 is prefix-free.
      guard let form = forms.first(where: { Self.isPrefix($0, of: text, at: position) }) else { return false }
      position += form.count
    }
    return true
  }

  private static func isPrefix(_ bytes: [UInt8], of text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    guard start + bytes.count <= text.count else { return false }
    for index in bytes.indices where text[start + index] != bytes[index] { return false }
    return true
  }

  /// The bytes that may be a match's second, or none if they are not known.
  private static func secondBytes(of characters: [[[UInt8]]]) -> [UInt8] {
    guard let first = characters.first else { return [] }
    if first.allSatisfy({ $0.count > 1 }) { return first.map { $0[1] } }
    guard characters.count > 1, first.allSatisfy({ $0.count == 1 }) else { return [] }
    return characters[1].map { $0[0] }
  }
}

extension LiteralSearch {
  /// 64 bytes as words, which the compiler turns into the machine's vectors; of vectors of bytes it makes slow code.
  private typealias Block = SIMD8<UInt64>

  /// A quick test of one byte that every match passes, and few other places.
  private struct Probe: Sendable {
    let offset: Int

    /// The bits in which the forms of the byte differ.
    let mask: UInt8

    /// The byte with those bits set.
    let byte: UInt8

    init(offset: Int, bytes: [UInt8]) {
      self.offset = offset
      let first = bytes.first ?? 0
      let mask = bytes.reduce(0) { $0 | ($1 ^ first) }
      self.mask = mask
      byte = first | mask
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
      return (found | LiteralSearch.ones &* UInt64(mask)) ^ (LiteralSearch.ones &* UInt64(byte))
    }

    /// Returns zero for each of 64 neighbouring bytes that passes.
    @inline(__always)
    func blockDifferences(in text: UnsafeRawPointer, at position: Int) -> Block {
      let found = (text + position + offset).loadUnaligned(as: Block.self)
      return (found | Block(repeating: LiteralSearch.ones &* UInt64(mask)))
        ^ Block(repeating: LiteralSearch.ones &* UInt64(byte))
    }
  }

  /// A one in every byte.
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Returns the first offset at or after another where a match may start, or `nil`.
  private func nextCandidate(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var position = start
    if let base = UnsafeRawPointer(text.baseAddress) {
      while position + second.offset + 64 <= text.count {
        let differences = first.blockDifferences(in: base, at: position)
        if Self.hasZeroByte(differences | second.blockDifferences(in: base, at: position)) { break }
        position += 64
      }
      while position + second.offset + 8 <= text.count {
        let differences = first.differences(in: base, at: position) | second.differences(in: base, at: position)
        // Subtracting one carries into the high bit of a zero byte; bytes above the first zero may be wrong.
        let zeros = (differences.littleEndian &- Self.ones) & ~differences.littleEndian & Self.ones << 7
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

  @inline(__always)
  private static func hasZeroByte(_ block: Block) -> Bool {
    let zeros = (block &- Block(repeating: ones)) & ~block & Block(repeating: ones << 7)
    let half = zeros.lowHalf | zeros.highHalf
    let quarter = half.lowHalf | half.highHalf
    return quarter[0] | quarter[1] != 0
  }
}
