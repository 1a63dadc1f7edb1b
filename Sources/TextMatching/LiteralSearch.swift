/// Finds a text within UTF-8 text, without letter case (see ``CaseFolding``).
///
/// Candidates are found by two bytes that matches have at the same places: those that are rarest in most texts. From a
/// candidate on, ``FoldedSearch`` compares characters for as long as they are a part of a match. So the time is linear in the
/// text's length for all texts and needles.
package struct LiteralSearch: Sendable {
  private let folded: FoldedSearch

  /// For each character of the needle, the UTF-8 bytes of all its forms.
  private let characters: [[[UInt8]]]

  /// The tests of a match in which each character has a form of its usual number of bytes.
  private let usual: ProbePair

  /// The tests of a form of any other number of bytes, such as an old letter's; `nil` when there is none.
  private let unusual: ProbePair?

  /// The bytes of the shortest match.
  private let minimumCount: Int
  /// The bytes of the longest match.
  package let maximumCount: Int

  /// Creates a search for a text. An empty one is found everywhere.
  package init(caseInsensitive text: String) {
    let needle = Array(text.unicodeScalars)
    folded = FoldedSearch(needle)
    characters = needle.map { CaseFolding.family(of: $0).map { Array(String($0).utf8) } }
    minimumCount = characters.reduce(0) { count, forms in count + (forms.map(\.count).min() ?? 0) }
    maximumCount = characters.reduce(0) { count, forms in count + (forms.map(\.count).max() ?? 0) }
    let widths = characters.map { (forms: [[UInt8]]) -> Int in
      // Most letters have one or two forms of one width; some also have an old form.
      forms.map(\.count).max { left, right in
        forms.count { $0.count == left } < forms.count { $0.count == right }
      } ?? 1
    }
    usual = ProbePair(rarestOf: zip(characters, widths).map { forms, width in forms.filter { $0.count == width } })
    let others = Set(zip(characters, widths).flatMap { forms, width in forms.filter { $0.count != width } })
    unusual = others.isEmpty ? nil : ProbePair(rarestOf: [Array(others)])
  }

  /// Returns the offset of the first match that starts at or after an offset, or `nil`. O(length of the text).
  ///
  /// - Parameter end: An offset before which the match starts, up to the end of the text; it may end behind it.
  package func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, before end: Int = .max) -> Int? {
    var steps = 0
    return firstMatch(in: text, from: start, before: end, steps: &steps)
  }

  /// - Parameter steps: Counts the work, in comparisons of a character.
  func firstMatch(
    in text: UnsafeBufferPointer<UInt8>, from start: Int, before end: Int = .max, steps: inout Int
  ) -> Int? {
    guard !characters.isEmpty else { return start <= text.count ? start : nil }
    // What could start a match that starts too late is not read: a text of one letter would be read to its end.
    let limit = end < text.count - maximumCount ? end + maximumCount : text.count
    let text = UnsafeBufferPointer(rebasing: text[..<limit])
    var position = start
    // A text that is too short needs no comparison of characters.
    while position < end, text.count - position >= minimumCount,
      let candidate = firstCandidate(in: text, position..<limit)
    {
      // Finding a candidate takes about as long as some comparisons.
      steps += 2
      position = candidate
      if let match = folded.match(in: text, from: &position, steps: &steps) { return match < end ? match : nil }
    }
    return nil
  }

  /// The number of bytes in which a usual candidate is sought before an unusual one.
  private static let stretch = 256

  private func firstCandidate(in text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    guard let unusual else { return usual.firstPlace(in: text, range) }
    for position in stride(from: range.lowerBound, to: range.upperBound, by: Self.stretch) {
      let part = position..<min(position + Self.stretch, range.upperBound)
      let place = usual.firstPlace(in: text, part) ?? text.count
      // Any character of the match may have the form.
      let other = unusual.firstPlace(in: text, part).map { max(range.lowerBound, $0 - maximumCount) } ?? text.count
      if min(place, other) < text.count { return min(place, other) }
    }
    return nil
  }

  /// Whether a text starts with the needle.
  package func isPrefix(of text: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    for forms in characters {
      // No form is the beginning of another: UTF-8 is prefix-free.
      guard let form = forms.first(where: { Self.isPrefix($0, of: text, at: position) }) else { return false }
      position += form.count
    }
    return true
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

  private static func isPrefix(_ bytes: [UInt8], of text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    guard start + bytes.count <= text.count else { return false }
    for index in bytes.indices where text[start + index] != bytes[index] { return false }
    return true
  }
}

