import OrderedJSON

/// A text that is searched for in every value of a record, at any depth, letter case ignored.
struct SearchTerm: Sendable {
  private let search: LiteralSearch

  /// What to search for in the bytes of all records before any is read.
  let scan: RecordScan

  init(_ text: String) {
    search = LiteralSearch(caseInsensitive: text)
    scan = RecordScan(for: text)
  }

  /// Whether any value contains the text; names do not count, nor do `null`, `false` and `0` (as in json-server 0.17).
  func matches(_ record: ValueToken) -> Bool {
    // Most records do not contain the text anywhere.
    guard let candidate = scan.firstCandidate(in: record.bytes) else { return false }
    return anyValueMatches(record, endingAfter: candidate)
  }

  /// - Parameter start: An offset before which no value that matches ends.
  private func anyValueMatches(_ record: ValueToken, endingAfter start: Int) -> Bool {
    var reader = TokenReader(record)
    while let token = reader.next() {
      if case .scalar(let value) = token, reader.position > start, valueMatches(value) { return true }
    }
    return false
  }

  private func valueMatches(_ value: ValueToken) -> Bool {
    if value.isNull || value.bytes[0] == UInt8(ascii: "f") { return false }
    // A number is searched as the file has it: what a response shows can be found.
    if value.kind == .number { return value.double != 0 && search.firstMatch(in: value.bytes, from: 0) != nil }
    return value.withText { search.firstMatch(in: $0, from: 0) != nil }
  }
}
