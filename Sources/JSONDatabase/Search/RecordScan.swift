import OrderedJSON

/// Searches the bytes of all records for those that may contain a text.
///
/// Records that lie one after the other as they were read are searched in one pass, several GB/s; only where the bytes
/// contain the text, or an escape may hide it, is a record examined by itself.
struct RecordScan: Sendable {
  private let text: LiteralSearch
  private let escapes: EscapeSearch

  /// - Parameter text: A text that every matching record contains, perhaps escaped, in upper or lower case.
  init(for text: String) {
    self.text = LiteralSearch(caseInsensitive: text)
    escapes = EscapeSearch(for: text)
  }

  /// Returns the slots of the records that satisfy a predicate, ascending.
  func slots(in rows: PersistentRowVector, where matches: (ValueToken) -> Bool) -> [Int32] {
    var found: [Int32] = []
    var run: RecordRun?
    rows.forEach { slot, row in
      if run?.append(row, slot) != true {
        if let run { found += slots(of: run, in: rows, where: matches) }
        run = RecordRun(row, slot)
      }
      return true
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
        places.skip(to: row.end - run.text.offset)
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
    private var text: Int?
    private var escape: Int?
    private var textProbing: LiteralSearch.Probing
    private var escapeProbing: LiteralSearch.Probing

    init(_ scan: RecordScan, _ bytes: UnsafeBufferPointer<UInt8>) {
      self.scan = scan
      self.bytes = bytes
      textProbing = scan.text.probing
      escapeProbing = scan.escapes.probing
      text = scan.text.firstMatch(in: bytes, from: 0, by: &textProbing)
      escape = scan.escapes.firstPlace(in: bytes, from: 0, by: &escapeProbing)
    }

    /// The first place.
    var next: Int? {
      guard let text, let escape else { return text ?? escape }
      return min(text, escape)
    }

    /// Drops the places before an offset.
    mutating func skip(to start: Int) {
      if let place = text, place < start {
        text = scan.text.firstMatch(in: bytes, from: start, by: &textProbing)
      }
      if let place = escape, place < start {
        escape = scan.escapes.firstPlace(in: bytes, from: start, by: &escapeProbing)
      }
    }
  }
}

/// Records of neighbouring slots that lie one after the other in one storage.
struct RecordRun {
  /// The text from the first record's start to the last one's end.
  private(set) var text: UTF8Slice
  private(set) var slots: Range<Int>

  init(_ row: Row, _ slot: Int) {
    text = row.record.slice
    slots = slot..<(slot + 1)
  }

  /// Adds the record of the next slot when it follows the run's last in the same storage.
  mutating func append(_ row: Row, _ slot: Int) -> Bool {
    // What lies between two neighbours as they were read is a comma and white space; a change breaks the run.
    guard slot == slots.upperBound, row.follows(text) else { return false }
    text = UTF8Slice(text.storage, offset: text.offset, count: row.end - text.offset)
    slots = slots.lowerBound..<(slot + 1)
    return true
  }

  /// Returns the first slot at or after another whose record ends after a place in the text. O(log n).
  func slot(endingAfter place: Int, from start: Int, in rows: PersistentRowVector) -> Int? {
    let rest = start..<slots.upperBound
    let slot = rest.partitioningIndex { slot in rows[slot].map { $0.end - text.offset > place } ?? false }
    return slot < slots.upperBound ? slot : nil
  }
}
