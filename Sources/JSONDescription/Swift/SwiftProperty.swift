/// A stored property of a generated structure.
struct SwiftProperty {
  /// The name, without the backticks that a keyword needs.
  let name: String
  /// The member's name in JSON.
  let key: String
  /// The type of a value that is there.
  let type: SwiftType
  /// Whether a record may do without it.
  let isOptional: Bool

  /// The line that declares it.
  ///
  /// - Parameter structure: The structure its nested types stand in, when that is another.
  func declaration(outside structure: String?) -> String {
    let type = isOptional ? SwiftType.optional(type) : type
    return "var \(SwiftNames.declaration(name)): \(type.name(outside: structure))"
  }

  /// The same property in a patch, where everything may be left out.
  var optional: SwiftProperty { SwiftProperty(name: name, key: key, type: type, isOptional: true) }
}
