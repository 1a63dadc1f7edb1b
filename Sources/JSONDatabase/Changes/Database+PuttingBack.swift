import JSONServerValues

/// The records that a change deleted, changed and added, for undoing it after other writes.
package struct Reversal: Sendable {
  /// The changes, at most one for each record, sorted by resource and slot.
  fileprivate var changes: [RecordChange] = []
  /// For each resource, by position, the slot after its last record after the change. Later slots were added since.
  fileprivate var ends: [Int: Int] = [:]
  /// The number of deleted records, by resource.
  package private(set) var removed: [String: Int] = [:]
  /// The number of changed records, such as those that lost a foreign key, by resource.
  package private(set) var changed: [String: Int] = [:]
  /// The number of added records, by resource.
  package private(set) var added: [String: Int] = [:]

  /// - Parameters:
  ///   - base: The version before the change.
  ///   - database: The version after it.
  package init(between base: Database, and database: Database) {
    for change in database.changes(since: base) {
      switch (change.before, change.after) {
      case (let before?, let after?):
        if JSONValue(before.record) != JSONValue(after.record) { changed[change.resource, default: 0] += 1 }
      case (.some, nil): removed[change.resource, default: 0] += 1
      case (nil, .some): added[change.resource, default: 0] += 1
      case (nil, nil): continue
      }
      changes.append(change)
      ends[change.position] = database.entries[change.position].collection?.rows.slotCount
    }
  }

  /// The number of the records. O(1).
  package var count: Int { changes.count }

  /// The size of the records. O(their number).
  package var byteCount: Int {
    changes.reduce(0) { $0 + ($1.before?.record.count ?? 0) + ($1.after?.record.count ?? 0) }
  }

  /// The positions of the changed resources, which must keep their slots until the change is undone or forgotten.
  package var positions: Dictionary<Int, Int>.Keys { ends.keys }
}

extension Database {
  /// Deletes records and the records that refer to them, all or none, as ``delete(_:in:dependents:)`` does.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `unknownRecord`. Nothing is changed then.
  package mutating func delete(_ ids: [String], in name: String) throws(DatabaseError) -> Reversal {
    let position = try position(of: name)
    let slots = try ids.map { id throws(DatabaseError) in
      guard let slot = try collection(at: position).slot(of: id, patience) else {
        throw unknownRecord(id, in: name)
      }
      return slot
    }
    let base = self
    _ = delete(slots, at: position, [])
    return Reversal(between: base, and: self)
  }

  /// Restores the records that a change deleted and changed, in their places, and deletes those that it added, all or
  /// nothing.
  ///
  /// Records that were added at a collection's end since then move behind the restored ones.
  ///
  /// - Throws: ``DatabaseError`` with code `conflict`, when another record has one of the ids, or a record of the
  ///   change has been changed again. Nothing is changed then.
  /// - Complexity: O(number of restored records and of records added since).
  package mutating func undo(_ reversal: Reversal) throws(DatabaseError) {
    guard patience.allows(reversal.count > QueryPlan.quickChanges) else { return }
    try atomically { database throws(DatabaseError) in
      var rest = reversal.changes[...]
      while let resource = rest.first?.position {
        let end = rest.firstIndex { $0.position != resource } ?? rest.endIndex
        try database.undo(rest[..<end], at: resource, before: reversal.ends[resource] ?? .max)
        rest = rest[end...]
      }
    }
  }

  private mutating func undo(
    _ changes: ArraySlice<RecordChange>, at position: Int, before added: Int
  ) throws(DatabaseError) {
    guard entries.indices.contains(position) else { return }
    let name = entries[position].name
    for change in changes {
      let id = change.id
      if let after = change.after {
        // Undoing another change may have moved the record.
        let slots = [change.slot, id.flatMap { try? collection(at: position).slot(of: $0, patience) }].compactMap(
          \.self)
        let rows = entries[position].collection?.rows
        guard let slot = slots.first(where: { rows?[$0]?.record.slice == after.record.slice }) else {
          throw DatabaseError(
            .conflict,
            "\(name)/\(id ?? "") has changed since; nothing was undone. Change the record by hand.")
        }
        set(change.before, at: slot, of: position)
      } else if let id, hasRecord(id, in: name) {
        throw DatabaseError(.conflict, "Another record of \(name) has the id \(id) now; nothing was undone.")
      }
    }
    fill(changes.filter { $0.after == nil }, at: position, before: added)
  }

  /// Puts rows back into their slots. Slots at the end are freed with their records and reused: the records in them
  /// move.
  ///
  /// - Parameter added: The first slot of a record that was added since the rows were removed.
  private mutating func fill(_ removed: [RecordChange], at position: Int, before added: Int) {
    var rows = removed.compactMap { change in change.before.map { (change.slot, $0) } }
    guard let last = rows.last?.0 else { return }
    let taken = rows.first { entries[position].collection?.rows[$0.0] != nil }?.0 ?? .max
    let first = min(taken, last >= added ? added : .max)
    if first < .max {
      rows += takeRows(from: first, at: position).enumerated().map { (last + 1 + $0.offset, $0.element) }
    }
    for (slot, row) in rows { set(row, at: slot, of: position) }
  }

  /// Removes the rows from a slot on, and returns them. O(their number).
  private mutating func takeRows(from first: Int, at position: Int) -> [Row] {
    let end = entries[position].collection?.rows.slotCount ?? first
    return (first..<max(first, end)).reversed().compactMap { slot in
      guard let row = entries[position].collection?.rows[slot] else { return nil }
      set(nil, at: slot, of: position)
      return row
    }.reversed()
  }
}
