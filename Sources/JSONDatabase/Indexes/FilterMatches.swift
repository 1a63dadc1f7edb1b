/// The records that a filter selects, as indexes tell.
struct FilterMatches: Sendable {
  var slots: SlotSet
  /// For each member that the filter compares by size, where the values that pass are among all, in ascending order.
  var ranges: [FieldPath: Range<Int>] = [:]

  /// No records.
  static let none = FilterMatches(slots: .list([]))

  /// The positions of the matching records in an order, perhaps with others.
  ///
  /// Values that pass a comparison of the order's first key are contiguous. Missing values are last, or first when the
  /// key is descending.
  func positions(in order: OrderedSlots, by keys: [SortKey]) -> Range<Int> {
    guard let key = keys.first, let range = ranges[key.path] else { return 0..<order.count }
    return key.isDescending ? (order.count - range.upperBound)..<(order.count - range.lowerBound) : range
  }
}

extension FilterMatches {
  /// The records that some filters select, until a record changes, so that the next page of a list need not evaluate its
  /// filter again.
  struct Cache: RowIndex {
    var matches = LRUCache<Query.Criteria, FilterMatches>(QueryPlan.maximumIndexes)

    mutating func follow(_ changes: RowChanges) -> Bool { false }
  }
}
