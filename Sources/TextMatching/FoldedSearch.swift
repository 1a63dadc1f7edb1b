import JSONServerValues

/// Compares a text with UTF-8 text, ignoring case, character by character (Knuth, Morris and Pratt).
///
/// Takes at most two steps for each character of the text, and as many for the needle to begin with.
package struct FoldedSearch {
  /// The needle as symbols. Characters that differ only in case are one symbol.
  package private(set) var symbols: [Int] = []

  /// For each number of matching symbols, the length of the longest proper suffix that is a prefix of the needle.
  private var borders = [0, 0]

  private var asciiSymbols = Array(repeating: -1, count: 128)
  /// The characters outside ASCII, in their order, and their symbols: a dictionary takes several times as long.
  private let others: [UInt32]
  private let otherSymbols: [Int]

  package init(_ needle: [Unicode.Scalar]) {
    var known: [UInt32: Int] = [:]
    for scalar in needle {
      let symbol = known[scalar.value] ?? symbols.count
      symbols.append(symbol)
      for form in CaseFolding.family(of: scalar) { known[form.value] = symbol }
    }
    for (value, symbol) in known where value < 0x80 { asciiSymbols[Int(value)] = symbol }
    others = known.keys.filter { $0 >= 0x80 }.sorted()
    otherSymbols = others.compactMap { known[$0] }
    var border = 0
    for count in symbols.indices.dropFirst() {
      while border > 0, symbols[border] != symbols[count] { border = borders[border] }
      if symbols[border] == symbols[count] { border += 1 }
      borders.append(border)
    }
  }

  /// The symbol of a code point; `nil` for one that is not in the needle.
  package func symbol(of value: UInt32) -> Int? {
    guard value < 0x80 else {
      let place = others.partitioningIndex { $0 >= value }
      return place < others.count && others[place] == value ? otherSymbols[place] : nil
    }
    let symbol = asciiSymbols[Int(value)]
    return symbol < 0 ? nil : symbol
  }

  /// Compares characters for as long as they are a part of a match that begins at or after an offset.
  ///
  /// - Parameters:
  ///   - position: The offset; afterwards the end of the last character that was compared. No match begins between the two.
  ///   - steps: Counts the work, in comparisons of a character.
  /// - Returns: The offset of a match; `nil` when the last character is no part of one.
  func match(in text: UnsafeBufferPointer<UInt8>, from position: inout Int, steps: inout Int) -> Int? {
    while position < text.count, Self.continues(text[position]) { position += 1 }
    var count = 0
    while position < text.count {
      let symbol = symbol(of: UTF8.decodeScalar(in: text, at: &position))
      steps += 1
      while count > 0, symbols[count] != symbol {
        count = borders[count]
        steps += 1
      }
      guard symbols[count] == symbol else { return nil }
      count += 1
      if count == symbols.count { return Self.offset(of: count, charactersBefore: position, in: text) }
    }
    return nil
  }

  private static func offset(
    of count: Int, charactersBefore end: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int {
    var position = end
    for _ in 0..<count {
      position -= 1
      while position > 0, continues(text[position]) { position -= 1 }
    }
    return position
  }

  private static func continues(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}

/// The characters that are equal when case is ignored.
///
/// The relation is that of a JavaScript regular expression with flag `i` (ECMA-262, Canonicalize): two characters are
/// the same if their uppercase is, where a character whose uppercase is several characters, or is ASCII though it is
/// not, stands for itself. So `é` is `É`, and `ß` is not `ss`; an ASCII letter has no equivalent outside ASCII.
enum CaseFolding {
  /// Returns the character that stands for a character and all its equivalents.
  static func canonical(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar.isASCII {
      return ("a"..."z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) - 0x20) : scalar
    }
    guard scalar.properties.changesWhenUppercased else { return scalar }
    let uppercase = scalar.properties.uppercaseMapping.unicodeScalars
    guard uppercase.count == 1, let first = uppercase.first, !first.isASCII else { return scalar }
    return first
  }

  /// Returns a character and its equivalents.
  static func family(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    let canonical = canonical(scalar)
    guard scalar.isASCII else { return families[canonical] ?? [scalar] }
    guard ("A"..."Z").contains(canonical) else { return [scalar] }
    return [canonical, Unicode.Scalar(UInt8(canonical.value) + 0x20)]
  }

  /// The families of more than one character outside ASCII, each under its canonical character.
  ///
  /// Unicode has no cased letter above U+1FFFF. Built once, in a few milliseconds, when a pattern first needs it.
  static let families: [Unicode.Scalar: [Unicode.Scalar]] = {
    var families: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    for value in UInt32(0x80)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let canonical = canonical(scalar)
      if canonical != scalar { families[canonical, default: [canonical]].append(scalar) }
    }
    return families
  }()
}

extension UTF8 {
  /// Reads the character at an offset and steps over it; a byte that begins no character is U+FFFD.
  ///
  /// - Precondition: The offset is within the text.
  @inline(__always)
  package static func decodeScalar(in text: UnsafeBufferPointer<UInt8>, at position: inout Int) -> UInt32 {
    let lead = text[position]
    let count = (~lead).leadingZeroBitCount
    guard (2...4).contains(count), position + count <= text.count else {
      position += 1
      return lead < 0x80 ? UInt32(lead) : 0xFFFD
    }
    var value = UInt32(lead & (0x7F >> UInt8(count)))
    for byte in text[(position + 1)..<(position + count)] { value = value << 6 | UInt32(byte & 0x3F) }
    position += count
    return value
  }
}
