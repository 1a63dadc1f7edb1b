/// A generated structure: an object's properties, and the types of those that are objects or choices themselves.
struct SwiftStructure {
  let name: String
  private(set) var properties: [SwiftProperty] = []
  private(set) var structures: [SwiftStructure] = []
  private(set) var enumerations: [SwiftEnumeration] = []
  private(set) var usesDates = false
  private(set) var usesAnyJSON = false
  private var typeNames: UniqueNames

  /// Designs a structure for an object.
  ///
  /// - Parameters:
  ///   - name: The structure's name.
  ///   - object: The members, the id not among them.
  ///   - id: A property that comes first and is called `id`.
  ///   - textKeys: The members that stay text whatever their format, because the server compares their spelling.
  ///   - enclosing: The names of the structures around it, which a nested type must not hide.
  ///   - singular: Inflects the name of an array to that of an element's type.
  init(
    _ name: String, _ object: ObjectType, id: SwiftProperty? = nil, textKeys: Set<String> = [],
    enclosing: Set<String> = [], singular: (String) -> String
  ) {
    self.name = name
    let enclosing = enclosing.union([name])
    typeNames = UniqueNames(reserving: SwiftNames.nested.union(enclosing))
    var names = UniqueNames(reserving: SwiftNames.properties.union(id.map { [$0.name] } ?? []))
    if let id { properties.append(id) }
    for member in object.members {
      let property = names.take(Identifier.lowerCamelCase(member.name))
      let type =
        textKeys.contains(member.name) && member.type.isText
        ? .global("String") : self.type(of: member.type, named: member.name, enclosing: enclosing, singular: singular)
      properties.append(
        SwiftProperty(
          name: property, key: member.name, type: type,
          isOptional: !member.isRequired || member.type.isNullable))
    }
  }

  /// The Swift type of a value; designs the structures and enumerations it needs.
  private mutating func type(
    of type: ValueType, named name: String, enclosing: Set<String>, singular: (String) -> String
  ) -> SwiftType {
    guard let alternative = type.alternatives.first, type.alternatives.count == 1 else {
      usesAnyJSON = true
      return .anyJSON
    }
    switch alternative {
    case .boolean: return .global("Bool")
    case .integer: return .global("Int")
    case .number: return .global("Double")
    case .string(let string): return self.type(of: string, named: name)
    case .array(let elements):
      let element = self.type(of: elements, named: singular(name), enclosing: enclosing, singular: singular)
      return .array(elements.isNullable && element != .anyJSON ? .optional(element) : element)
    case .object(let object):
      guard !object.members.isEmpty else {
        usesAnyJSON = true
        return .anyJSON
      }
      let typeName = typeNames.take(Identifier.upperCamelCase(name))
      let structure = SwiftStructure(typeName, object, enclosing: enclosing, singular: singular)
      usesDates = usesDates || structure.usesDates
      usesAnyJSON = usesAnyJSON || structure.usesAnyJSON
      structures.append(structure)
      return .nested(typeName)
    }
  }

  private mutating func type(of string: StringType, named name: String) -> SwiftType {
    switch string {
    case .plain, .formatted(.date), .formatted(.email), .formatted(.ipv4): return .global("String")
    case .formatted(.uri): return .global("URL")
    case .formatted(.uuid): return .global("UUID")
    case .formatted(.dateTime):
      usesDates = true
      return .global("Date")
    case .choice(let choices):
      let typeName = typeNames.take(Identifier.upperCamelCase(name))
      enumerations.append(SwiftEnumeration(name: typeName, choices: choices))
      return .nested(typeName)
    }
  }
}

extension ValueType {
  /// Whether everything that was seen is a string or `null`.
  fileprivate var isText: Bool {
    guard case .string? = alternatives.first else { return false }
    return alternatives.count == 1
  }
}

extension SwiftStructure {
  /// Writes the structure and the types nested in it.
  ///
  /// - Parameter conformances: The protocols, in one list.
  func write(to source: inout SwiftSource, conformances: String = "Codable, Sendable, Hashable") {
    source.block("struct \(name): \(conformances)") { source in
      Self.write(properties, to: &source)
      for enumeration in enumerations { enumeration.write(to: &source) }
      for structure in structures {
        source.line()
        structure.write(to: &source)
      }
    }
  }

  /// Writes properties, and the keys of them all when one is spelled otherwise in JSON.
  ///
  /// - Parameter structure: The structure in which the types are nested, when that is another.
  static func write(_ properties: [SwiftProperty], outside structure: String? = nil, to source: inout SwiftSource) {
    for property in properties { source.line(property.declaration(outside: structure)) }
    guard properties.contains(where: { $0.name != $0.key }) else { return }
    source.line()
    source.block("enum CodingKeys: String, CodingKey") { source in
      for property in properties {
        let name = SwiftNames.declaration(property.name)
        source.line("case \(name)\(property.name == property.key ? "" : " = \(SwiftText.literal(property.key))")")
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

  /// The line that declares it.
  ///
  /// - Parameter structure: The structure in which its types are nested, when that is another.
  func declaration(outside structure: String?) -> String {
    let type = isOptional ? SwiftType.optional(type) : type
    return "var \(SwiftNames.declaration(name)): \(type.name(outside: structure))"
  }

  /// The same property in a patch, where everything may be left out.
  var optional: SwiftProperty { SwiftProperty(name: name, key: key, type: type, isOptional: true) }
}

/// A generated enumeration: the few strings that a member may be.
struct SwiftEnumeration {
  let name: String
  let choices: [String]

  func write(to source: inout SwiftSource) {
    var names = UniqueNames(reserving: SwiftNames.properties)
    source.line()
    source.block("enum \(name): String, Codable, CaseIterable, Sendable, Hashable") { source in
      for choice in choices {
        let name = names.take(Identifier.lowerCamelCase(choice))
        source.line("case \(SwiftNames.declaration(name))\(name == choice ? "" : " = \(SwiftText.literal(choice))")")
      }
    }
  }
}
