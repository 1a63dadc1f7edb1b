package import JSONServerValues

/// A member that the server fills in the records that clients write: its name; its value in a new record; whether the
/// server sets it on every change, and so ignores a client's value.
package typealias FilledMember = (name: String, value: ValidJSON, isOnEveryChange: Bool)

/// A foreign key between two collections: the one referred to, such as `posts`; the one that refers, such as `comments`;
/// the member there that holds the parent's id, such as `postId`; whether that member holds a list of ids, as `tagIds`
/// does.
package typealias ResourceRelation = (parent: String, child: String, foreignKey: String, isList: Bool)

/// Whether a resource has many records or one.
package enum ResourceKind: Sendable, Hashable {
  /// An array of records, each with an id.
  case collection
  /// A single object.
  case object
}

/// The common shape of the records of a resource.
package struct ResourceType: Sendable {
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
  /// Whether PUT creates a record under an id of the client.
  let allowsUpsert: Bool
  /// Whether clients may choose ids and add many records at once, as in json-server 0.17.
  let takesMany: Bool
  /// The shape that the server demands of bodies; `nil` where it demands none.
  let checked: ObjectType?

  /// Infers the shape of a resource's records.
  ///
  /// - Parameters:
  ///   - records: Some of a collection's records, or the only object; values that are not objects are ignored.
  ///   - count: The number of all records, if these are only some.
  ///   - checked: The members that the server demands of bodies: the kinds of their values, and whether a record must
  ///     have them; `nil` where it demands nothing.
  /// - Complexity: O(*n*) in the size of the records.
  package init(
    name: String, kind: ResourceKind, idName: String = "id", records: [JSONValue], count: Int? = nil,
    filled: [FilledMember] = [], allowsUpsert: Bool = false, takesMany: Bool = true,
    checked: [(name: String, kinds: [ValueToken.Kind], isRequired: Bool)]? = nil
  ) {
    self.name = name
    self.allowsUpsert = allowsUpsert
    self.takesMany = takesMany
    self.kind = kind
    self.idName = idName
    self.count = count ?? records.count
    self.filled = filled
    let seen = ObjectType(of: records.compactMap(\.object))
    let added = filled.filter { seen[$0.name] == nil }.map { member in
      // A value that differs each time is not an example.
      let type = ValueType(alternatives: ValueType(of: [JSONValue(member.value)]).alternatives)
      return MemberType(name: member.name, type: type, isRequired: records.isEmpty)
    }
    record = ObjectType(members: seen.members + added)
    self.checked = checked.map { members in
      ObjectType(
        members: members.map { name, kinds, isRequired in
          MemberType(name: name, type: ValueType(kinds, example: seen[name]?.type.example), isRequired: isRequired)
        })
    }
  }

  /// Whether all ids seen are integers; `true` for an empty collection, which will number its records.
  var hasIntegerIDs: Bool {
    guard let id = record[idName]?.type else { return record.members.isEmpty }
    return id.alternatives == [.integer]
  }

  /// The members that a client sends: all except the id.
  var content: ObjectType {
    kind == .collection ? record.without(idName) : record
  }
}
