package import JSONServerValues

/// Records of one version of a collection, in the order of a response; each is read only when it is needed.
///
/// It keeps the rows of its version in memory without copying them.
package struct SelectedRecords: Sendable {
  /// The slots of the records.
  enum Slots: Sendable {
    /// All slots with a record, in a range.
    case range(Range<Int>)
    case list([Int32])
  }

  private let rows: PersistentRowVector
  private let slots: Slots
  /// The number of records.
  package let count: Int

  init(_ slots: Slots, of rows: PersistentRowVector, count: Int) {
    self.rows = rows
    self.slots = slots
    self.count = count
  }

  /// All records.
  init(_ rows: PersistentRowVector) {
    self.init(.range(0..<rows.slotCount), of: rows, count: rows.count)
  }

  /// The number of places: of records, and of empty slots between them.
  var placeCount: Int {
    switch slots {
    case .range(let range): range.count
    case .list(let slots): slots.count
    }
  }

  /// The slots of the records. O(number of places).
  var occupiedSlots: [Int32] {
    switch slots {
    case .range(let range): range.lazy.filter { rows[$0] != nil }.map { Int32($0) }
    case .list(let slots): slots
    }
  }

  /// Returns the record at a place; `nil` for an empty place. O(1).
  func record(at place: Int) -> ValidJSON? {
    switch slots {
    case .range(let range): rows[range.lowerBound + place]?.record
    case .list(let slots): rows[Int(slots[place])]?.record
    }
  }
}

extension SelectedRecords: Sequence {
  package func makeIterator() -> some IteratorProtocol<ValidJSON> {
    (0..<placeCount).lazy.compactMap { record(at: $0) }.makeIterator()
  }
}
