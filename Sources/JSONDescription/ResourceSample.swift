package import JSONServerValues

/// A sample of a resource, from which the resource is described.
package struct ResourceSample: Sendable {
  /// The name of the resource, such as `posts`.
  package let name: String
  package let kind: ResourceKind
  /// The member with a record's id, such as `id`.
  package let idName: String
  /// Some of a collection's records, or the only object.
  package let records: [JSONValue]
  /// The number of all records of the resource.
  package let count: Int
  /// The members that the server fills.
  package let filled: [FilledMember]

  package init(
    name: String, kind: ResourceKind, idName: String = "id", records: [JSONValue], count: Int? = nil,
    filled: [FilledMember] = []
  ) {
    self.name = name
    self.kind = kind
    self.idName = idName
    self.records = records
    self.count = count ?? records.count
    self.filled = filled
  }
}

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
  let name: String
  let kind: ResourceKind
  let idName: String
  let count: Int
  /// The shape of a record, including its id.
  let record: ObjectType
  /// The members that the server fills.
  let filled: [FilledMember]

  /// Infers the shape of a resource's records from a sample; ignores values that are not objects.
  ///
  /// - Complexity: O(*n*) in the size of the sample.
  package init(_ sample: ResourceSample) {
    name = sample.name
    kind = sample.kind
    idName = sample.idName
    count = sample.count
    filled = sample.filled
    let seen = ObjectType(of: sample.records.compactMap(\.object))
    let added = filled.filter { seen[$0.name] == nil }.map { member in
      MemberType(name: member.name, type: member.type, isRequired: sample.records.isEmpty)
    }
    record = ObjectType(members: seen.members + added)
  }

  /// Whether all ids in the sample are integers; `true` for an empty collection, which will number its records.
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
