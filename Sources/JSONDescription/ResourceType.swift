package import JSONServerValues

/// A member that the server fills in the records that clients write.
package struct FilledMember: Sendable, Hashable {
  let name: String
  let type: ValueType
  /// Whether the server ignores a client's value.
  let isReadOnly: Bool

  /// - Parameter value: The value in a new record.
  package init(name: String, value: JSONValue, isReadOnly: Bool) {
    self.name = name
    // A value that differs each time is not an example.
    type = ValueType(alternatives: ValueType(of: [value]).alternatives)
    self.isReadOnly = isReadOnly
  }
}

/// A foreign key between two collections.
package struct ResourceRelation: Sendable, Hashable {
  /// The collection referred to, such as `posts`.
  package let parent: String
  /// The collection that refers, such as `comments`.
  package let child: String
  /// The child's member that holds the parent's id, such as `postId`.
  package let foreignKey: String
  /// Whether the member holds a list of ids, as `tagIds` does.
  package let isList: Bool

  package init(parent: String, child: String, foreignKey: String, isList: Bool = false) {
    self.parent = parent
    self.child = child
    self.foreignKey = foreignKey
    self.isList = isList
  }
}

/// Whether a resource has many records or one.
package enum ResourceKind: Sendable, Hashable {
  /// An array of records, each with an id.
  case collection
  /// A single object.
  case object
}

/// The common shape of the records of a resource.
package struct ResourceType: Sendable, Hashable {
  /// The name of the resource, such as `posts`.
  let name: String
  let kind: ResourceKind
  /// The member with a record's id, such as `id`.
  let idName: String
  /// The number of all records of the resource.
  let count: Int
  /// The shape of a record, including its id.
  let record: ObjectType
  /// The members that the server fills.
  let filled: [FilledMember]

  /// Infers the shape of a resource's records.
  ///
  /// - Parameters:
  ///   - records: Some of a collection's records, or the only object; values that are not objects are ignored.
  ///   - count: The number of all records, if these are only some.
  /// - Complexity: O(*n*) in the size of the records.
  package init(
    name: String, kind: ResourceKind, idName: String = "id", records: [JSONValue], count: Int? = nil,
    filled: [FilledMember] = []
  ) {
    self.name = name
    self.kind = kind
    self.idName = idName
    self.count = count ?? records.count
    self.filled = filled
    let seen = ObjectType(of: records.compactMap(\.object))
    let added = filled.filter { seen[$0.name] == nil }.map { member in
      MemberType(name: member.name, type: member.type, isRequired: records.isEmpty)
    }
    record = ObjectType(members: seen.members + added)
  }

  /// Whether all ids seen are integers; `true` for an empty collection, which will number its records.
  var hasIntegerIDs: Bool {
    guard let id = record[idName]?.type else { return record.members.isEmpty }
    return id.alternatives == [.integer]
  }

  /// The members that a client sends: all except the id.
  var content: ObjectType {
    guard kind == .collection else { return record }
    return ObjectType(members: record.members.filter { $0.name != idName })
  }
}
