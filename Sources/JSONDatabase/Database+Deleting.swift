package import OrderedJSON

/// What a deletion did.
package struct Deletion: Sendable {
  /// The text of the record that was to be deleted.
  package let record: ValidJSON
  /// How many other records were deleted with it, by resource.
  package let dependents: [String: Int]
}

extension Database {
  /// Removes a record and what depends on it.
  ///
  /// Under the classic dialect, records whose foreign key holds the removed id are removed too, recursively; a key that
  /// dangled before stays (json-server 0.17 removes those as well, and so loses data). Under 1.0's dialect such keys
  /// become null, and only the records of the resources in `dependents` are removed. The keys are those that embedding
  /// follows.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `unknownRecord`. Nothing is changed then.
  /// - Complexity: O(number of what is removed), after a first call that reads the foreign keys of every collection.
  package mutating func delete(
    _ id: String, in name: String, dependents: [String] = []
  ) throws(DatabaseError) -> Deletion {
    let position = try position(of: name)
    let (slot, row) = try withCollection(at: position) { collection throws(DatabaseError) in
      guard let slot = collection.slot(of: id), let row = collection.rows[slot] else {
        throw Self.unknownRecord(id, in: name)
      }
      return (slot, row)
    }
    set(nil, at: slot, of: position, was: row)
    return Deletion(record: row.record, dependents: removeDependents(of: [(name, id)], dependents))
  }

  /// Removes or changes what refers to records that are gone.
  ///
  /// - Parameter dependents: The resources whose records are removed under 1.0's dialect.
  /// - Returns: How many records were removed, by resource.
  mutating func removeDependents(
    of records: [(resource: String, id: String)], _ dependents: [String]
  ) -> [String: Int] {
    var gone = records
    var counts: [String: Int] = [:]
    var references: [String: [(position: Int, key: FieldPath)]] = [:]
    var touched: [Int: Int] = [:]
    while let parent = gone.popLast() {
      let found = references[parent.resource] ?? foreignKeys(to: parent.resource)
      references[parent.resource] = found
      for (position, key) in found {
        let name = entries[position].name
        let idName = Array(schema.idName(of: name).utf8)
        let rows = rows(at: position, where: key, equals: parent.id)
        let before = touched[position] ?? 0
        touched[position] = before + rows.count
        if before < Self.manyRecords, before + rows.count >= Self.manyRecords {
          change(position) { $0.forgetIndexes(but: key) }
        }
        for (slot, row) in rows {
          if schema.dialect == .v1, !dependents.contains(name) {
            set(nullifying(key, in: row), at: slot, of: position, was: row)
            continue
          }
          set(nil, at: slot, of: position, was: row)
          counts[name, default: 0] += 1
          let id = row.withRecord { $0.member(idName)?.idText }
          if schema.dialect == .classic, let id { gone.append((name, id)) }
        }
      }
    }
    return counts
  }

  /// Returns the other records that the deletion of one would remove or change, by resource. Nothing is changed.
  ///
  /// - Throws: ``DatabaseError``, as ``delete(_:in:dependents:)`` does.
  /// - Complexity: That of the deletion.
  package mutating func recordsAffected(
    byDeleting id: String, in name: String, dependents: [String]
  ) throws(DatabaseError) -> [String: [ValidJSON]] {
    try recordsAffected(besides: 1) { database throws(DatabaseError) in
      _ = try database.delete(id, in: name, dependents: dependents)
    }
  }

  /// Returns the records that a deletion removes or changes, by resource. Nothing is changed.
  ///
  /// - Parameter count: The number of records that are to be deleted, which the deletion removes first.
  mutating func recordsAffected(
    besides count: Int, _ delete: (inout Database) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> [String: [ValidJSON]] {
    let earlier = takeChanges()
    defer { changes = earlier }
    try delete(&self)
    let deletion = takeChanges()
    undo(deletion)
    var affected: [String: [ValidJSON]] = [:]
    for case .set(let position, _, let before) in deletion.steps.dropFirst(count) {
      affected[entries[position].name, default: []].append(before.record)
    }
    return affected
  }

  /// The collections whose records refer to those of another, each with the member by which they do.
  private mutating func foreignKeys(to parent: String) -> [(position: Int, key: FieldPath)] {
    var found: [(position: Int, key: FieldPath)] = []
    for position in collectionPositions {
      if let key = existingForeignKey(in: position, to: parent) { found.append((position, key)) }
    }
    return found
  }

  /// Returns the rows that refer to a record and to no other; one with a list of ids is kept for the others.
  ///
  /// Last first: the lists of the indexes shrink at their ends, which moves nothing.
  private mutating func rows(at position: Int, where key: FieldPath, equals id: String) -> [(Int, Row)] {
    var found: [(Int, Row)] = []
    change(position) { collection in
      for slot in collection.slots(where: key, equals: id).reversed().map(Int.init) {
        guard let row = collection.rows[slot] else { continue }
        if row.withRecord({ key.value(in: $0)?.recordID == id }) { found.append((slot, row)) }
      }
    }
    return found
  }

  private func nullifying(_ key: FieldPath, in row: Row) -> Row {
    var draft = ObjectDraft()
    draft.set(key.name, to: .null)
    return Row(draft.merged(into: row.record, .pretty, row.margins), between: row.margins)
  }

  mutating func set(_ row: Row?, at slot: Int, of position: Int, was before: Row) {
    change(position) { $0.set(row, at: slot) }
    changes.append(.set(resource: position, slot: slot, before: before))
  }
}

extension Database {
  /// Replaces everything with what another database of the same schema holds.
  ///
  /// The change counts as one of all resources.
  package mutating func restore(from other: Database) {
    let earlier = takeChanges()
    let before = self
    self = other
    changes = earlier
    let resources = (0..<max(before.entries.count, entries.count)).filter { !hasSameRows(at: $0, as: before) }
    changes.append(.replaceAll(before: before, resources: Set(resources)))
  }

  /// Whether a place holds the same collection, with the same rows: in memory, so that equal texts may count as others.
  private func hasSameRows(at position: Int, as other: Database) -> Bool {
    guard entries.indices.contains(position), other.entries.indices.contains(position),
      let rows = entries[position].collection?.rows, let othersRows = other.entries[position].collection?.rows
    else { return false }
    return rows.isIdentical(to: othersRows)
      && ByteExactKey(entries[position].name) == ByteExactKey(other.entries[position].name)
  }

  /// Adds the resources of another database that are not present yet, after the existing ones.
  package mutating func add(_ other: Database) {
    let added = other.entries.filter { positions[ByteExactKey($0.name)] == nil }
    guard !added.isEmpty else { return }
    guard let end = entries.last else { return restore(from: other) }
    // The white space before the closing brace stays there.
    var joined = entries
    joined[joined.count - 1] = end.with(trail: UTF8Slice(""))
    joined += added.map { $0.with(trail: UTF8Slice("")) }
    joined[joined.count - 1] = joined[joined.count - 1].with(trail: end.trail)
    restore(from: Database(schema: schema, prefix: prefix, entries: joined, suffix: suffix))
  }
}

extension ResourceEntry {
  fileprivate func with(trail: UTF8Slice) -> ResourceEntry {
    ResourceEntry(name: name, lead: lead, resource: resource, trail: trail)
  }
}
