package import JSONServerValues

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
  }

  /// The parameters that may be filters, in the order of the request.
  package var parameters: [FilterParameter] = []
  /// A text that some value must contain; empty for none.
  package var search = ""
  /// A tree of conditions (json-server 1.0's `_where`).
  package var conditions: JSONValue?
  /// The keys to sort by, most significant first.
  package var sort: [SortKey] = []
  package var window = Window.all
  /// The related records to add to each record.
  package var relations: [RelationRequest] = []
  /// A resource, the foreign key to it, and the key's value, for a nested route.
  package var parent: (resource: String, key: FieldPath, id: String)?
  /// A foreign key and its only value, in addition to all filters: the user to whom the records belong.
  package var owner: (key: FieldPath, id: String)?
  /// Whether the query is for a change: then every value of a filter counts in both dialects, and
  /// ``Selection/idleFilters`` are collected.
  package var isForChange = false

  package init() {}

  /// Whether the query selects all records as they are stored, apart from filters.
  var isWhole: Bool {
    guard case .all = window else { return false }
    return sort.isEmpty && parent == nil && owner == nil
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

  /// The positions of the records in their collection, until it changes. O(number of records).
  var slots: [Int32] { records.occupiedSlots }
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

/// A parameter of a request that may be a filter, such as `views_gte=10` or `author.name=ada`.
package struct FilterParameter: Sendable, Hashable {
  package let name: String
  package var values: [String]

  package init(_ name: String, _ values: [String]) {
    self.name = name
    self.values = values
  }
}
