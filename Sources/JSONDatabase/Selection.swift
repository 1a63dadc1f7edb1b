package import OrderedJSON

/// The records that a query selects.
package struct Selection: Sendable {
  /// The records of the window, in order.
  package let records: [Text]
  /// How many records match, in the window and out of it.
  package let total: Int
  /// The parameters that no record has a member for.
  package let unknownParameters: [String]
}
