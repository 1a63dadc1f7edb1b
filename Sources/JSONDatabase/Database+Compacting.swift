extension Database {
  /// Has collections give up the slots that removed records left behind, where they have more of these than of records.
  ///
  /// Without that, every reader of all records would pass over all that ever were removed. Copies of the database keep
  /// their slots.
  ///
  /// - Parameters:
  ///   - base: The version before the changes to look behind.
  ///   - removed: What deletions removed that may be put back; what it says of slots is adjusted.
  ///   - tolerated: How many empty slots a collection may have in any case.
  /// - Returns: Whether a collection did: its ids and members are to be read again.
  /// - Complexity: O(1) for each removed record, on the average.
  @discardableResult
  package mutating func compact(
    since base: Database, adjusting removed: inout [RemovedRecords],
    tolerating tolerated: Int = RecordCollection.toleratedCount
  ) -> Bool {
    var isCompacted = false
    for position in changedPositions(since: base) {
      guard entries.indices.contains(position),
        entries[position].collection?.isSparse(tolerating: tolerated) == true
      else { continue }
      let kept = removed.reduce(Set()) { $0.union($1.slots(of: position)) }
      guard entries[position].collection?.isSparse(keeping: kept.count, tolerating: tolerated) == true else { continue }
      change(position) { collection in
        let moved = collection.compact(keeping: kept)
        for index in removed.indices { removed[index].move(moved, of: position) }
      }
      isCompacted = true
    }
    return isCompacted
  }
}
