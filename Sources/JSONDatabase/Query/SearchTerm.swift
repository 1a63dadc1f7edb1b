import OrderedJSON

/// A text that is looked for in every value of a record, at any depth, letter case ignored.
struct SearchTerm: Sendable {
  private let search: LiteralSearch

  /// What to look for in the bytes of all records before any is read.
  let scan: RecordScan

  init(_ text: String) {
    search = LiteralSearch(caseInsensitive: text)
    scan = RecordScan(for: text)
  }

  /// Whether any value holds the text; names do not count, nor do `null`, `false` and `0` (as in json-server 0.17).
  func matches(_ record: UnsafeBufferPointer<UInt8>) -> Bool {
    // Most records do not hold the text anywhere.
    guard let candidate = scan.firstCandidate(in: record) else { return false }
    return anyValueMatches(record, endingAfter: candidate)
  }

  /// Walks the scalars in order; containers need no stack, because only names must be told from values.
  ///
  /// - Parameter start: An offset before which no value that matches ends.
  private func anyValueMatches(_ bytes: UnsafeBufferPointer<UInt8>, endingAfter start: Int) -> Bool {
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
        UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
        position += 1
      default:
        let end = JSONSyntax.endOfValue(in: bytes, from: position)
        if end > start {
          let next = JSONSyntax.skipWhitespace(in: bytes, from: end)
          let isName = next < bytes.count && bytes[next] == UInt8(ascii: ":") && bytes[position] == UInt8(ascii: "\"")
          if !isName, valueMatches(ValueToken(UnsafeBufferPointer(rebasing: bytes[position..<end]))) { return true }
        }
        position = end
      }
    }
    return false
  }

  private func valueMatches(_ value: ValueToken) -> Bool {
    if value.isNull || value.bytes[0] == UInt8(ascii: "f") { return false }
    // A number is looked at as the file has it: what an answer shows can be found.
    if value.kind == .number { return value.double != 0 && search.firstMatch(in: value.bytes, from: 0) != nil }
    return value.withText { search.firstMatch(in: $0, from: 0) != nil }
  }
}
