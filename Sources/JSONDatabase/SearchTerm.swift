import OrderedJSON

/// A text that is looked for in every value of a record, at any depth, letter case ignored.
struct SearchTerm: Sendable {
  private let search: LiteralSearch

  init(_ text: String) {
    search = LiteralSearch(caseInsensitive: text)
  }

  /// Returns the slots among some whose records hold the text.
  ///
  /// Records that stand one after the other as they were read are searched in one go, several GB/s; only where the bytes
  /// hold the text, or an escape may hide it, is a record taken apart.
  func matches(_ slots: SlotSet, of rows: RowVector) -> [Int32] {
    guard case .firstSlots(let count) = slots else {
      return slots.filter { rows[Int($0)]?.withRecord(matches) ?? false }
    }
    var found: [Int32] = []
    var run = RecordRun()
    for slot in 0..<count {
      guard let record = rows[slot]?.record else { continue }
      if run.append(record, slot) { continue }
      found += run.search(self, in: rows)
      run = RecordRun()
      _ = run.append(record, slot)
    }
    return found + run.search(self, in: rows)
  }

  /// The offset of the first byte at or after a start where a match is possible; the end when there is none.
  func nextCandidate(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
    let window = UnsafeBufferPointer(rebasing: bytes[..<end])
    return search.firstMatch(in: window, from: start) ?? end
  }

  /// Whether any value holds the text; names do not count, nor do `null`, `false` and `0` (as in json-server 0.17).
  func matches(_ record: UnsafeBufferPointer<UInt8>) -> Bool {
    // Most records do not hold the text anywhere.
    guard search.firstMatch(in: record, from: 0) != nil || ByteSearch.contains(UInt8(ascii: "\\"), in: record) else {
      return false
    }
    return anyValueMatches(record)
  }

  /// Walks the scalars in order; containers need no stack, because only names must be told from values.
  private func anyValueMatches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
        UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
        position += 1
      default:
        let end = JSONSyntax.endOfValue(in: bytes, from: position)
        let next = JSONSyntax.skipWhitespace(in: bytes, from: end)
        let isName = next < bytes.count && bytes[next] == UInt8(ascii: ":") && bytes[position] == UInt8(ascii: "\"")
        if !isName, valueMatches(ValueToken(UnsafeBufferPointer(rebasing: bytes[position..<end]))) { return true }
        position = end
      }
    }
    return false
  }

  private func valueMatches(_ value: ValueToken) -> Bool {
    if value.isNull || value.bytes[0] == UInt8(ascii: "f") { return false }
    if value.kind == .number, value.double == 0 { return false }
    return value.withText { search.firstMatch(in: $0, from: 0) != nil }
  }
}
