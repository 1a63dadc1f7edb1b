/// Finds a text within UTF-8 text, whatever the case of either (see ``CaseFolding``).
///
/// Candidates are found 32 bytes at a time by the needle's first two bytes, each in both cases; only they are compared in
/// full. The haystack runs through at several GB/s; at worst, where candidates abound, the cost is its length times the
/// needle's.
package struct LiteralSearch: Sendable {
  /// For each character of the needle, the UTF-8 bytes of every form it may take.
  private let characters: [[[UInt8]]]

  /// Two tests that a match passes, or `nil` if its first byte may be more than two.
  private let probes: (Probe, Probe)?

  /// Creates a search for a text. An empty one is found everywhere.
  package init(caseInsensitive needle: String) {
    characters = needle.unicodeScalars.map { CaseFolding.family(of: $0).map { Array(String($0).utf8) } }
    let first = Probe(offset: 0, bytes: characters.first?.compactMap(\.first) ?? [])
    let second = Probe(offset: 1, bytes: Self.secondBytes(of: characters))
    // The first test twice is as good as no second one.
    probes = first.map { ($0, second ?? $0) }
  }

  /// Returns the offset of the first match that starts at or after an offset, or `nil`.
  package func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard !characters.isEmpty else { return start <= text.count ? start : nil }
    var position = start
    while let candidate = nextCandidate(in: text, from: position) {
      if isMatch(in: text, at: candidate) { return candidate }
      position = candidate + 1
    }
    return nil
  }

  /// Compares the needle with the text at an offset.
  private func isMatch(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
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
  /// A test of one byte: it is one of two.
  private struct Probe: Sendable {
    let offset: Int
    let byte: UInt8
    let alternative: UInt8

    /// Creates a test for some bytes, or `nil` if they are none or more than two.
    init?(offset: Int, bytes: [UInt8]) {
      guard let least = bytes.min(), let greatest = bytes.max() else { return nil }
      guard bytes.allSatisfy({ $0 == least || $0 == greatest }) else { return nil }
      self.offset = offset
      byte = least
      alternative = greatest
    }

    @inline(__always)
    func passes(_ text: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
      let found = text[position + offset]
      return found == byte || found == alternative
    }

    @inline(__always)
    func passes(_ text: UnsafeRawPointer, at position: Int) -> SIMDMask<SIMD32<Int8>> {
      let found = (text + position + offset).loadUnaligned(as: SIMD32<UInt8>.self)
      return (found .== byte) .| (found .== alternative)
    }
  }

  /// Returns the first offset at or after another where a match may start, or `nil`.
  private func nextCandidate(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard let (first, second) = probes else { return start < text.count ? start : nil }
    var position = start
    if let base = UnsafeRawPointer(text.baseAddress) {
      while position + second.offset + 32 <= text.count {
        let mask = first.passes(base, at: position) .& second.passes(base, at: position)
        if let index = Self.firstSet(in: mask) { return position + index }
        position += 32
      }
    }
    while position + second.offset < text.count {
      if first.passes(text, at: position), second.passes(text, at: position) { return position }
      position += 1
    }
    return nil
  }

  /// Returns the index of a mask's first lane that is set, or `nil`.
  ///
  /// The mask is read as four words: the compiler makes a branch per lane of `any` and of a search by subscript.
  @inline(__always)
  private static func firstSet(in mask: SIMDMask<SIMD32<Int8>>) -> Int? {
    let words = unsafeBitCast(mask, to: SIMD4<UInt64>.self)
    guard words[0] | words[1] | words[2] | words[3] != 0 else { return nil }
    var index = 0
    while words[index] == 0 { index += 1 }
    return index * 8 + words[index].littleEndian.trailingZeroBitCount / 8
  }
}
