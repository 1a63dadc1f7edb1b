import JSONServerValues

// Changes of all records that a query selects; each change is all or nothing.

extension Database {
  /// The largest number of bytes by which one change may enlarge all its records together.
  static let maximumGrowth = 128 * 1024 * 1024

  /// Deletes the records of a selection, with the effects of ``delete(_:in:dependents:)``.
  ///
  /// - Parameter selection: The result of ``list(_:_:)``; the collection must not have changed since.
  /// - Returns: The ids of the deleted records, as far as they have any, and the number of other deleted records, by
  ///   resource.
  /// - Throws: ``DatabaseError`` with code `unknownResource` or `wrongKind`.
  /// - Complexity: O(number of deleted records), after a first call that reads the foreign keys of every collection.
  package mutating func delete(
    _ selection: Selection, in name: String, dependents: [String] = []
  ) throws(DatabaseError) -> (ids: [String], dependents: [String: Int]) {
    delete(selection.slots, at: try position(of: name), dependents)
  }

  /// Changes each record of a selection; the ids stay.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidBody`, also when the edit includes the id, which differs in each record,
  ///   or `tooLarge`; for a patch, also `conflict`, for the first record that fails.
  /// - Complexity: O(size of the records and the body).
  package mutating func edit(
    _ selection: Selection, in name: String, by edit: Edit
  ) throws(DatabaseError) -> [WrittenRecord] {
    let idName = schema.idName(of: name)
    let namesID =
      switch edit {
      case .replace(let body), .merge(let body): try Self.draft(body)[idName] != nil
      case .patch(let patch): patch.names(Array(idName.utf8))
      }
    guard !namesID else {
      throw DatabaseError(
        .invalidBody, "Each record has its own '\(idName)', so a change of several records cannot set it; leave it out."
      )
    }
    let position = try position(of: name)
    guard patience.allows(edit.isLong || selection.records.count > QueryPlan.quickChanges) else { return [] }
    // The body is wrong even where it is for no record.
    if selection.slots.isEmpty, case .merge(let body) = edit {
      let problems = entries[position].example?.contradictions(of: body, in: name, isWhole: false) ?? []
      guard problems.isEmpty else { throw DatabaseError(problems, against: "the data of \(name)") }
    }
    return try self.edit(selection.slots, at: position, by: edit)
  }

  /// Changes the records in some slots of a collection, all or none.
  mutating func edit(_ slots: [Int], at position: Int, by edit: Edit) throws(DatabaseError) -> [WrittenRecord] {
    let collection = try collection(at: position)
    var rewritten: [(slot: Int, row: Row)] = []
    var written: [WrittenRecord] = []
    var growth = 0
    var filling = filling(at: position)
    let rewrite = try rewriting(by: edit, keeping: collection.idName)
    // Everything that may fail comes before the first change.
    for slot in slots {
      guard let before = collection.rows[slot] else { continue }
      let layout = collection.layout(of: before)
      let edited = try rewrite(before.record, &filling, layout, before.margins)
      let after = Row(filling?.refilled(edited, layout, before.margins) ?? edited, between: before.margins)
      growth += max(after.record.count - before.record.count, 0)
      guard growth <= Self.maximumGrowth || slots.count == 1 else {
        throw DatabaseError(
          .tooLarge,
          "The records would grow by more than \(Self.maximumGrowth >> 20) MiB together; change fewer at once.")
      }
      rewritten.append((slot, after))
      written.append(WrittenRecord(text: after.record, id: after.id(named: collection.idName)?.string ?? ""))
    }
    try check(rewritten.map { ($0.slot, $0.row.record) }, at: position, isPatched: edit.isPatch)
    change(position) { collection in
      for (slot, row) in rewritten { collection.set(row, at: slot) }
    }
    return written
  }

  /// The number of a collection's records; 0 for any other resource. O(1).
  package func count(of name: String) -> Int {
    (try? position(of: name)).flatMap { entries[$0].collection?.count } ?? 0
  }
}
