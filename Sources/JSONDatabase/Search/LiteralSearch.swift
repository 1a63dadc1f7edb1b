/// Finds a text within UTF-8 text, whatever the case of either (see ``CaseFolding``).
///
/// Candidates are found 64 bytes at a time by two of the needle's bytes, those that are rarest in most texts, each in
/// every form; only candidates are compared in full. Where they abound ``FoldedSearch`` takes over, so that the cost is
/// linear in the text's length, whatever the two are.
struct LiteralSearch: Sendable {
  private let needle: [Unicode.Scalar]

  /// For each character of the needle, the UTF-8 bytes of every form it may take.
  private let characters: [[[UInt8]]]

  /// The test of each byte of a needle whose characters take one byte in every form; the test is exact then.
  private let probes: [Probe]?

  /// The tests of two bytes of a match, which may be the same one.
  private let first: Probe
  private let second: Probe

  /// The bytes of the shortest text that matches.
  private let minimumCount: Int

  /// Creates a search for a text. An empty one is found everywhere.
  init(caseInsensitive text: String) {
    needle = Array(text.unicodeScalars)
    let characters = needle.map { CaseFolding.family(of: $0).map { Array(String($0).utf8) } }
    self.characters = characters
    minimumCount = characters.reduce(0) { count, forms in count + (forms.map(\.count).min() ?? 0) }
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    probes = isASCII ? characters.enumerated().map { Probe(offset: $0, bytes: $1.map { $0[0] }) } : nil
    let rarest = Self.fixedBytes(of: characters).sorted { $0.commonness < $1.commonness }.prefix(2)
      .sorted { $0.offset < $1.offset }
    first = rarest.first ?? Probe(offset: 0, bytes: [])
    // The first test twice amounts to no second test.
    second = rarest.last ?? first
  }

  /// The tests of the bytes whose offset in a match is the same in every form, among the first ones.
  private static func fixedBytes(of characters: [[[UInt8]]]) -> [Probe] {
    var probes: [Probe] = []
    for forms in characters {
      guard probes.count < 256 else { break }
      let isFixed = forms.allSatisfy { $0.count == forms[0].count }
      let offset = probes.count
      for index in 0..<(isFixed ? forms[0].count : 1) {
        probes.append(Probe(offset: offset + index, bytes: forms.map { $0[index] }))
      }
      if !isFixed { break }
    }
    return probes
  }

  /// Returns the offset of the first match that starts at or after an offset, or `nil`. O(length of the text).
  func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var steps = 0
    return firstMatch(in: text, from: start, steps: &steps)
  }

  /// - Parameter steps: Counts the work, in comparisons of a character.
  func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, steps: inout Int) -> Int? {
    guard !characters.isEmpty else { return start <= text.count ? start : nil }
    var position = start
    let allowance = steps + characters.count + 64
    while let candidate = nextCandidate(in: text, from: position), candidate + minimumCount <= text.count {
      // Finding a candidate takes about as long as some comparisons.
      steps += 8
      if isMatch(in: text, at: candidate, steps: &steps) { return candidate }
      position = candidate + 1
      if steps > allowance + 2 * (position - start) {
        return FoldedSearch(needle).firstMatch(in: text, from: position, steps: &steps)
      }
    }
    return nil
  }

  /// Whether a text starts with the needle.
  func isPrefix(of text: UnsafeBufferPointer<UInt8>) -> Bool {
    var steps = 0
    return isMatch(in: text, at: 0, steps: &steps)
  }

  /// Whether a text ends with the needle.
  func isSuffix(of text: UnsafeBufferPointer<UInt8>) -> Bool {
    var end = text.count
    for forms in characters.reversed() {
      // No form is the end of another: a character's first byte occurs nowhere else in one.
      let form = forms.first { $0.count <= end && Self.isPrefix($0, of: text, at: end - $0.count) }
      guard let form else { return false }
      end -= form.count
    }
    return true
  }

  /// Compares the needle with the text at an offset.
  private func isMatch(in text: UnsafeBufferPointer<UInt8>, at start: Int, steps: inout Int) -> Bool {
    if let probes {
      guard start + probes.count <= text.count else { return false }
      for probe in probes {
        steps += 1
        guard probe.difference(in: text, at: start) == 0 else { return false }
      }
      return true
    }
    var position = start
    for forms in characters {
      steps += 1
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
}

extension LiteralSearch {
  /// 64 bytes as words, which the compiler turns into the machine's vectors; of vectors of bytes it makes slow code.
  private typealias Block = SIMD8<UInt64>

  /// A quick test of one byte that every match passes, and few other places do.
  private struct Probe: Sendable {
    let offset: Int

    /// The bits in which the forms of the byte differ.
    let mask: UInt8

    /// The byte with those bits set.
    let byte: UInt8

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
