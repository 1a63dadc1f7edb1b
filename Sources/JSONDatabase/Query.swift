package import OrderedJSON

/// What a request asks of a collection.
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
  /// A text that some value must hold; empty for none.
  package var search = ""
  /// A tree of conditions (json-server 1.0's `_where`).
  package var conditions: JSONValue?
  /// What to sort by, most significant first.
  package var sort: [SortKey] = []
  package var window = Window.all
  /// The related records to put into each record.
  package var relations: [RelationRequest] = []
  /// A foreign key that must hold an id, for a nested route.
  package var parent: (key: FieldPath, id: String)?

  package init() {}
}
