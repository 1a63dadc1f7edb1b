import OrderedJSON

/// Records that stand one after the other in one storage.
struct RecordRun {
  private var text: Text?
  private var slots: Range<Int> = 0..<0

  /// Adds the record of the next slot when it follows the run's last in the same storage.
  mutating func append(_ record: Text, _ slot: Int) -> Bool {
    guard let run = text else {
      text = record
      slots = slot..<(slot + 1)
      return true
    }
    let end = record.offset + record.count
    // What lies between two neighbours as they were read is a comma and white space; a change breaks the order.
    guard run.storage === record.storage, slot == slots.upperBound, record.offset > run.offset + run.count else {
      return false
    }
    text = Text(run.storage, offset: run.offset, count: end - run.offset)
    slots = slots.lowerBound..<(slot + 1)
    return true
  }

  /// Returns the slots whose records hold a text.
  ///
  /// The run is searched as one piece, once for the text and once for escapes; each place found is mapped to its record.
  func search(_ term: SearchTerm, in rows: RowVector) -> [Int32] {
    guard let text else { return [] }
    return text.withBytes { bytes in
      var found: [Int32] = []
      var slot = slots.lowerBound
      var candidate = term.nextCandidate(in: bytes, from: 0, to: bytes.count)
      var escape = ByteSearch.firstIndex(of: UInt8(ascii: "\\"), in: bytes, from: 0)
      while slot < slots.upperBound, min(candidate, escape) < bytes.count {
        let place = min(candidate, escape)
        slot = firstSlot(endingAfter: place, from: slot, text.offset, rows)
        guard slot < slots.upperBound, let row = rows[slot] else { break }
        if row.withRecord(term.matches) { found.append(Int32(slot)) }
        let next = row.record.offset + row.record.count - text.offset
        if candidate < next { candidate = term.nextCandidate(in: bytes, from: next, to: bytes.count) }
        if escape < next { escape = ByteSearch.firstIndex(of: UInt8(ascii: "\\"), in: bytes, from: next) }
        slot += 1
      }
      return found
    }
  }

  /// The first slot from a start whose record ends after a place, by bisection.
  private func firstSlot(endingAfter place: Int, from start: Int, _ origin: Int, _ rows: RowVector) -> Int {
    (start..<slots.upperBound).partitioningIndex { slot in
      guard let record = rows[slot]?.record else { return false }
      return record.offset + record.count - origin > place
    }
  }
}
