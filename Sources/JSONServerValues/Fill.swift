/// A member that the server fills in the records that clients write, as a real backend does with `createdAt`.
///
/// ```swift
/// configuration.fills = [Fill("createdAt", of: "posts", with: .now), Fill("updatedAt", with: .now, onEveryChange: true)]
/// ```
public struct Fill: Sendable {
  /// The value of a member.
  public enum Value: Sendable {
    /// The time, in the format of the collection's other times.
    case now
    /// A random UUID.
    case uuid
    /// The largest number of the member in the collection, plus one.
    case increment
    case constant(JSONValue)
  }

  /// The collection or single resource; `nil` for all collections.
  public let resource: String?
  /// The name of the member.
  public let member: String
  /// The value.
  public let value: Value
  /// Whether the server sets the member at each change, whatever the client sends; otherwise a value of the client is
  /// kept.
  public let onEveryChange: Bool

  /// Creates a rule for a resource, or for all collections.
  public init(_ member: String, of resource: String? = nil, with value: Value, onEveryChange: Bool = false) {
    self.resource = resource
    self.member = member
    self.value = value
    self.onEveryChange = onEveryChange
  }
}
