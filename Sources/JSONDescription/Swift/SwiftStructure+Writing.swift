extension SwiftStructure {
  /// Writes the structure and the types nested in it.
  ///
  /// - Parameters:
  ///   - conformances: The protocols, in one list.
  ///   - access: Who sees it.
  ///   - isNested: Whether it stands within another, whose isolation it shares.
  ///   - hidden: The property that it does not have after all.
  func write(
    to source: inout SwiftSource, conformances: String = "Codable, Sendable, Hashable", access: SwiftAccess,
    isNested: Bool = false, without hidden: SwiftProperty? = nil
  ) {
    let properties = properties.filter { $0.key != hidden?.key }
    source.block("\(isNested ? access.prefix : access.typePrefix)struct \(name): \(conformances)") { source in
      Self.write(properties, access: access, to: &source)
      for enumeration in enumerations { enumeration.write(to: &source, access: access) }
      for structure in structures {
        source.line()
        structure.write(to: &source, access: access, isNested: true)
      }
    }
  }

  /// Writes properties, the keys of them all when one is spelled otherwise in JSON, and the initializer that other
  /// modules need.
  ///
  /// - Parameter structure: The structure in which the types are nested, when that is another.
  static func write(
    _ properties: [SwiftProperty], outside structure: String? = nil, access: SwiftAccess, to source: inout SwiftSource
  ) {
    for property in properties { source.line(access.prefix + property.declaration(outside: structure)) }
    if access.reachesOtherModules {
      if !properties.isEmpty { source.line() }
      writeInitializer(properties, outside: structure, access: access, to: &source)
    }
    if properties.contains(where: \.isNullable) { writeEncoding(properties, access: access, to: &source) }
    guard properties.contains(where: { $0.name != $0.key }) else { return }
    source.line()
    source.block("enum CodingKeys: String, CodingKey") { source in
      for property in properties {
        let name = SwiftNames.declaration(property.name)
        source.line("case \(name)\(property.name == property.key ? "" : " = \(SwiftText.literal(property.key))")")
      }
    }
  }

  /// Writes how properties become JSON: the compiler's own way leaves out what is `nil`, so that what replaces a record
  /// would not have its nulls any more.
  private static func writeEncoding(
    _ properties: [SwiftProperty], access: SwiftAccess, to source: inout SwiftSource
  ) {
    source.line()
    source.line("/// What the data has as null is sent as null, and what it lacks is left out.")
    source.block("\(access.prefix)func encode(to encoder: any Encoder) throws") { source in
      source.line("var container = encoder.container(keyedBy: CodingKeys.self)")
      for property in properties {
        let name = SwiftNames.declaration(property.name)
        let method = property.isOptional && !property.isNullable ? "encodeIfPresent" : "encode"
        source.line("try container.\(method)(self.\(name), forKey: .\(name))")
      }
    }
  }

  private static func writeInitializer(
    _ properties: [SwiftProperty], outside structure: String?, access: SwiftAccess, to source: inout SwiftSource
  ) {
    let parameters = properties.map { $0.parameter(outside: structure) }
    source.function("\(access.prefix)init", parameters) { source in
      for property in properties {
        let name = SwiftNames.declaration(property.name)
        source.line("self.\(name) = \(name)")
      }
    }
  }
}

/// A stored property of a generated structure.
struct SwiftProperty {
  /// The name, without the backticks that a keyword needs.
  let name: String
  /// The member's name in JSON.
  let key: String
  /// The type of a value that is present.
  let type: SwiftType
  /// Whether a record may lack it.
  let isOptional: Bool
  /// Whether a record may have it as null.
  var isNullable = false

  /// The line that declares it.
  ///
  /// - Parameter structure: The structure in which its types are nested, when that is another.
  func declaration(outside structure: String?) -> String {
    "var \(SwiftNames.declaration(name)): \(typeName(outside: structure))"
  }

  /// The parameter of an initializer that takes it.
  func parameter(outside structure: String?) -> String {
    "\(SwiftNames.declaration(name)): \(typeName(outside: structure))\(isOptional ? " = nil" : "")"
  }

  private func typeName(outside structure: String?) -> String {
    (isOptional ? SwiftType.optional(type) : type).name(outside: structure)
  }

  /// The same property in a patch, where everything may be left out, and what may be missing may become `null`.
  var changed: SwiftProperty {
    // AnyJSON has a null of its own.
    let type = isOptional && type != .anyJSON ? SwiftType.patch(type) : type
    return SwiftProperty(name: name, key: key, type: type, isOptional: true)
  }

  /// Whether it holds null in a patch as a value of its own.
  var isPatchValue: Bool {
    if case .patch = type { true } else { false }
  }
}

/// A generated enumeration: the few strings that a member was seen to be, and all others.
struct SwiftEnumeration {
  let name: String
  let choices: [String]

  func write(to source: inout SwiftSource, access: SwiftAccess) {
    var names = UniqueNames(reserving: SwiftNames.properties)
    let cases = choices.map { text in
      let words = text == text.uppercased() ? text.lowercased() : text
      return (name: SwiftNames.declaration(names.take(Identifier.lowerCamelCase(words))), text: text)
    }
    let unknown = names.take(cases.contains { $0.name == "unknown" } ? "other" : "unknown")
    let prefix = access.prefix
    source.line()
    source.block("\(prefix)enum \(name): RawRepresentable, Codable, CaseIterable, Sendable, Hashable") { source in
      for choice in cases { source.line("case \(choice.name)") }
      source.line("/// A text that the data did not have when this was generated.")
      source.line("case \(unknown)(String)")
      source.line()
      source.line("/// All but the unknown.")
      source.list("\(prefix)static let allCases: [\(name)] = ", cases.map { ".\($0.name)" })
      source.line()
      source.block("\(prefix)init(rawValue: String)") { source in
        source.block("switch rawValue", indented: false) { source in
          for choice in cases { source.line("case \(SwiftText.literal(choice.text)): self = .\(choice.name)") }
          source.line("default: self = .\(unknown)(rawValue)")
        }
      }
      source.line()
      source.block("\(prefix)var rawValue: String") { source in
        source.block("switch self", indented: false) { source in
          for choice in cases { source.line("case .\(choice.name): \(SwiftText.literal(choice.text))") }
          source.line("case .\(unknown)(let text): text")
        }
      }
    }
  }
}
