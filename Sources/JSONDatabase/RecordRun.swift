import OrderedJSON

/// Records of neighbouring slots that stand one after the other in one storage.
struct RecordRun {
  /// The text from the first record's start to the last one's end.
  private(set) var text: Text
  private(set) var slots: Range<Int>

  init(_ row: Row, _ slot: Int) {
    text = row.record
    slots = slot..<(slot + 1)
  }

  /// Adds the record of the next slot when it follows the run's last in the same storage.
  mutating func append(_ row: Row, _ slot: Int) -> Bool {
    // What lies between two neighbours as they were read is a comma and white space; a change breaks the order.
    guard slot == slots.upperBound, row.follows(text) else { return false }
    text = Text(text.storage, offset: text.offset, count: row.end - text.offset)
    slots = slots.lowerBound..<(slot + 1)
    return true
  }

  /// Returns the first slot at or after another whose record ends after a place in the text. O(log n).
  func slot(endingAfter place: Int, from start: Int, in rows: RowVector) -> Int? {
    let rest = start..<slots.upperBound
    let slot = rest.partitioningIndex { slot in rows[slot].map { $0.end - text.offset > place } ?? false }
    return slot < slots.upperBound ? slot : nil
  }
}
