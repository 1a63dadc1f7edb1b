package import JSONServerValues

// Lists in a member of a record or of a single resource: the elements are read and changed as the records of a
// collection.

extension Database {
  /// The elements of a list in a record, as a database with the elements as its only collection.
  ///
  /// Where other records have a list in the member, it is empty for a record without the member, and for a missing record.
  ///
  /// - Parameters:
  ///   - member: The member with the list, which names the collection.
  ///   - id: The record's id; `nil` for a single resource.
  /// - Returns: `nil` when there is no such list.
  /// - Throws: ``DatabaseError`` with code `unknownResource`.
  /// - Complexity: O(size of the record).
  package func innerList(_ member: String, of id: String?, in name: String) throws(DatabaseError) -> Database? {
    let position = try position(of: name)
    let whole = id == nil ? try? singular(name) : try? record(id ?? "", in: name)
    let value = whole?.member(Array(member.utf8))
    let elements = value?.elements
    if elements != nil {
      guard patience.allows(value.map { $0.count > QueryPlan.quickRecord } ?? false) else { return nil }
    } else {
      guard value?.withToken(\.isNull) ?? true, holdsLists(FieldPath(member), in: position) else { return nil }
    }
    // The server fills only records of resources.
    var schema = schema
    schema.filler = .none
    // An element is in a list in a record.
    schema.maximumDepth -= 2
    let entry = ResourceEntry(member, elements: elements ?? [], schema: schema)
    var list = Database(schema: schema, prefix: UTF8Slice(""), entries: [entry], suffix: UTF8Slice(""))
    list.patience = patience
    return list
  }

  /// The records of a collection as a member to merge into the record with the list.
  package func asMember(_ name: String) -> ValidJSON {
    let records = (try? collection(name)).map { $0.firstRecords($0.count) } ?? []
    return ValidJSON.emptyObject.withToken { ValidJSON($0, adding: [(name, .many(records))]) }
  }

  /// Adds an element that is not an object, and so has no id.
  package mutating func append(_ element: ValidJSON, to name: String) {
    guard let position = collectionPosition(name) else { return }
    change(position) { $0.append(Row(element)) }
  }

  /// Whether a collection's records refer to another collection.
  package func hasRelation(from name: String, to parent: String) -> Bool {
    !((try? position(of: name)).map { existingForeignKeys(in: $0, to: parent) } ?? []).isEmpty
  }

  /// The ids of another collection in a record's list; `nil` when no record of the collection has such a list.
  package func listedIDs(of child: String, in id: String, of name: String) -> [String]? {
    guard let position = try? position(of: name),
      let key = existingForeignKeys(in: position, to: child).first(where: { holdsLists($0, in: position) })
    else { return nil }
    let list = (try? record(id, in: name))?.member(key.whole)?.elements ?? []
    return list.compactMap { $0.withToken(\.recordID) }
  }
}