/// The tests of two bytes of a match, which find candidates 64 bytes at a time.
private struct ProbePair: Sendable {
  private let rarest: ByteProbe
  private let other: ByteProbe

  /// Takes the two bytes that are rarest in most texts.
  ///
  /// - Parameter characters: For each character, the bytes of its forms.
  init(rarestOf characters: [[[UInt8]]]) {
    var probes: [ByteProbe] = []
    for forms in characters where probes.count < 256 {
      let offset = probes.count
      for index in 0..<(forms.map(\.count).min() ?? 0) {
        probes.append(ByteProbe(offset: offset + index, bytes: forms.map { $0[index] }))
      }
    }
    let sorted = probes.sorted { ($0.commonness, $0.offset) < ($1.commonness, $1.offset) }
    rarest = sorted.first ?? ByteProbe(offset: 0, bytes: [])
    // Of equally rare bytes, the last depends least on the first. Repeating the first test has the effect of no second test.
    other = sorted.dropFirst().first.flatMap { next in sorted.last { $0.commonness == next.commonness } } ?? rarest
  }

  /// Returns the first offset in a part of a text where both tests pass, or `nil`.
  func firstPlace(in text: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> Int? {
    let end = min(part.upperBound, text.count - max(rarest.offset, other.offset))
    var position = part.lowerBound
    if let base = UnsafeRawPointer(text.baseAddress) {
      while position + 64 <= end, !mayMatch(in: base, at: position) { position += 64 }
      while position + 8 <= end {
        let differences = rarest.differences(in: base, at: position) | other.differences(in: base, at: position)
        let zeros = ByteProbe.zeros(differences.littleEndian)
        if zeros != 0 { return position + zeros.trailingZeroBitCount / 8 }
        position += 8
      }
    }
    while position < end {
      if rarest.difference(in: text, at: position) | other.difference(in: text, at: position) == 0 { return position }
      position += 1
    }
    return nil
  }

  /// Whether both tests pass at one of 64 neighboring places; at most places, already the rarest byte is missing.
  @inline(__always)
  private func mayMatch(in text: UnsafeRawPointer, at position: Int) -> Bool {
    let (one, two, three, four) = (text + position, text + position + 16, text + position + 32, text + position + 48)
    let (a, b) = (rarest.passes(in: one), rarest.passes(in: two))
    let (c, d) = (rarest.passes(in: three), rarest.passes(in: four))
    guard Self.isAny((a .| b) .| (c .| d)) else { return false }
    let (e, f) = (other.passes(in: one), other.passes(in: two))
    let (g, h) = (other.passes(in: three), other.passes(in: four))
    return Self.isAny(((a .& e) .| (b .& f)) .| ((c .& g) .| (d .& h)))
  }

  @inline(__always)
  private static func isAny(_ passed: ByteProbe.Passed) -> Bool {
    // As words: the compiler makes slow code of `any`.
    let words = unsafeBitCast(passed, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }
}

/// A quick test of one byte that every match passes, and few other places do.
private struct ByteProbe: Sendable {
  /// A vector of any machine.
  typealias Vector = SIMD16<UInt8>
  typealias Passed = SIMDMask<SIMD16<Int8>>

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

  /// Which of 16 neighboring bytes pass.
  @inline(__always)
  func passes(in text: UnsafeRawPointer) -> Passed {
    ((text + offset).loadUnaligned(as: Vector.self) | Vector(repeating: mask)) .== Vector(repeating: byte)
  }

  /// A one in every byte.
  fileprivate static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Returns a word with the high bit of its first zero byte set, and perhaps of bytes above that one.
  @inline(__always)
  static func zeros(_ word: UInt64) -> UInt64 {
    // Subtracting one carries into the high bit of a zero byte.
    (word &- ones) & ~word & ones << 7
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
