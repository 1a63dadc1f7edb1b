import JSONServerValues

// What decides on which thread a version is read or changed.

extension Database {
  /// Whether the data is so little that all of it can be read at once. O(number of resources).
  package var isSmall: Bool {
    entries.count <= Self.mostLookedAt && !entries.contains(where: \.isLarge)
  }

  /// The most resources that are looked at for each request.
  private static let mostLookedAt = 200

  /// The most related records that are found without a second thought.
  static let quickRelations = 500
  /// The most records that are changed without a second thought: in about a millisecond.
  static let quickChanges = 100
  /// The most bytes of a record that is written without a second thought.
  static let quickBytes = 128 * 1024

  /// Reads the ids and the members of large collections, so that nobody has to wait for that later. O(size of the data).
  package func readLargeCollections() {
    for entry in entries {
      guard let collection = entry.collection, collection.rows.isLarge else { continue }
      collection.readIDs(schema.dialect, patience)
      _ = collection.memberNames(patience)
    }
  }

  /// Updates the indexes after a change of many records, so that no query waits for that later.
  ///
  /// - Parameter base: The version before.
  /// - Complexity: That of the changes, one by one, or of building again.
  package func catchUp(since base: Database) {
    for position in changedPositions(since: base) where entries.indices.contains(position) {
      entries[position].collection.map { $0.indexes.catchUp(to: $0.rows) }
    }
    readLargeCollections()
  }

  /// Drops the indexes that only this lineage has; each is built again when a query needs it.
  package func forgetIndexes() {
    for entry in entries {
      if let indexes = entry.collection?.indexes, indexes.lineage === lineage { indexes.forgetIndexes() }
    }
  }

  /// The version for readers who do not see a member of a collection's records: no filter, order, search or relation
  /// finds it.
  ///
  /// - Complexity: O(number of resources), after a first call, which copies the collection's records.
  package func hiding(_ member: String, of name: String) -> Database {
    guard let position = positions[ByteExactKey(name)], let collection = entries[position].collection else {
      return self
    }
    var shown = self
    // When there is no time to hide it, no record is shown.
    shown.entries[position].collection = collection.hiding(member, patience)
    return shown
  }
}

extension ResourceEntry {
  /// Whether reading all of it takes noticeably long.
  var isLarge: Bool {
    if let collection { return collection.rows.isLarge }
    if case .singular(let text) = resource { return text.count > PersistentRowVector.quickBytes }
    return false
  }
}
