import OrderedJSON

/// Finds escapes in JSON that may hide a text from a search of the bytes: `fa\u00E7ade` is `façade`.
struct EscapeSearch: Sendable {
  private let escape: LiteralSearch
  /// The text as symbols, one for all forms of a character.
  private let text: FoldedSearch
  /// Where in the text each symbol is.
  private let places: [Int: [Int]]

  /// - Parameter text: A text that an escaped character may be a part of.
  init(for text: String) {
    // Letters and digits are only ever escaped as `\u0041`; line breaks and quotes, which many records have, are not.
    let hasShortEscapes = text.utf8.contains { $0 < 0x20 || "\"\\/".utf8.contains($0) }
    escape = LiteralSearch(caseInsensitive: hasShortEscapes ? "\\" : "\\u")
    let folded = FoldedSearch(Array(text.unicodeScalars))
    self.text = folded
    places = Dictionary(grouping: folded.symbols.indices) { folded.symbols[$0] }
  }

  /// How a text is searched; to be kept from one search to the next in the same text.
  var probing: LiteralSearch.Probing { escape.probing }

  /// Returns the offset of the first escape at or after an offset behind which the text may be, or `nil`.
  func firstPlace(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, by probing: inout LiteralSearch.Probing
  ) -> Int? {
    var position = start
    while let place = escape.firstMatch(in: bytes, from: position, by: &probing) {
      if mayHide(in: bytes, at: place) { return place }
      position = place + 2
    }
    return nil
  }

  /// How many characters are compared before an escape is taken for one that hides the text.
  private static let maximumComparisons = 64

  /// Whether an escape is a character of the text, and those of the text after it follow.
  private func mayHide(in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    var next = place
    guard let symbol = symbol(in: bytes, at: &next) else { return false }
    var comparisons = 0
    for index in places[symbol] ?? [] {
      comparisons += 1
      if comparisons > Self.maximumComparisons { return true }
      var position = next
      var rest = text.symbols[(index + 1)...]
      while let expected = rest.first, self.symbol(in: bytes, at: &position) == expected {
        rest = rest.dropFirst()
        comparisons += 1
        if comparisons > Self.maximumComparisons { return true }
      }
      if rest.isEmpty { return true }
    }
    return false
  }

  /// The symbol of a character, escaped or not, after which the offset then is; `nil` for one that the text has not.
  private func symbol(in bytes: UnsafeBufferPointer<UInt8>, at position: inout Int) -> Int? {
    guard position < bytes.count, bytes[position] != UInt8(ascii: "\"") else { return nil }
    guard bytes[position] == UInt8(ascii: "\\") else {
      return text.symbol(of: UTF8.decodeScalar(in: bytes, at: &position))
    }
    return JSONText.readEscape(in: bytes, at: &position).flatMap { text.symbol(of: $0.value) }
  }
}
