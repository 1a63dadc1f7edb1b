import JSONServerValues

/// The records that a filter selects, as indexes tell.
struct FilterMatches: Sendable {
  var slots: SlotSet
  /// For each member that the filter compares by size, where the values that pass are among all, in ascending order.
  var ranges: [FieldPath: Range<Int>] = [:]

  /// No records.
  static let none = FilterMatches(slots: .list([]))

  /// The key of a filter, so that the next page of a list need not evaluate it again.
  struct Key: Hashable, Sendable {
    /// The members and ids of the parent and of the owner, then the name and the values of each parameter, with `nil`
    /// after them. Equality of values tells strings apart that are equal as strings: `é` in one code point and in two.
    private let parts: [ByteExactKey?]

    /// Creates the key of a query's filter; `nil` when no index can evaluate the filter.
    init?(_ query: Query) {
      guard query.conditions == nil, query.search.isEmpty, !query.isForChange else { return nil }
      let (parent, owner) = (query.parent, query.owner)
      var parts = [parent?.key.name, parent?.id, owner?.key.name, owner?.id].map { $0.map { ByteExactKey($0) } }
      for parameter in query.parameters {
        parts.append(ByteExactKey(parameter.name))
        for value in parameter.values { parts.append(ByteExactKey(value)) }
        parts.append(nil)
      }
      self.parts = parts
    }
  }

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
  /// The records that some filters select, until a record changes.
  struct Cache: RowIndex {
    var matches = LRUCache<Key, FilterMatches>(16)

    mutating func follow(_ changes: RowChanges) -> Bool { false }
  }
}
