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

  /// What a record must meet to be selected.
  ///
  /// Matching records are remembered by their whole criteria: whatever else is to filter has its place here.
  package struct Criteria: Sendable, Hashable {
    /// The parameters that may be filters, in the order of the request.
    package var parameters: [FilterParameter] = []
    /// A text that some value must contain; empty for none.
    package var search = ""
    /// A tree of conditions (json-server 1.0's `_where`).
    package var conditions: JSONValue?
    /// The parent that a foreign key must refer to, perhaps with others, for a nested route.
    package var parent: Reference?
    /// The user to whom the records belong, as their only owner.
    package var owner: Reference?
    /// Whether the query is for a change: then every value of a filter counts in both dialects, and
    /// ``Selection/idleFilters`` are collected.
    package var isForChange = false

    /// Whether equal criteria may come again, and then select the same records.
    ///
    /// Texts to search for and texts in conditions may be equal without having equal bytes: `é` in one code point and in
    /// two. What a change selects is different after it.
    var mayRecur: Bool { search.isEmpty && conditions == nil && !isForChange }
  }

  /// A foreign key, and the id that it must have.
  package struct Reference: Sendable, Hashable {
    package let key: FieldPath
    package let id: ByteExactKey

    package init(_ key: FieldPath, _ id: String) {
      self.key = key
      self.id = ByteExactKey(id)
    }
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
    return sort.isEmpty && criteria.parent == nil && criteria.owner == nil
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

  /// Whether the parameters have equal bytes.
  package static func == (left: FilterParameter, right: FilterParameter) -> Bool {
    ByteExactKey(left.name) == ByteExactKey(right.name)
      && left.values.elementsEqual(right.values) { ByteExactKey($0) == ByteExactKey($1) }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ByteExactKey(name))
    for value in values { hasher.combine(ByteExactKey(value)) }
  }
}
