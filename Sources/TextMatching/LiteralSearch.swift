/// Finds a text within UTF-8 text, without letter case (see ``CaseFolding``).
///
/// Candidates are found by two bytes of the needle, those that are rarest in most texts, each in every form; only
/// candidates are compared completely. If there are too many, the two bytes that are rarest at that place are used; if
/// all are common there, ``FoldedSearch`` searches a part of the text. So the time is linear in the text's length for
/// all texts and needles.
package struct LiteralSearch: Sendable {
  private let needle: [Unicode.Scalar]

  /// For each character of the needle, the UTF-8 bytes of all its forms.
  private let characters: [[[UInt8]]]

  /// The tests for the beginning of a match in which each character has a form of its usual number of bytes.
  private let probes: [ByteProbe]

  /// The tests of a form of any other number of bytes, such as an old letter's; empty when there is none.
  private let unusualProbes: [ByteProbe]

  /// Whether each candidate that passes all tests is a match, since every form of each character takes one byte.
  private let isDecidedByProbes: Bool

  /// The bytes of a match whose characters all have a usual form, and of the longest.
  private let usualCount: Int
  private let maximumCount: Int
  /// The bytes of the shortest match.
  private let minimumCount: Int

  /// The state of a search, which is kept from one search to the next in the same text.
  package struct Probing: Sendable {
    fileprivate var pair: ProbePair
    fileprivate var unusualPair: ProbePair
    /// The place where the rare bytes of the text were last counted.
    fileprivate var sampled: Int?
    /// The start of the last search for a match of usual forms, and its result.
    fileprivate var usual: (start: Int, match: Int?)?
    /// The work so far, in comparisons of a character.
    var steps = 0
  }

  /// The state at the start of a text.
  package let probing: Probing

  /// Creates a search for a text. An empty one is found everywhere.
  package init(caseInsensitive text: String) {
    needle = Array(text.unicodeScalars)
    let characters = needle.map { CaseFolding.family(of: $0).map { Array(String($0).utf8) } }
    self.characters = characters
    let widths = characters.map { (forms: [[UInt8]]) -> Int in
      // Most letters have one or two forms of one width; some also have an old form.
      forms.map(\.count).max { left, right in
        forms.count { $0.count == left } < forms.count { $0.count == right }
      } ?? 1
    }
    usualCount = widths.reduce(0, +)
    maximumCount = characters.reduce(0) { count, forms in count + (forms.map(\.count).max() ?? 0) }
    minimumCount = characters.reduce(0) { count, forms in count + (forms.map(\.count).min() ?? 0) }
    let usual = zip(characters, widths).map { forms, width in forms.filter { $0.count == width } }
    let unusual: Set<[UInt8]> = Set(
      zip(characters, widths).flatMap { forms, width in forms.filter { $0.count != width } })
    probes = Self.probes(of: usual)
    unusualProbes = unusual.isEmpty ? [] : Self.probes(of: [Array(unusual)])
    isDecidedByProbes = usualCount == probes.count && text.utf8.allSatisfy { $0 < 0x80 }
    probing = Probing(pair: ProbePair(rarestOf: probes), unusualPair: ProbePair(rarestOf: unusualProbes))
  }

  /// One test for each byte that all upper and lower case forms of a character have at the same place.
  private static func probes(of characters: [[[UInt8]]]) -> [ByteProbe] {
    var probes: [ByteProbe] = []
    for forms in characters where probes.count < 256 {
      let offset = probes.count
      for index in 0..<(forms.map(\.count).min() ?? 0) {
        probes.append(ByteProbe(offset: offset + index, bytes: forms.map { $0[index] }))
      }
    }
    return probes
  }

  /// Returns the offset of the first match that starts at or after an offset, or `nil`. O(length of the text).
  package func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var probing = probing
    return firstMatch(in: text, from: start, by: &probing)
  }

  /// - Parameter probing: The state of the search in the same text before this offset.
  package func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, by probing: inout Probing) -> Int? {
    guard !characters.isEmpty else { return start <= text.count ? start : nil }
    // A text that is too short needs no comparison of characters.
    guard text.count - start >= minimumCount else { return nil }
    let match = knownUsualMatch(in: text, from: start, by: &probing)
    guard !unusualProbes.isEmpty else { return match }
    // A match with an unusual form may come before it.
    let end = min(match.map { $0 + maximumCount } ?? .max, text.count)
    let part = UnsafeBufferPointer(rebasing: text[..<end])
    guard start < end, let place = unusualPlace(in: part, from: start, by: &probing) else { return match }
    let first = FoldedSearch(needle).firstMatch(in: part, from: max(start, place - maximumCount), steps: &probing.steps)
    return first ?? match
  }

  /// The same as ``usualMatch(in:from:by:)``, found once for all matches of other forms before it.
  private func knownUsualMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, by probing: inout Probing) -> Int?
  {
    if let known = probing.usual, known.start <= start, known.match.map({ $0 >= start }) ?? true { return known.match }
    let match = usualMatch(in: text, from: start, by: &probing)
    probing.usual = (start, match)
    return match
  }

  /// Returns where the first match of usual forms is, or one before it.
  private func usualMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, by probing: inout Probing) -> Int? {
    var position = start
    var budget = Budget(for: characters.count, from: start, probing.steps)
    while let candidate = probing.pair.firstCandidate(in: text, from: position), candidate + usualCount <= text.count {
      // Finding a candidate takes about as long as some comparisons.
      probing.steps += 8
      if passes(probes, in: text, at: candidate, steps: &probing.steps),
        isDecidedByProbes || isMatch(in: text, at: candidate, steps: &probing.steps)
      {
        return candidate
      }
      position = candidate + 1
      if budget.isSpent(probing.steps, at: position) {
        var end = min(position + max(Budget.stretch, 8 * maximumCount), text.count)
        // Half a character would be taken for U+FFFD.
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        let part = UnsafeBufferPointer(rebasing: text[..<end])
        let match = FoldedSearch(needle).firstMatch(in: part, from: position, steps: &probing.steps)
        if match != nil || end == text.count { return match }
        // A match may lie across the end.
        position = max(position, end - maximumCount + 1)
        budget = Budget(for: characters.count, from: position, probing.steps)
      } else if budget.isLow(probing.steps, at: position), probing.isSampleDue(at: position) {
        probing.sampled = position
        probing.steps += ProbePair.sampleCount
        if let rarer = ProbePair(rarestOf: probes, in: text, from: position) { probing.pair = rarer }
      }
    }
    return nil
  }

  /// Returns the first place where an unusual form may be.
  private func unusualPlace(in text: UnsafeBufferPointer<UInt8>, from start: Int, by probing: inout Probing) -> Int? {
    var position = start
    var budget = Budget(for: 1, from: start, probing.steps)
    while let candidate = probing.unusualPair.firstCandidate(in: text, from: position) {
      probing.steps += 8
      if candidate + unusualProbes.count > text.count { return nil }
      if passes(unusualProbes, in: text, at: candidate, steps: &probing.steps) { return candidate }
      position = candidate + 1
      if budget.isSpent(probing.steps, at: position) {
        guard probing.isSampleDue(at: position) else { return position }
        probing.sampled = position
        probing.steps += ProbePair.sampleCount
        guard let rarer = ProbePair(rarestOf: unusualProbes, in: text, from: position) else { return position }
        probing.unusualPair = rarer
        budget = Budget(for: 1, from: position, probing.steps)
      }
    }
    return nil
  }

  /// Whether a text starts with the needle.
  package func isPrefix(of text: UnsafeBufferPointer<UInt8>) -> Bool {
    var steps = 0
    return isMatch(in: text, at: 0, steps: &steps)
  }

  /// Whether a text ends with the needle.
  package func isSuffix(of text: UnsafeBufferPointer<UInt8>) -> Bool {
    var end = text.count
    for forms in characters.reversed() {
      // No form is the end of another: a character's first byte occurs nowhere else in one.
      let form = forms.first { $0.count <= end && Self.isPrefix($0, of: text, at: end - $0.count) }
      guard let form else { return false }
      end -= form.count
    }
    return true
  }

  /// - Precondition: There are as many bytes of the text at the offset.
  private func passes(
    _ probes: [ByteProbe], in text: UnsafeBufferPointer<UInt8>, at start: Int, steps: inout Int
  ) -> Bool {
    for probe in probes {
      steps += 1
      guard probe.difference(in: text, at: start) == 0 else { return false }
    }
    return true
  }

  /// Compares the needle with the text at an offset.
  private func isMatch(in text: UnsafeBufferPointer<UInt8>, at start: Int, steps: inout Int) -> Bool {
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

extension LiteralSearch.Probing {
  /// The number of bytes that are searched before the rarest bytes are determined again.
  private static let sampleInterval = 128 * 1_024

  fileprivate func isSampleDue(at position: Int) -> Bool {
    sampled.map { position - $0 > Self.sampleInterval } ?? true
  }
}

/// The work on candidates that is allowed for a part of the text.
private struct Budget {
  /// The number of bytes that are searched one character at a time before the search for candidates resumes.
  static let stretch = 32 * 1_024

  private let start: Int
  private let allowance: Int

  init(for count: Int, from start: Int, _ steps: Int) {
    self.start = start
    allowance = steps + count + 64
  }

  /// Whether comparing all characters of the text so far would have been no more work.
  func isSpent(_ steps: Int, at position: Int) -> Bool { steps > allowance + 2 * (position - start) }

  /// Whether there are so many candidates that their comparison takes most of the time.
  func isLow(_ steps: Int, at position: Int) -> Bool { steps > allowance + (position - start) / 8 }
}

/// The tests of two bytes of a match, which find candidates 64 bytes at a time.
private struct ProbePair: Sendable {
  private let first: ByteProbe
  private let second: ByteProbe

  private init(_ one: ByteProbe, _ other: ByteProbe) {
    (first, second) = one.offset < other.offset ? (one, other) : (other, one)
  }

  /// Takes the two bytes that are rarest in most texts.
  init(rarestOf probes: [ByteProbe]) {
    let rarest = probes.sorted { $0.commonness < $1.commonness }.prefix(2)
    let first = rarest.first ?? ByteProbe(offset: 0, bytes: [])
    // Repeating the first test has the effect of no second test.
    self.init(first, rarest.last ?? first)
  }

  /// The number of bytes that are read to determine the rarest bytes.
  static let sampleCount = 1_024

  /// Takes the two bytes that are rarest together in a text from an offset on; `nil` where no two are rare, or the text
  /// ends soon.
  init?(rarestOf probes: [ByteProbe], in text: UnsafeBufferPointer<UInt8>, from start: Int) {
    let probes = probes.prefix(64)
    guard let base = UnsafeRawPointer(text.baseAddress), let last = probes.last,
      start + Self.sampleCount + last.offset <= text.count
    else { return nil }
    // Counts words of eight bytes in which a candidate begins, so that a common byte within rare words counts only
    // there.
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
private struct ByteProbe: Sendable {
  /// 64 bytes as words, which the compiler turns into the machine's vectors; of vectors of bytes it makes slow code.
  typealias Block = SIMD8<UInt64>

  let offset: Int

  /// The bits in which the forms of the byte differ.
  private let mask: UInt8

  /// The byte with those bits set.
  private let byte: UInt8

  /// The frequency of the byte in most texts, in any form. Only the order of these numbers matters.
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

  /// Returns zero for each of eight neighboring bytes that passes.
  @inline(__always)
  func differences(in text: UnsafeRawPointer, at position: Int) -> UInt64 {
    let found = (text + position + offset).loadUnaligned(as: UInt64.self)
    return (found | Self.ones &* UInt64(mask)) ^ (Self.ones &* UInt64(byte))
  }

  /// Returns zero for each of 64 neighboring bytes that passes.
  @inline(__always)
  func blockDifferences(in text: UnsafeRawPointer, at position: Int) -> Block {
    let found = (text + position + offset).loadUnaligned(as: Block.self)
    return (found | Block(repeating: Self.ones &* UInt64(mask))) ^ Block(repeating: Self.ones &* UInt64(byte))
  }

  /// A one in every byte.
  fileprivate static let ones: UInt64 = 0x0101_0101_0101_0101

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

/// Searches for one byte, eight bytes at a time.
package enum ByteSearch {
  /// Whether such a byte occurs.
  package static func contains(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return false }
    var position = 0
    while position + 8 <= bytes.count {
      // The wanted byte becomes zero.
      let word = (base + position).loadUnaligned(as: UInt64.self) ^ (ByteProbe.ones &* UInt64(byte))
      if ByteProbe.zeros(word) != 0 { return true }
      position += 8
    }
    return bytes[position...].contains(byte)
  }
}
