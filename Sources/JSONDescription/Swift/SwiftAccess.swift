/// Who sees what is generated.
package enum SwiftAccess: String, Sendable, CaseIterable {
  /// The module that the source is a part of.
  case `internal`
  /// The modules of the package.
  case package
  /// Whoever imports the module.
  case `public`

  /// What stands before a declaration, with a space; nothing where Swift needs nothing.
  var prefix: String {
    switch self {
    case .internal: ""
    case .package, .public: rawValue + " "
    }
  }

  /// What stands before a type: that it belongs to no actor, even in a module whose default is the main actor.
  var typePrefix: String { prefix + "nonisolated " }

  /// Whether others need an initializer that is spelled out.
  var reachesOtherModules: Bool { self != .internal }
}
