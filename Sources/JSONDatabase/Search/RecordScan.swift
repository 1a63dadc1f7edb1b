import JSONServerValues
import TextMatching

/// Searches the bytes of all records for those that may contain a text.
///
/// Records that are still adjacent, as they were read, are searched in one pass, at several GB/s. A record is only
/// examined by itself where the bytes contain the text, or an escape may hide it.
struct RecordScan: Sendable {
  private let text: LiteralSearch
  private let escapes: EscapeSearch

  /// - Parameter text: A text that every matching record contains, perhaps escaped, in upper or lower case.
  init(for text: String) {
    self.text = LiteralSearch(caseInsensitive: text)
    escapes = EscapeSearch(for: text)
  }

  /// Returns the slots of the records in a range of slots that satisfy a predicate, ascending.
  func slots(in range: Range<Int>, of rows: PersistentRowVector, where matches: (ValueToken) -> Bool) -> [Int32] {
    var found: [Int32] = []
    var run: RecordRun?
    rows.forEach(in: range) { slot, row in
      if run?.append(row, slot) != true {
        if let run { found += slots(of: run, in: rows, where: matches) }
        run = RecordRun(row, slot)
      }
    }
    if let run { found += slots(of: run, in: rows, where: matches) }
    return found
  }

  /// Searches a run as one piece, once for the text and once for escapes, and maps each place to its record.
  private func slots(
    of run: RecordRun, in rows: PersistentRowVector, where matches: (ValueToken) -> Bool
  ) -> [Int32] {
    run.text.withBytes { bytes in
      var found: [Int32] = []
      var places = Places(self, bytes)
      var first = run.slots.lowerBound
      while let place = places.next, let slot = run.slot(endingAfter: place, from: first, in: rows),
        let row = rows[slot]
      {
        if row.withRecord(matches) { found.append(Int32(slot)) }
        places.skip(to: row.end - run.start)
        first = slot + 1
      }
      return found
    }
  }

  /// The offset of the first byte where a record may contain the text; `nil` when it surely does not.
  func firstCandidate(in record: UnsafeBufferPointer<UInt8>) -> Int? {
    Places(self, record).next
  }

  /// The places in some bytes where the text may be.
  private struct Places {
    private let scan: RecordScan
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The first place of each kind before ``end``; `nil` for none.
    private var text: Int?
    private var escape: Int?
    /// The end of the bytes that were searched.
    private var end = 0

    private let stretch: Int

    init(_ scan: RecordScan, _ bytes: UnsafeBufferPointer<UInt8>) {
      self.scan = scan
      // Of each stretch, the end is read again: as much as a match has.
      stretch = max(16 * 1024, 4 * scan.text.maximumCount)
      self.bytes = bytes
      search(from: 0)
    }

    /// Searches from an offset on until there is a place: for the text and for escapes in turn, in stretches that stay in a
    /// processor's cache in between.
    private mutating func search(from start: Int) {
      var start = start
      repeat {
        end = min(start + stretch, bytes.count)
        text = scan.text.firstMatch(in: bytes, from: start, before: end)
        escape = scan.escapes.firstPlace(in: bytes, from: start, before: end)
        start = end
      } while next == nil && end < bytes.count
    }

    /// The first place.
    var next: Int? {
      guard let text, let escape else { return text ?? escape }
      return min(text, escape)
    }

    /// Drops the places before an offset.
    mutating func skip(to start: Int) {
      guard start < end else { return search(from: start) }
      if let place = text, place < start { text = scan.text.firstMatch(in: bytes, from: start, before: end) }
      if let place = escape, place < start { escape = scan.escapes.firstPlace(in: bytes, from: start, before: end) }
      if next == nil, end < bytes.count { search(from: end) }
    }
  }
}

/// Records of neighboring slots that lie one after the other in one storage.
private struct RecordRun {
  private let storage: UTF8Buffer
  /// The offset of the first record's start, and of the last one's end.
  let start: Int
  private var end: Int
  private(set) var slots: Range<Int>

  init(_ row: Row, _ slot: Int) {
    storage = row.record.storage
    (start, end) = (row.record.offset, row.end)
    slots = slot..<(slot + 1)
  }

  /// The text from the first record's start to the last one's end.
  var text: UTF8Slice { UTF8Slice(storage, offset: start, count: end - start) }

  /// Adds the record of the next slot when it follows the run's last in the same storage.
  mutating func append(_ row: Row, _ slot: Int) -> Bool {
    // Between two neighbors that have not changed since they were read are a comma and white space.
    guard slot == slots.upperBound, row.record.storage === storage, row.record.offset > end else { return false }
    end = row.end
    slots = slots.lowerBound..<(slot + 1)
    return true
  }

  /// Returns the first slot at or after another whose record ends after a place in the text. O(log n).
  func slot(endingAfter place: Int, from start: Int, in rows: PersistentRowVector) -> Int? {
    let rest = start..<slots.upperBound
    let slot = rest.partitioningIndex { slot in rows[slot].map { $0.end - self.start > place } ?? false }
    return slot < slots.upperBound ? slot : nil
  }
}

extension RecordScan {
  /// Whether any value at any depth contains the text, letter case ignored; names do not count, nor do `null`, `false` and
  /// `0` (as in json-server 0.17).
  func anyValueMatches(in record: ValueToken) -> Bool {
    // Most records do not contain the text anywhere.
    guard let candidate = firstCandidate(in: record.bytes) else { return false }
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
    // A number is searched as it is written in the file, since responses show it so.
    if value.kind == .number { return value.double != 0 && text.firstMatch(in: value.bytes, from: 0) != nil }
    return value.withText { text.firstMatch(in: $0, from: 0) != nil }
  }
}

/// Finds escapes in JSON that may hide a text from a search of the bytes: `fa\u00E7ade` is `façade`.
private struct EscapeSearch: Sendable {
  private let escape: LiteralSearch
  /// The text as symbols. All forms of a character are one symbol.
  private let text: FoldedSearch
  /// The positions of each symbol in the text.
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

  /// Returns the offset of the first escape in a range behind which the text may be, or `nil`.
  func firstPlace(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, before end: Int) -> Int? {
    var position = start
    while let place = escape.firstMatch(in: bytes, from: position, before: end) {
      if mayHide(in: bytes, at: place) { return place }
      position = place + 2
    }
    return nil
  }

  /// The number of characters to compare before an escape is assumed to hide the text.
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

  /// The symbol of a character, escaped or not; `nil` if the text does not have it. Moves the offset behind the character.
  private func symbol(in bytes: UnsafeBufferPointer<UInt8>, at position: inout Int) -> Int? {
    guard position < bytes.count, bytes[position] != UInt8(ascii: "\"") else { return nil }
    guard bytes[position] == UInt8(ascii: "\\") else {
      return text.symbol(of: UTF8.decodeScalar(in: bytes, at: &position))
    }
    return JSONText.readEscape(in: bytes, at: &position).flatMap { text.symbol(of: $0.value) }
  }
}
