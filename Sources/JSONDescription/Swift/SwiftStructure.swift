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
          isOptional: !member.isRequired || member.type.isNullable, isNullable: member.type.isNullable))
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
    case .number: return .global(type.needsDecimal ? "Decimal" : "Double")
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
      // What reads as a constant of the server is one; names of people and places are too few by chance.
      guard choices.allSatisfy(Identifier.isConstant) else { return .global("String") }
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
