import JSONServerValues

// The indexes of a version: reading them in advance, following changes, and hiding members.

extension Database {
  /// Whether all data can be read quickly. O(number of resources).
  package var isSmall: Bool {
    entries.count <= QueryPlan.quickResources && !entries.contains(where: \.isLarge)
  }

  /// Reads the ids and the members of large collections in advance. O(size of the data).
  package func readLargeCollections() {
    for entry in entries {
      guard let collection = entry.collection, collection.rows.isLarge else { continue }
      collection.readIDs(patience)
      _ = collection.members(patience)
    }
    _ = relations()
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
    if case .singular(let text) = resource { return text.count > QueryPlan.quickBytes }
    return false
  }
}
