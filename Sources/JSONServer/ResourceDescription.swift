/// A resource as a person sees it.
public struct ResourceDescription: Sendable, Hashable {
  /// The top-level name of the data, which is the path below `/`, too.
  public let name: String
  /// The number of records; `nil` for a single object.
  public let count: Int?
  /// The member that holds the ids of its records.
  public let idName: String
}
