/// The type of a generated property.
indirect enum SwiftType: Sendable, Hashable {
  /// A type that is known everywhere.
  case global(String)
  /// A type nested in the structure that has the property.
  case nested(String)
  case array(SwiftType)
  case optional(SwiftType)

  /// A value of any kind.
  static let anyJSON = SwiftType.global("AnyJSON")

  /// The type's name.
  ///
  /// - Parameter structure: The structure that the property's types are nested in, when it is named from outside.
  func name(outside structure: String? = nil) -> String {
    switch self {
    case .global(let name): name
    case .nested(let name): structure.map { "\($0).\(name)" } ?? name
    case .array(let element): "[\(element.name(outside: structure))]"
    case .optional(let type): "\(type.name(outside: structure))?"
    }
  }
}
