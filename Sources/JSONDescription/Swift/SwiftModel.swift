/// The generated types of one resource: its record, a record to create and a change.
struct SwiftModel {
  let resource: NamedResource
  private let record: SwiftStructure
  /// The id of a record; `nil` for a single object.
  let id: SwiftProperty?
  /// Members that clients send and no response shows.
  private let password: SwiftProperty?

  /// Designs the types of a resource.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - foreignKeys: The members that hold the id of another record.
  ///   - holdsUsers: Whether its records are users who can sign in.
  ///   - singular: Inflects `posts` to `post`.
  init(
    _ resource: NamedResource, foreignKeys: Set<String>, holdsUsers: Bool = false, singular: (String) -> String
  ) {
    self.resource = resource
    id = resource.resource.kind == .collection ? Self.id(of: resource.resource) : nil
    record = SwiftStructure(
      resource.recordName, resource.resource.content, id: id, textKeys: foreignKeys, singular: singular)
    password = holdsUsers ? record.properties.first { $0.key == SwiftSignIn.passwordKey } : nil
  }

  var isCollection: Bool { id != nil }
  var usesDates: Bool { record.uses(.global("Date")) }
  var usesAnyJSON: Bool { record.uses(.anyJSON) }
  var usesPatchValues: Bool { content.contains { $0.changed.isPatchValue } }

  func write(to source: inout SwiftSource) {
    let name = SwiftText.inOneLine(resource.resource.name)
    source.line()
    source.line(isCollection ? "/// A record of `\(name)`." : "/// The object `\(name)`.")
    record.write(
      to: &source,
      conformances: isCollection ? "Codable, Identifiable, Sendable, Hashable" : "Codable, Sendable, Hashable",
      without: password)
    if isCollection { writeNewRecord(name, to: &source) }
    let ofNulls = content.contains(where: \.isOptional) ? ", and `.null` becomes null" : ""
    source.line()
    source.line("/// A change of `\(name)`: a `nil` stays as it is\(ofNulls).")
    write(resource.patchName, content.map(\.changed), to: &source)
    guard let id else { return }
    source.line()
    source.block("nonisolated extension \(resource.recordName): ResourceRecord") { source in
      source.line("\(source.access.prefix)typealias NewRecord = \(resource.newRecordName)")
      source.line("\(source.access.prefix)typealias Patch = \(resource.patchName)")
      source.line("\(source.access.prefix)typealias RecordID = \(id.type.name())")
    }
  }

  private func writeNewRecord(_ name: String, to source: inout SwiftSource) {
    source.line()
    source.line("/// A record to add to `\(name)`; the server gives it an id.")
    write(resource.newRecordName, content, to: &source)
    source.line()
    source.block("nonisolated extension \(resource.newRecordName)") { source in
      source.line("/// The members of a record, to create or to replace one.")
      let parameters =
        ["_ record: \(resource.recordName)"] + (password.map { [$0.parameter(outside: record.name)] } ?? [])
      source.function("\(source.access.prefix)init", parameters) { source in
        for property in content {
          let name = SwiftNames.declaration(property.name)
          source.line("self.\(name) = \(property.key == password?.key ? "" : "record.")\(name)")
        }
      }
    }
  }

  /// The properties except the id.
  private var content: [SwiftProperty] {
    Array(record.properties.dropFirst(isCollection ? 1 : 0))
  }

  private func write(_ name: String, _ properties: [SwiftProperty], to source: inout SwiftSource) {
    source.block("\(source.access.typePrefix)struct \(name): Codable, Sendable, Hashable") { source in
      SwiftStructure.write(properties, outside: record.name, to: &source)
    }
  }

  /// The id's property: text of any format stays text, because the server compares its spelling.
  private static func id(of resource: ResourceType) -> SwiftProperty {
    let member = resource.record[resource.idName]
    let isMixed = (member?.type.alternatives.count ?? 0) > 1
    let type: SwiftType =
      switch member?.type.alternatives.first {
      case _ where isMixed: .anyJSON
      case nil, .integer: .global("Int")
      case .number: .global(member?.type.needsDecimal == true ? "Decimal" : "Double")
      case .string: .global("String")
      case .boolean, .array, .object: .anyJSON
      }
    let isOptional = member.map { !$0.isRequired || $0.type.isNullable } ?? !resource.record.members.isEmpty
    return SwiftProperty(name: "id", key: resource.idName, type: type, isOptional: isOptional)
  }
}

/// A generated structure: an object's properties, and the types of those that are objects or choices themselves.
private struct SwiftStructure {
  let name: String
  private(set) var properties: [SwiftProperty] = []
  private(set) var structures: [SwiftStructure] = []
  private(set) var enumerations: [SwiftEnumeration] = []
  private var typeNames: UniqueNames

