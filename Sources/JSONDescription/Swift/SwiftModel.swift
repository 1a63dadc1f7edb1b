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
  var usesAnyJSON: Bool { record.usesAnyJSON || id?.type == .anyJSON }

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
      source.line("typealias RecordID = \(id.type.name())")
    }
  }

  /// The properties except the id.
  private var content: [SwiftProperty] {
    Array(record.properties.dropFirst(isCollection ? 1 : 0))
  }

  private func write(_ name: String, _ properties: [SwiftProperty], to source: inout SwiftSource) {
    source.block("struct \(name): Codable, Sendable, Hashable") { source in
      SwiftStructure.write(properties, outside: record.name, to: &source)
    }
  }

  /// The id's property: text stays text whatever its format, because the server compares its spelling.
  private static func id(of resource: ResourceType) -> SwiftProperty {
    let member = resource.record[resource.idName]
    let isMixed = (member?.type.alternatives.count ?? 0) > 1
    let type: SwiftType =
      switch member?.type.alternatives.first {
      case _ where isMixed: .anyJSON
      case nil, .integer: .global("Int")
      case .number: .global("Double")
      case .string: .global("String")
      case .boolean, .array, .object: .anyJSON
      }
    let isOptional = member.map { !$0.isRequired || $0.type.isNullable } ?? !resource.record.members.isEmpty
    return SwiftProperty(name: "id", key: resource.idName, type: type, isOptional: isOptional)
  }
}
