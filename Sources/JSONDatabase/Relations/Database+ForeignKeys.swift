import JSONServerValues

/// By which members records refer to others: the one idea that embedding, nested addresses, deletions, the validator and
/// the page share.
extension Database {
  func collectionPosition(_ name: String) -> Int? {
    positions[ByteExactKey(name)].flatMap { entries[$0].collection == nil ? nil : $0 }
  }

  /// The member by which a collection's records refer to those of another, by the collections' names.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`.
  package func foreignKey(in name: String, to parent: String) throws(DatabaseError) -> FieldPath {
    foreignKey(in: try position(of: name), to: parent, singular: nil)
  }

  /// The member by which a collection's records refer to those of another: one that records have, else the configured
  /// spelling.
  ///
  /// - Parameter singular: The singular of the other's name, if it is known.
  func foreignKey(in position: Int, to parent: String, singular: String?) -> FieldPath {
    existingForeignKey(in: position, to: parent, singular: singular)
      ?? FieldPath((singular ?? Inflection.singular(of: parent, schema.dialect)) + schema.foreignKeySuffix)
  }

  /// The member by which some record of a collection refers to those of another; `nil` when none does.
  func existingForeignKey(in position: Int, to parent: String, singular: String? = nil) -> FieldPath? {
    guard let collection = entries[position].collection else { return nil }
    return schema.foreignKeys(in: collection.name, to: parent, singular: singular)
      .first { collection.hasMember(named: $0, patience) }.map { FieldPath($0) }
  }

  /// The members by which records of one collection refer to those of another.
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
    // Those that have another collection's id member, and another one of their own.
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
      return keys.sorted { $0.key < $1.key }.map { (name, entries[$0.key].name, $0.value) }
    }
  }
}

extension Schema {
  /// The members by which records may refer to those of a collection, the likeliest first: the configured spelling, then
  /// those of other tools.
  ///
  /// - Parameter singular: The singular of the collection's name, if it is known.
  func foreignKeys(to parent: String, singular: String? = nil) -> [String] {
    let singular = singular ?? Inflection.singular(of: parent, dialect)
    return [foreignKeySuffix, "Id", "_id"].map { singular + $0 }
  }

  /// The members by which a collection's records may refer to those of another, the likeliest first; where the other has
  /// an id property of its own, the last of them is that (`emp_no`).
  func foreignKeys(in child: String, to parent: String, singular: String? = nil) -> [String] {
    let parentID = idName(of: parent)
    return foreignKeys(to: parent, singular: singular) + (parentID == idName(of: child) ? [] : [parentID])
  }
}