  /// Designs a structure for an object.
  ///
  /// - Parameters:
  ///   - name: The structure's name.
  ///   - object: The members, the id not among them.
  ///   - id: A property that comes first and is called `id`.
  ///   - textKeys: The members that stay text in any format, because the server compares their spelling.
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
        ? .global("String")
        : textKeys.contains(member.name) && member.type.isListOfTexts
          ? .array(.global("String"))
          : self.type(of: member.type, named: member.name, enclosing: enclosing, singular: singular)
      properties.append(
        SwiftProperty(
          name: property, key: member.name, type: type,
          isOptional: !member.isRequired || member.type.isNullable, isNullable: member.type.isNullable))
    }
  }

  /// Whether a property here or in a nested structure has a type.
  func uses(_ type: SwiftType) -> Bool {
    properties.contains { $0.type.innermost == type } || structures.contains { $0.uses(type) }
  }

  /// The Swift type of a value; designs the structures and enumerations it needs.
  private mutating func type(
    of type: ValueType, named name: String, enclosing: Set<String>, singular: (String) -> String
  ) -> SwiftType {
    guard let alternative = type.alternatives.first, type.alternatives.count == 1 else { return .anyJSON }
    switch alternative {
    case .boolean: return .global("Bool")
    case .integer: return .global("Int")
    case .number: return .global(type.needsDecimal ? "Decimal" : "Double")
    case .string(let string): return self.type(of: string, named: name)
    case .array(let elements):
      let element = self.type(of: elements, named: singular(name), enclosing: enclosing, singular: singular)
      return .array(elements.isNullable && element != .anyJSON ? .optional(element) : element)
    case .object(let object):
      guard !object.members.isEmpty else { return .anyJSON }
      let typeName = typeNames.take(Identifier.upperCamelCase(name))
      structures.append(SwiftStructure(typeName, object, enclosing: enclosing, singular: singular))
      return .nested(typeName)
    }
  }

  private mutating func type(of string: StringType, named name: String) -> SwiftType {
    switch string {
    case .plain, .formatted(.date), .formatted(.email), .formatted(.ipv4): return .global("String")
    case .formatted(.uri): return .global("URL")
    case .formatted(.uuid): return .global("UUID")
    case .formatted(.dateTime): return .global("Date")
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
  var isText: Bool {
    guard case .string? = alternatives.first else { return false }
    return alternatives.count == 1
  }

  /// Whether everything that was seen is a list of strings.
  fileprivate var isListOfTexts: Bool {
    guard case .array(let elements)? = alternatives.first else { return false }
    return alternatives.count == 1 && elements.isText
  }
}

extension SwiftStructure {
  /// Writes the structure and the types nested in it.
  ///
  /// - Parameters:
  ///   - conformances: The protocols, in one list.
  ///   - isNested: Whether it stands within another, whose isolation it shares.
  ///   - hidden: The property that it does not have after all.
  func write(
    to source: inout SwiftSource, conformances: String = "Codable, Sendable, Hashable", isNested: Bool = false,
    without hidden: SwiftProperty? = nil
  ) {
    let properties = properties.filter { $0.key != hidden?.key }
    let prefix = isNested ? source.access.prefix : source.access.typePrefix
    source.block("\(prefix)struct \(name): \(conformances)") { source in
      Self.write(properties, to: &source)
      for enumeration in enumerations { enumeration.write(to: &source) }
      for structure in structures {
        source.line()
        structure.write(to: &source, isNested: true)
      }
    }
  }

  /// Writes properties, the keys of them all when one is spelled otherwise in JSON, and the initializer that other
  /// modules need.
  ///
  /// - Parameter structure: The structure in which the types are nested, when that is another.
  static func write(_ properties: [SwiftProperty], outside structure: String? = nil, to source: inout SwiftSource) {
    for property in properties { source.line(source.access.prefix + property.declaration(outside: structure)) }
    if source.access.reachesOtherModules {
      if !properties.isEmpty { source.line() }
      writeInitializer(properties, outside: structure, to: &source)
    }
    if properties.contains(where: \.isNullable) { writeEncoding(properties, to: &source) }
    guard properties.contains(where: { $0.name != $0.key }) else { return }
    source.line()
    source.block("enum CodingKeys: String, CodingKey") { source in
      for property in properties {
        let name = SwiftNames.declaration(property.name)
        source.line("case \(name)\(property.name == property.key ? "" : " = \(SwiftText.literal(property.key))")")
      }
    }
  }

  /// Writes how properties are encoded: the compiler's own way leaves out `nil`, so a replaced record would lose its
  /// nulls.
  private static func writeEncoding(_ properties: [SwiftProperty], to source: inout SwiftSource) {
    source.line()
    source.line("/// A `nil` is sent as null where the data has nulls, and left out where the data lacks the member.")
    source.block("\(source.access.prefix)func encode(to encoder: any Encoder) throws") { source in
      source.line("var container = encoder.container(keyedBy: CodingKeys.self)")
      for property in properties {
        let name = SwiftNames.declaration(property.name)
        let method = property.isOptional && !property.isNullable ? "encodeIfPresent" : "encode"
        source.line("try container.\(method)(self.\(name), forKey: .\(name))")
      }
    }
  }

  private static func writeInitializer(
    _ properties: [SwiftProperty], outside structure: String?, to source: inout SwiftSource
  ) {
    let parameters = properties.map { $0.parameter(outside: structure) }
    source.function("\(source.access.prefix)init", parameters) { source in
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
private struct SwiftEnumeration {
  let name: String
  let choices: [String]

  func write(to source: inout SwiftSource) {
    var names = UniqueNames(reserving: SwiftNames.properties)
    let cases = choices.map { text in
      let words = text == text.uppercased() ? text.lowercased() : text
      return (name: SwiftNames.declaration(names.take(Identifier.lowerCamelCase(words))), text: text)
    }
    let unknown = names.take(cases.contains { $0.name == "unknown" } ? "other" : "unknown")
    let prefix = source.access.prefix
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
