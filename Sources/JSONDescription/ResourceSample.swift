package import JSONServerValues

/// A resource as the source of its description: some of its records stand for all.
package struct ResourceSample: Sendable {
  /// The name under which it is served, such as `posts`.
  package let name: String
  package let kind: ResourceKind
  /// The member that identifies a record, such as `id`.
  package let idName: String
  /// Some of a collection's records, or the one object.
  package let records: [JSONValue]
  /// How many records the resource has in all.
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
  /// Whether what a client sends for it has no effect.
  let isReadOnly: Bool

  /// - Parameter value: What a new record would get.
  package init(name: String, value: JSONValue, isReadOnly: Bool) {
    self.name = name
    // What is different each time is no example.
    type = ValueType(alternatives: ValueType(of: [value]).alternatives)
    self.isReadOnly = isReadOnly
  }
}

/// A member by which the records of one collection refer to those of another.
package struct ResourceRelation: Sendable, Hashable {
  /// The collection referred to, such as `posts`.
  package let parent: String
  /// The collection that refers, such as `comments`.
  package let child: String
  /// The child's member that holds the parent's id, such as `postId`.
  package let foreignKey: String
  /// Whether it holds a list of ids, as `tagIds` does.
  package let isList: Bool

  package init(parent: String, child: String, foreignKey: String, isList: Bool = false) {
    self.parent = parent
    self.child = child
    self.foreignKey = foreignKey
    self.isList = isList
  }
}

/// Whether a resource is many records or one.
package enum ResourceKind: Sendable, Hashable {
  /// An array of records, each with an id.
  case collection
  /// A single object.
  case object
}

/// The shape that the records of a resource have in common.
package struct ResourceType: Sendable, Hashable {
  let name: String
  let kind: ResourceKind
  let idName: String
  let count: Int
  /// The shape of a record, its id included.
  let record: ObjectType
  /// The members that the server fills.
  let filled: [FilledMember]

  /// Infers the shape of a resource's records from a sample of them; what is not an object is ignored.
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

  /// Whether every id that was seen is an integer; an empty collection will number its records too.
  var hasIntegerIDs: Bool {
    guard let id = record[idName]?.type else { return record.members.isEmpty }
    return id.alternatives == [.integer]
  }

  /// The members except the id: what a client decides.
  var content: ObjectType {
    guard kind == .collection else { return record }
    return ObjectType(members: record.members.filter { $0.name != idName })
  }
}
