package import OrderedJSON

/// What the values of one place in the data are.
package struct ValueType: Sendable, Hashable {
  /// What a value that is not `null` is.
  package enum Alternative: Sendable, Hashable {
    case boolean
    /// Numbers that all fit an `Int`.
    case integer
    /// Numbers of which some do not.
    case number
    case string(StringType)
    /// Arrays; their elements are described together.
    case array(ValueType)
    case object(ObjectType)
  }

  /// One alternative for each kind of value seen, in order of appearance; none when there was only `null`, or nothing.
  package let alternatives: [Alternative]
  /// Whether some value was `null`.
  package let isNullable: Bool
  /// The first value that is no array, object or `null`.
  package let example: JSONValue?

  package init(alternatives: [Alternative], isNullable: Bool = false, example: JSONValue? = nil) {
    self.alternatives = alternatives
    self.isNullable = isNullable
    self.example = example
  }
}
