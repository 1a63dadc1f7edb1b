/// Whether a resource is many records or one.
package enum ResourceKind: Sendable, Hashable {
  /// An array of records, each with an id.
  case collection
  /// A single object.
  case object
}
