package import OrderedJSON

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

  package init(name: String, kind: ResourceKind, idName: String = "id", records: [JSONValue], count: Int? = nil) {
    self.name = name
    self.kind = kind
    self.idName = idName
    self.records = records
    self.count = count ?? records.count
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

  package init(parent: String, child: String, foreignKey: String) {
    self.parent = parent
    self.child = child
    self.foreignKey = foreignKey
  }
}

/// Whether a resource is many records or one.
package enum ResourceKind: Sendable, Hashable {
  /// An array of records, each with an id.
  case collection
  /// A single object.
  case object
}
