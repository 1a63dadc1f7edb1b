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
    return schema.keys(in: collection.name, to: parent, singular: singular).compactMap { names in
      names.first { collection.hasMember(named: $0, patience) }.map { FieldPath($0) }
    }
  }

  /// The foreign keys by which a collection's records refer to another collection's.
  ///
  /// Deletions, checks, the validator and the page follow these. A member that is named after its own collection, such as
  /// `postId` in `posts`, may be the records' own number; see ``OwnKey``.
  func references(from child: Int, to parent: Int) -> [FieldPath] {
    let keys = existingForeignKeys(in: child, to: entries[parent].name)
    guard child == parent, let collection = entries[child].collection else { return keys }
    let lists = schema.listKeys(to: collection.name)
    return keys.filter { lists.contains($0.name) || collection.refersToItself(by: $0, patience) }
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
    let parents = collectionPositions.map { position in
      let name = entries[position].name
      let (keys, lists) = (schema.foreignKeys(to: name), schema.listKeys(to: name))
      return (name: name, idName: schema.idName(of: name), keys: keys + lists, lists: lists)
    }
    let names = Set(parents.flatMap { parent in (parent.keys + [parent.idName]).map { Array($0.utf8) } })
    var holders: [[UInt8]: [Int]] = [:]
    for position in collectionPositions {
      for name in entries[position].collection?.members(patience)?.names(among: names) ?? [] {
        holders[name, default: []].append(position)
      }
    }
    // The collections with a member that is the id of others, but not their own: in most files there are none.
    var strangers: [String: [Int]] = [:]
    return zip(collectionPositions, parents).flatMap {
      position, parent -> [(parent: String, child: String, key: String)] in
      let others =
        strangers[parent.idName]
        ?? (holders[Array(parent.idName.utf8)] ?? []).filter { schema.idName(of: entries[$0].name) != parent.idName }
      strangers[parent.idName] = others
      let children = parent.keys.flatMap { holders[Array($0.utf8)] ?? [] } + others
      let found = Set(children).sorted().flatMap { child in
        references(from: child, to: position).map { (parent.name, entries[child].name, $0.name) }
      }
      return found.filter { !parent.lists.contains($0.2) } + found.filter { parent.lists.contains($0.2) }
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

  /// The possible members by which a collection's records refer to another collection's, the most likely one first: those
  /// for a single id, of which the last is the other's own id name, if it has one (`emp_no`), and those for a list.
  func keys(in child: String, to parent: String, singular: String? = nil) -> [[String]] {
    let parentID = idName(of: parent)
    let own = parentID == idName(of: child) ? [] : [parentID]
    return [foreignKeys(to: parent, singular: singular) + own, listKeys(to: parent, singular: singular)]
  }
}
