/// Finds a text within UTF-8 text, whatever the case of either, character by character (Knuth, Morris and Pratt).
///
/// Takes at most two steps for each character of the text, and as many for the needle to begin with.
struct FoldedSearch {
  /// The needle, characters that differ in case alone being one symbol.
  private(set) var symbols: [Int] = []

  /// For each number of symbols that match, how many of the last ones are the needle's first, short of all of them.
  private var borders = [0, 0]

  private var asciiSymbols = Array(repeating: -1, count: 128)
  private var otherSymbols: [UInt32: Int] = [:]

  init(_ needle: [Unicode.Scalar]) {
    for scalar in needle { symbols.append(symbol(of: scalar)) }
    var border = 0
    for count in symbols.indices.dropFirst() {
      while border > 0, symbols[border] != symbols[count] { border = borders[border] }
      if symbols[border] == symbols[count] { border += 1 }
      borders.append(border)
    }
  }

  /// The symbol of a character of the needle; a new one for the first of those that differ in case alone.
  private mutating func symbol(of scalar: Unicode.Scalar) -> Int {
    if let known = symbol(of: scalar.value) { return known }
    let symbol = symbols.count
    for form in CaseFolding.family(of: scalar) {
      if form.isASCII { asciiSymbols[Int(form.value)] = symbol } else { otherSymbols[form.value] = symbol }
    }
    return symbol
  }

  /// The symbol of a code point; `nil` for one that is not in the needle.
  func symbol(of value: UInt32) -> Int? {
    guard value < 0x80 else { return otherSymbols[value] }
    let symbol = asciiSymbols[Int(value)]
    return symbol < 0 ? nil : symbol
  }

  /// Returns the offset of the first match that starts at or after an offset, or `nil`.
  ///
  /// - Parameter steps: Counts the work, in comparisons of a character.
  func firstMatch(in text: UnsafeBufferPointer<UInt8>, from start: Int, steps: inout Int) -> Int? {
    var position = start
    while position < text.count, Self.continues(text[position]) { position += 1 }
    var count = 0
    while position < text.count {
      let symbol = symbol(of: UTF8.decodeScalar(in: text, at: &position))
      steps += 1
      while count > 0, symbols[count] != symbol {
        count = borders[count]
        steps += 1
      }
      if symbols[count] == symbol { count += 1 }
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
