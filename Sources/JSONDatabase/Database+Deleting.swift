package import JSONServerValues

extension Database {
  /// Deletes a record, and changes or deletes the records that refer to it.
  ///
  /// In the classic dialect, records with the deleted id in their foreign key are deleted too, recursively. Foreign
  /// keys that had no record before stay (json-server 0.17 deletes these records, too, and so loses data). In 1.0's
  /// dialect such keys become null, and only records of the resources in `dependents` are deleted. The keys are those
  /// of embedding.
  ///
  /// The deleted id is removed from lists of ids; in the classic dialect only where ``Schema/idLists`` or `dependents`
  /// name the list.
  ///
  /// - Returns: The text of the deleted record, and the number of other deleted records, by resource.
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `unknownRecord`. Nothing is changed then.
  /// - Complexity: O(number of deleted records), after a first call that reads the foreign keys of every collection.
  package mutating func delete(
    _ id: String, in name: String, dependents: [String] = []
  ) throws(DatabaseError) -> (record: ValidJSON, dependents: [String: Int]) {
    let position = try position(of: name)
    let collection = try collection(at: position)
    guard let slot = collection.slot(of: id, patience), let row = collection.rows[slot] else {
      throw unknownRecord(id, in: name)
    }
    return (row.record, delete([slot], at: position, dependents).dependents)
  }

  /// Deletes the records in some slots of a collection, and deletes or changes the records that refer to them.
  ///
  /// - Returns: The ids of the deleted records, as far as they have any, and the number of other deleted records, by
  ///   resource.
  mutating func delete(
    _ slots: [Int], at position: Int, _ dependents: [String]
  ) -> (ids: [String], dependents: [String: Int]) {
    guard patience.allows(slots.count > QueryPlan.quickChanges) else { return ([], [:]) }
    let name = entries[position].name
    let idName = Array(schema.idName(of: name).utf8)
    let ids = slots.compactMap { slot in
      entries[position].collection?.rows[slot]?.withRecord { $0.member(idName)?.text }
    }
    let before = self
    change(position) { collection in
      for slot in slots { collection.set(nil, at: slot) }
    }
    return (ids, removeDependents(of: ids.map { (name, $0) }, dependents, before))
  }

  /// Deletes or changes the records that refer to deleted ones.
  ///
  /// - Parameters:
  ///   - dependents: The resources whose records are deleted in 1.0's dialect, and whose lists of ids are changed in the
  ///     classic one.
  ///   - before: The version before the deletion, which says what the keys mean.
  /// - Returns: The number of deleted records, by resource.
  private mutating func removeDependents(
    of records: [(resource: String, id: String)], _ dependents: [String], _ before: Database
  ) -> [String: Int] {
    var gone = records
    var counts: [String: Int] = [:]
    var references: [String: [(position: Int, key: FieldPath)]] = [:]
    var count = 0
    while let parent = gone.popLast() {
      let found = references[parent.resource] ?? before.references(to: parent.resource)
      references[parent.resource] = found
      for (position, key) in found {
        let name = entries[position].name
        let idName = Array(schema.idName(of: name).utf8)
        let keepsLists = schema.dialect == .classic && !dependents.contains(name) && !schema.idLists.contains(key.name)
        let rows = rows(at: position, where: key, names: parent.id).filter { !(keepsLists && $0.isInList) }
        count += rows.count
        guard patience.allows(count > QueryPlan.quickChanges) else { return [:] }
        for (slot, row, isInList) in rows {
          let id = row.withRecord { $0.member(idName)?.text }
          // What has no id of its own is not a record's child in its own collection.
          if id == nil, name == parent.resource { continue }
          if isInList {
            set(removing(parent.id, from: key, in: row, at: position), at: slot, of: position)
            continue
          }
          if schema.dialect == .v1, !dependents.contains(name) {
            set(setting(key, to: .null, in: row, at: position), at: slot, of: position)
            continue
          }
          set(nil, at: slot, of: position)
          counts[name, default: 0] += 1
          if schema.dialect == .classic, let id { gone.append((name, id)) }
        }
      }
    }
    return counts
  }

