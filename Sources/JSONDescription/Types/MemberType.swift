/// A member of the objects of one place.
package struct MemberType: Sendable, Hashable {
  package let name: String
  package let type: ValueType
  /// Whether every object has it, be it as `null`.
  package let isRequired: Bool

  package init(name: String, type: ValueType, isRequired: Bool) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
  }
}
