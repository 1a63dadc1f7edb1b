extension Database {
  /// Has collections give up the slots that removed records left behind, where they have more of these than of records.
  ///
  /// Without that, every reader of all records would pass over all that ever were removed. Copies of the database keep
  /// their slots. No changes may be taken back from now on but those that are given.
  ///
  /// - Parameters:
  ///   - saved: The changes to look behind.
  ///   - unsaved: All later changes; what they say of slots is adjusted.
  ///   - removed: What deletions removed that may be put back, likewise.
  ///   - tolerated: How many empty slots a collection may have in any case.
  /// - Returns: Whether a collection did: its ids and members are to be read again.
  /// - Complexity: O(1) for each removed record, on the average.
  @discardableResult
  package mutating func compact(
    after saved: UndoLog, adjusting unsaved: inout UndoLog, _ removed: inout [RemovedRecords],
    tolerating tolerated: Int = RecordCollection.toleratedCount
  ) -> Bool {
    // Where all was replaced, the steps before that are about other collections.
    guard changes.isEmpty, !unsaved.replacesAll else { return false }
    var isCompacted = false
    for position in saved.resources where entries.indices.contains(position) {
      guard entries[position].collection?.isSparse(tolerating: tolerated) == true else { continue }
      if compact(position, adjusting: &unsaved, &removed, tolerating: tolerated) { isCompacted = true }
    }
    return isCompacted
  }

  private mutating func compact(
    _ position: Int, adjusting unsaved: inout UndoLog, _ removed: inout [RemovedRecords], tolerating tolerated: Int
  ) -> Bool {
    let kept = removed.reduce(unsaved.slots(of: position)) { $0.union($1.slots(of: position)) }
    var isCompacted = false
    change(position) { collection in
      guard collection.isSparse(keeping: kept.count, tolerating: tolerated) else { return }
      isCompacted = true
      let moved = collection.compact(keeping: kept)
      unsaved.move(moved, of: position)
      for index in removed.indices { removed[index].move(moved, of: position) }
    }
    return isCompacted
  }
}

extension UndoLog {
  /// The slots of a resource that were changed.
  fileprivate func slots(of position: Int) -> Set<Int> {
    var slots: Set<Int> = []
    for step in steps {
      switch step {
      case .append(position, let slot, _), .set(position, let slot, _): slots.insert(slot)
      case .append, .set, .replace, .replaceAll: break
      }
    }
    return slots
  }

  /// Records that slots of a resource have new numbers.
  fileprivate mutating func move(_ slots: [Int: Int], of position: Int) {
    map { step in
      switch step {
      case .append(position, let slot, let row): .append(resource: position, slot: slots[slot] ?? slot, row)
      case .set(position, let slot, let row): .set(resource: position, slot: slots[slot] ?? slot, before: row)
      case .append, .set, .replace, .replaceAll: step
      }
    }
  }
}
