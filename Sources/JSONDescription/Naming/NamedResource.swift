/// A resource with the names of its types and operations.
struct NamedResource {
  let resource: ResourceType
  /// The name of a record's type, such as `Post`.
  let recordName: String
  /// The name of all of them, such as `Posts`.
  let pluralName: String

  /// The name of the type of a record without an id.
  var newRecordName: String { "New\(recordName)" }
  /// The name of the type of a change.
  var patchName: String { "\(recordName)Patch" }

  /// Names resources so that no two types share a name.
  ///
  /// - Parameters:
  ///   - resources: The resources; earlier ones get the better names.
  ///   - reserved: The type names that mean something else; a record of that name gets `Record` appended.
  ///   - spelling: Spells a name with the characters that names may have.
  ///   - singular: Inflects `posts` to `post`.
  static func all(
    _ resources: [ResourceType], reserved: Set<String>, spelling: (String) -> String = { $0 },
    singular: (String) -> String
  ) -> [NamedResource] {
    var recordNames = UniqueNames(reserving: reserved)
    var pluralNames = UniqueNames()
    return resources.map { resource in
      let record = spelling(
        Identifier.upperCamelCase(resource.kind == .collection ? singular(resource.name) : resource.name))
      return NamedResource(
        resource: resource,
        recordName: recordNames.take(reserved.contains(record) ? "\(record)Record" : record) { name in
          [name, "New\(name)", "\(name)Patch"]
        },
        pluralName: pluralNames.take(spelling(Identifier.upperCamelCase(resource.name))))
    }
  }
}
