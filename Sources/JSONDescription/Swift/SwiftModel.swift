/// The generated types of one resource: its record, a record to create and a change.
struct SwiftModel {
  let resource: NamedResource
  private let record: SwiftStructure
  /// The id of a record; `nil` for a single object.
  let id: SwiftProperty?
  /// What clients send and no response shows.
  private let password: SwiftProperty?

  /// Designs the types of a resource.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - foreignKeys: The members that hold the id of another record.
  ///   - holdsUsers: Whether its records are those who sign in.
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
  var usesDates: Bool { record.usesDates }
  var usesAnyJSON: Bool { record.usesAnyJSON || id?.type == .anyJSON }
  var usesPatchValues: Bool { content.contains { $0.changed.isPatchValue } }

  func write(to source: inout SwiftSource, access: SwiftAccess) {
    let name = SwiftText.inOneLine(resource.resource.name)
    source.line()
    source.line(isCollection ? "/// A record of `\(name)`." : "/// The object `\(name)`.")
    record.write(
      to: &source,
      conformances: isCollection ? "Codable, Identifiable, Sendable, Hashable" : "Codable, Sendable, Hashable",
      access: access, without: password)
    if isCollection { writeNewRecord(name, to: &source, access: access) }
    let ofNulls = content.contains(where: \.isOptional) ? ", what is `.null` becomes null" : ""
    source.line()
    source.line("/// A change of `\(name)`: what is `nil` stays as it is\(ofNulls).")
    write(resource.patchName, content.map(\.changed), to: &source, access: access)
    guard let id else { return }
    source.line()
    source.block("nonisolated extension \(resource.recordName): ResourceRecord") { source in
      source.line("\(access.prefix)typealias NewRecord = \(resource.newRecordName)")
      source.line("\(access.prefix)typealias Patch = \(resource.patchName)")
      source.line("\(access.prefix)typealias RecordID = \(id.type.name())")
    }
  }

  private func writeNewRecord(_ name: String, to source: inout SwiftSource, access: SwiftAccess) {
    source.line()
    source.line("/// A record to add to `\(name)`; the server gives it an id.")
    write(resource.newRecordName, content, to: &source, access: access)
    source.line()
    source.block("nonisolated extension \(resource.newRecordName)") { source in
      source.line("/// What a record holds, to change and to replace it by.")
      let parameters =
        ["_ record: \(resource.recordName)"] + (password.map { [$0.parameter(outside: record.name)] } ?? [])
      source.function("\(access.prefix)init", parameters) { source in
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

  private func write(
    _ name: String, _ properties: [SwiftProperty], to source: inout SwiftSource, access: SwiftAccess
  ) {
    source.block("\(access.typePrefix)struct \(name): Codable, Sendable, Hashable") { source in
      SwiftStructure.write(properties, outside: record.name, access: access, to: &source)
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
      case .number: .global(member?.type.needsDecimal == true ? "Decimal" : "Double")
      case .string: .global("String")
      case .boolean, .array, .object: .anyJSON
      }
    let isOptional = member.map { !$0.isRequired || $0.type.isNullable } ?? !resource.record.members.isEmpty
    return SwiftProperty(name: "id", key: resource.idName, type: type, isOptional: isOptional)
  }
}
