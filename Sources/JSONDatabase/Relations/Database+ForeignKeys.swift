import JSONServerValues

/// The foreign keys between collections, which embedding, nested routes, deletions, the validator and the page share.
extension Database {
  func collectionPosition(_ name: String) -> Int? {
    positions[ByteExactKey(name)].flatMap { entries[$0].collection == nil ? nil : $0 }
  }

  /// The foreign key of a collection's records to another collection.
  ///
  /// - Parameter isSingle: Whether to ignore lists of ids.
  /// - Throws: ``DatabaseError`` with code `unknownResource`.
  package func foreignKey(
    in name: String, to parent: String, isSingle: Bool = false
  ) throws(DatabaseError) -> FieldPath {
    let position = try position(of: name)
    let key = foreignKey(in: position, to: parent, singular: nil)
    guard isSingle, schema.listKeys(to: parent).contains(key.name) else { return key }
    return defaultForeignKey(to: parent, singular: nil)
  }

  /// The foreign key of a collection's records to another collection: an existing member, or else the configured name.
  ///
  /// - Parameter singular: The singular of the other's name, if it is known.
  func foreignKey(in position: Int, to parent: String, singular: String?) -> FieldPath {
    existingForeignKeys(in: position, to: parent, singular: singular).first
      ?? defaultForeignKey(to: parent, singular: singular)
  }

  private func defaultForeignKey(to parent: String, singular: String?) -> FieldPath {
    FieldPath((singular ?? Inflection.singular(of: parent, schema.dialect)) + schema.foreignKeySuffix)
  }

  /// The foreign keys to another collection that some record of a collection has: at most one for a single record, and
  /// then at most one for a list.
  func existingForeignKeys(in position: Int, to parent: String, singular: String? = nil) -> [FieldPath] {
    guard let collection = entries[position].collection else { return [] }
    let keys = [
      schema.foreignKeys(in: collection.name, to: parent, singular: singular),
      schema.listKeys(to: parent, singular: singular),
    ]
    return keys.compactMap { $0.first { collection.hasMember(named: $0, patience) }.map { FieldPath($0) } }
  }

  /// Whether some record of a collection has a list in a member.
  func holdsLists(_ key: FieldPath, in position: Int) -> Bool {
    entries[position].collection?.kinds(of: key.whole, patience).hasLists ?? false
  }

  /// The value of a new record's foreign key: the parent's id, or a list with it.
  ///
  /// - Parameter value: The value in the body.
  func foreignKey(
    _ key: FieldPath, in position: Int, to parent: (resource: String, id: String), besides value: ValidJSON?
  ) -> ValidJSON {
    // The id of an existing record has its own type.
    let stored = (try? record(parent.id, in: parent.resource))?.member(Array(schema.idName(of: parent.resource).utf8))
    let id = stored ?? foreignKeyValue(parent, key, in: position)
    let type = entries[position].collection?.kinds(of: key.whole, patience).textType
    let isList = if case .list? = type { true } else { schema.listKeys(to: parent.resource).contains(key.name) }
    guard isList else { return id }
    let others = (value?.elements ?? []).filter { $0.withToken(\.recordID) != parent.id }
    return ValidJSON(writing: .array((others + [id]).map { JSONValue($0) }))
  }

  /// The foreign keys between all collections. A collection may have two keys to another one; the second one holds
  /// lists.
  ///
  /// - Complexity: O(number of collections + number of their members + number of relations), after a first call that
  ///   reads all records.
  package func relations() -> [(parent: String, child: String, key: String)] {
    var children: [ByteExactKey: [Int]] = [:]
    for position in collectionPositions {
      for name in entries[position].collection?.memberNames(patience) ?? [] {
        children[ByteExactKey(name), default: []].append(position)
      }
    }
    // Members with the name of another collection's id.
    var holders: [String: [Int]] = [:]
    return collectionPositions.flatMap { parent -> [(parent: String, child: String, key: String)] in
      let name = entries[parent].name
      var keys: [Int: String] = [:]
      for key in schema.foreignKeys(to: name) {
        for child in children[ByteExactKey(key)] ?? [] where keys[child] == nil { keys[child] = key }
      }
      let idName = schema.idName(of: name)
      if holders[idName] == nil {
        let all = children[ByteExactKey(idName)] ?? []
        holders[idName] = all.filter { schema.idName(of: entries[$0].name) != idName }
      }
      for child in holders[idName] ?? [] where keys[child] == nil { keys[child] = idName }
      var lists: [Int: String] = [:]
      for key in schema.listKeys(to: name) {
        for child in children[ByteExactKey(key)] ?? [] where lists[child] == nil { lists[child] = key }
      }
      return [keys, lists].flatMap { $0.sorted { $0.key < $1.key } }.map { (name, entries[$0.key].name, $0.value) }
    }
  }
}

extension Schema {
  /// The possible members for lists of a collection's ids, the most likely one first: `tagIds`, `tag_ids`, and `tags`
  /// if ``idLists`` has it.
  ///
  /// - Parameter singular: The singular of the collection's name, if it is known.
  package func listKeys(to parent: String, singular: String? = nil) -> [String] {
    foreignKeys(to: parent, singular: singular).map { $0 + "s" } + (idLists.contains(parent) ? [parent] : [])
  }

  /// The possible foreign keys to a collection, the most likely one first: the configured name, then those of other
  /// tools.
  ///
  /// - Parameter singular: The singular of the collection's name, if it is known.
  func foreignKeys(to parent: String, singular: String? = nil) -> [String] {
    let singular = singular ?? Inflection.singular(of: parent, dialect)
    return [foreignKeySuffix, "Id", "_id"].map { singular + $0 }
  }

  /// The possible foreign keys of a collection's records to another collection, the most likely one first; the last one
  /// is the other's own id name, if it has one (`emp_no`).
  func foreignKeys(in child: String, to parent: String, singular: String? = nil) -> [String] {
    let parentID = idName(of: parent)
    return foreignKeys(to: parent, singular: singular) + (parentID == idName(of: child) ? [] : [parentID])
  }
}
