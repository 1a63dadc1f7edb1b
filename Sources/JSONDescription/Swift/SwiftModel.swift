/// The generated types of one resource: its record, a record to create and a change.
struct SwiftModel {
  let resource: NamedResource
  private let record: SwiftStructure
  /// The id of a record; `nil` for a single object.
  let id: SwiftProperty?

  /// Designs the types of a resource.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - foreignKeys: The members that hold the id of another record.
  ///   - singular: Inflects `posts` to `post`.
  init(_ resource: NamedResource, foreignKeys: Set<String>, singular: (String) -> String) {
    self.resource = resource
    id = resource.resource.kind == .collection ? Self.id(of: resource.resource) : nil
    record = SwiftStructure(
      resource.recordName, resource.resource.content, id: id, textKeys: foreignKeys, singular: singular)
  }

  var isCollection: Bool { id != nil }
  var usesDates: Bool { record.usesDates }
  var usesAnyJSON: Bool { record.usesAnyJSON || id?.type == "AnyJSON" }

  func write(to source: inout SwiftSource) {
    let name = SwiftText.inOneLine(resource.resource.name)
    source.line()
    source.line(isCollection ? "/// A record of `\(name)`." : "/// The object `\(name)`.")
    record.write(
      to: &source,
      conformances: isCollection ? "Codable, Identifiable, Sendable, Hashable" : "Codable, Sendable, Hashable")
    if isCollection {
      source.line()
      source.line("/// A record to add to `\(name)`; the server gives it an id.")
      write(resource.newRecordName, content, to: &source)
    }
    source.line()
    source.line("/// A change of `\(name)`: what is `nil` stays as it is.")
    write(resource.patchName, content.map(\.optional), to: &source)
    guard let id else { return }
    source.line()
    source.block("extension \(resource.recordName): ResourceRecord") { source in
      source.line("typealias NewRecord = \(resource.newRecordName)")
      source.line("typealias Patch = \(resource.patchName)")
      source.line("typealias RecordID = \(id.type)")
    }
  }

  /// The properties but the id, their nested types named from outside the record.
  private var content: [SwiftProperty] {
    record.properties.dropFirst(isCollection ? 1 : 0).map { property in
      let nested = (record.structures.map(\.name) + record.enumerations.map(\.name)).first { name in
        property.type.drop(while: { $0 == "[" }).prefix(while: { $0 != "]" && $0 != "?" }) == name
      }
      guard let nested else { return property }
      let brackets = property.type.prefix(while: { $0 == "[" })
      let rest = property.type.dropFirst(brackets.count + nested.count)
      return SwiftProperty(
        name: property.name, key: property.key, type: "\(brackets)\(record.name).\(nested)\(rest)",
        isOptional: property.isOptional)
    }
  }

  private func write(_ name: String, _ properties: [SwiftProperty], to source: inout SwiftSource) {
    source.block("struct \(name): Codable, Sendable, Hashable") { source in
      SwiftStructure.write(properties, to: &source)
    }
  }

  /// The id's property: text stays text whatever its format, because the server compares its spelling.
  private static func id(of resource: ResourceType) -> SwiftProperty {
    let member = resource.record[resource.idName]
    let type =
      switch member?.type.alternatives.first {
      case nil, .integer: "Int"
      case .number: "Double"
      case .string: "String"
      case .boolean, .array, .object: "AnyJSON"
      }
    let isMixed = (member?.type.alternatives.count ?? 0) > 1
    let isOptional = member.map { !$0.isRequired || $0.type.isNullable } ?? !resource.record.members.isEmpty
    return SwiftProperty(name: "id", key: resource.idName, type: isMixed ? "AnyJSON" : type, isOptional: isOptional)
  }
}
