package import JSONServerValues

/// The records of a collection that a request asks for, and their order.
package struct Query: Sendable {
  /// Which part of the records that match is wanted.
  package enum Window: Sendable, Hashable {
    /// All of them.
    case all
    /// From a start up to an end, as JavaScript's `slice` takes them: negative numbers count from the end.
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
  /// The related records to put into each record.
  package var relations: [RelationRequest] = []
  /// A resource, the member that refers to its records, and the id that it must hold, for a nested route.
  package var parent: (resource: String, key: FieldPath, id: String)?
  /// A foreign key and the id that it must hold alone, besides all filters: the user to whom the records belong.
  package var owner: (key: FieldPath, id: String)?
  /// Whether the records are to be changed: then every value of a filter counts under either dialect, and
  /// ``Selection/idleFilters`` are found.
  package var isForChange = false

  package init() {}

  /// Whether it asks for all records as they are stored, its filters apart.
  var isWhole: Bool {
    guard case .all = window else { return false }
    return sort.isEmpty && parent == nil && owner == nil
  }
}

/// The records that a query selects.
package struct Selection: Sendable {
  /// The records of the window, in order.
  package let records: SelectedRecords
  /// How many records match, inside the window and outside it.
  package let total: Int
  /// The parameters that no record has a member for.
  package let unknownParameters: [String]
  /// The filters that say nothing about which records are meant; empty unless the query is for a change.
  package let idleFilters: [IdleFilter]
  /// The paths to sort by that lead to no member of any record; none where there is no record.
  package let unknownSortPaths: [FieldPath]

  /// Where the records are in their collection, until it changes. O(number of records).
  var slots: [Int32] { records.occupiedSlots }
}

/// A filter that says nothing about which records are meant.
package struct IdleFilter: Sendable {
  package enum Reason: Sendable {
    /// No record has the member.
    case noMember
    /// Every value meets it, as it meets a comparison with nothing.
    case metByAll
  }

  /// The parameter that it is, or is a part of.
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
