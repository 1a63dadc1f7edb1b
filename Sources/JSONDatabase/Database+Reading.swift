import JSONServerValues

// The limits that decide on which thread a version is read or changed.

extension Database {
  /// Whether all data can be read quickly. O(number of resources).
  package var isSmall: Bool {
    entries.count <= Self.mostLookedAt && !entries.contains(where: \.isLarge)
  }

  /// The largest number of resources that are examined for each request.
  private static let mostLookedAt = 200

  /// The largest number of related records that are always looked up immediately.
  static let quickRelations = 500
  /// The largest number of records that are always changed immediately, which takes about a millisecond.
  static let quickChanges = 100
  /// The largest record that is always written immediately, in bytes.
  static let quickBytes = 128 * 1024

  /// Reads the ids and the members of large collections in advance. O(size of the data).
  package func readLargeCollections() {
    for entry in entries {
      guard let collection = entry.collection, collection.rows.isLarge else { continue }
      collection.readIDs(patience)
      _ = collection.memberNames(patience)
    }
  }

  /// Updates the indexes after a change of many records, so that no query has to.
  ///
  /// - Parameter base: The version before the change.
  /// - Complexity: That of applying each change, or of building the indexes again.
  package func catchUp(since base: Database) {
    for position in changedPositions(since: base) where entries.indices.contains(position) {
      entries[position].collection.map { $0.indexes.catchUp(to: $0.rows) }
    }
    readLargeCollections()
  }

  /// Drops the indexes of this lineage; each is built again when a query needs it.
  package func forgetIndexes() {
    for entry in entries {
      if let indexes = entry.collection?.indexes, indexes.lineage === lineage { indexes.forgetIndexes() }
    }
  }

  /// The version for readers who may not see a member of a collection's records: no filter, sort, search or relation
  /// finds it.
  ///
  /// - Complexity: O(number of resources), after a first call, which copies the collection's records.
  package func hiding(_ member: String, of name: String) -> Database {
    guard let position = positions[ByteExactKey(name)], let collection = entries[position].collection else {
      return self
    }
    var shown = self
    // Without time to hide the member, no record is shown.
    shown.entries[position].collection = collection.hiding(member, patience)
    return shown
  }
}

extension ResourceEntry {
  /// Whether reading all data takes noticeably long.
  var isLarge: Bool {
    if let collection { return collection.rows.isLarge }
    if case .singular(let text) = resource { return text.count > PersistentRowVector.quickBytes }
    return false
  }
}