  /// Returns the other records that the deletion of the records in some slots would delete or change, by resource.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`.
  /// - Complexity: That of the deletion.
  package func recordsAffected(
    byDeleting slots: [Int], in name: String, dependents: [String]
  ) throws(DatabaseError) -> [String: [ValidJSON]] {
    let position = try position(of: name)
    var after = self
    _ = after.delete(slots, at: position, dependents)
    let deleted = Set(slots)
    var affected: [String: [ValidJSON]] = [:]
    for change in after.changes(since: self) where change.position != position || !deleted.contains(change.slot) {
      if let before = change.before { affected[change.resource, default: []].append(before.record) }
    }
    return affected
  }

  /// The collections whose records refer to another one, each with its foreign key.
  private func references(to parent: String) -> [(position: Int, key: FieldPath)] {
    guard let parent = collectionPosition(parent) else { return [] }
    return collectionPositions.flatMap { child in references(from: child, to: parent).map { (child, $0) } }
  }

  /// Returns the rows that refer to a record, each with whether it does so in a list of ids.
  ///
  /// The last row comes first: the lists of the indexes then shrink at their ends, which moves nothing.
  private func rows(
    at position: Int, where key: FieldPath, names id: String
  ) -> [(slot: Int, row: Row, isInList: Bool)] {
    guard let collection = entries[position].collection else { return [] }
    return collection.slots(where: key, equals: id, patience).reversed().compactMap { slot in
      guard let row = collection.rows[Int(slot)] else { return nil }
      let isInList: Bool? = row.withRecord { record in
        guard let value = key.value(in: record) else { return nil }
        if let elements = ArrayReader(value) { return elements.contains { $0.recordID == id } ? true : nil }
        return value.recordID == id ? false : nil
      }
      return isInList.map { (Int(slot), row, $0) }
    }
  }

  private func removing(_ id: String, from key: FieldPath, in row: Row, at position: Int) -> Row {
    let others = (row.record.member(key.whole)?.elements ?? []).filter { $0.withToken(\.recordID) != id }
    return setting(key, to: ValidJSON(writing: .array(others.map { JSONValue($0) })), in: row, at: position)
  }

  private func setting(_ key: FieldPath, to value: ValidJSON, in row: Row, at position: Int) -> Row {
    var draft = ObjectDraft()
    draft.set(key.name, to: value)
    let layout = entries[position].collection?.layout(of: row) ?? .pretty
    return Row(draft.merged(into: row.record, layout, row.margins), between: row.margins)
  }
}

extension Database {
  /// Removes the empty slots of collections that have more of them than records.
  ///
  /// Without that, every reader of all records would visit the slots of all records that were ever deleted. Copies of
  /// the database keep their slots, and so does a database whose schema demands it.
  ///
  /// - Parameters:
  ///   - base: The version before the changes.
  ///   - kept: The positions of the collections that keep their slots.
  ///   - tolerated: How many empty slots a collection may have in any case.
  /// - Returns: Whether a collection was compacted, so that its ids and members must be read again.
  /// - Complexity: O(1) for each deleted record, on average.
  @discardableResult
  package mutating func compact(
    since base: Database, except kept: Set<Int>, tolerating tolerated: Int = RecordCollection.toleratedCount
  ) -> Bool {
    guard !schema.keepsSlots else { return false }
    var isCompacted = false
    for position in changedPositions(since: base).subtracting(kept) {
      guard entries.indices.contains(position),
        entries[position].collection?.isSparse(tolerating: tolerated) == true
      else { continue }
      change(position) { $0.replaceRows($0.rows.compacted) }
      isCompacted = true
    }
    return isCompacted
  }
}
