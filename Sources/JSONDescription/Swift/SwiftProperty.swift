/// A stored property of a generated structure.
struct SwiftProperty {
  /// The name, without the backticks that a keyword needs.
  let name: String
  /// The member's name in JSON.
  let key: String
  /// The type, without a question mark.
  let type: String
  /// Whether a record may do without it.
  let isOptional: Bool

  /// The line that declares it.
  var declaration: String { "var \(SwiftNames.declaration(name)): \(type)\(isOptional ? "?" : "")" }

  /// The same property in a patch, where everything may be left out.
  var optional: SwiftProperty { SwiftProperty(name: name, key: key, type: type, isOptional: true) }
}
