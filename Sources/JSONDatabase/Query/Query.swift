/// The records of a collection that a request selects, and their order.
package struct Query: Sendable {
  /// A part of the matching records.
  package enum Window: Sendable, Hashable {
    /// All of them.
    case all
    /// From a start to an end, as JavaScript's `slice`: negative numbers count from the end.
    case slice(start: Int, end: Int?)
    /// A page, from 1.
    case page(Int, size: Int)
    /// What follows the record with an id, or the first records.
    case after(String?, size: Int)
  }

  package var criteria = Criteria()
  /// The keys to sort by, most significant first.
  package var sort: [SortKey] = []
  package var window = Window.all
  /// The related records to add to each record.
  package var relations: [RelationRequest] = []

  package init() {}

  /// Whether the query selects all records as they are stored, apart from filters.
  var isWhole: Bool {
    guard case .all = window else { return false }
    return sort.isEmpty && criteria.parent == nil && criteria.ids == nil && criteria.owner == nil
  }
}

/// The records that a query selects.
package struct Selection: Sendable {
  /// The records of the window, in order.
  package let records: SelectedRecords
  /// The number of matching records, inside and outside of the window.
  package let total: Int
  /// The parameters that are members of no record.
  package let unknownParameters: [String]
  /// The filters that do not select any particular records; empty unless the query is for a change.
  package let idleFilters: [IdleFilter]
  /// The sort keys that are members of no record; empty when there are no records.
  package let unknownSortPaths: [FieldPath]
  /// The id after which the next page begins; `nil` when nothing follows, and for other windows than ``Query/Window/after(_:size:)``.
  package var next: String?

  /// The positions of the records in their collection, until it changes. O(number of records).
  package var slots: [Int] { records.occupiedSlots.map(Int.init) }
}

/// A filter that does not select any particular records.
package struct IdleFilter: Sendable {
  package enum Reason: Sendable {
    /// No record has the member.
    case noMember
    /// Every value passes, since the comparison has an empty operand.
    case metByAll
  }

  /// The parameter of the filter.
  package let parameter: String
  package let path: FieldPath
  package let reason: Reason
}

/// A member by which records are sorted.
package struct SortKey: Sendable, Hashable {
  package let path: FieldPath
  package let isDescending: Bool

  package init(_ path: FieldPath, descending: Bool = false) {
    self.path = path
    isDescending = descending
  }
}
