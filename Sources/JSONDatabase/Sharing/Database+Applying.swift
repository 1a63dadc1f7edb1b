package import JSONServerValues

/// Another server's change of a place.
package struct AppliedRow: Sendable {
  /// The name of the resource.
  package let resource: String
  /// The record's id; `nil` for a resource that is one value.
  package let id: String?
  /// Whether there was a record before.
  package let wasThere: Bool
  /// The record that is there now; `nil` when it is gone.
  package let record: WrittenRecord?
}

extension Database {
  /// The place of a record among those of its collection, which no other record gets; `nil` for none.
  package func slot(of id: String, in name: String) -> Int? {
    (try? collection(name))?.slot(of: id, patience)
  }

  /// Takes over what others wrote.
  ///
  /// - Returns: What became of each place; one that is as it was is left out.
  /// - Throws: ``JSONError`` when a text is no JSON, or its resource is not there; nothing is changed then.
  /// - Complexity: O(log n) for each row, and the size of the texts.
  package mutating func apply(_ placed: [PlacedRow]) throws(JSONError) -> [AppliedRow] {
    let rows = try placed.map { placed throws(JSONError) in try parsed(placed) }
    var applied: [AppliedRow] = []
    for (place, row) in zip(placed, rows) {
      let entry = entries[place.resource]
      guard entry.collection != nil else {
        // As for a server that reads everything: an object has one row, and without it is empty.
        let value = row?.record ?? .emptyObject
        guard place.slot == 0, entry.singularText != value.slice else { continue }
        entries[place.resource].resource = entry.isServed ? .singular(value) : .unserved(value)
        applied.append(AppliedRow(resource: entry.name, id: nil, wasThere: true, record: nil))
        continue
      }
      if let report = take(row, at: place.slot, of: place.resource) { applied.append(report) }
    }
    return applied
  }

  /// Keeps records out of a place where others wrote what ``apply(_:)`` refuses, until something else is there.
  package mutating func reserve(_ place: PlacedRow) {
    guard entries.indices.contains(place.resource) else { return }
    change(place.resource) { $0.setUnreadable(true, at: place.slot) }
  }

  private mutating func take(_ row: Row?, at slot: Int, of position: Int) -> AppliedRow? {
    let name = entries[position].name
    let idName = schema.idName(of: name)
    var before: Row?
    var isSame = false
    change(position) { collection in
      collection.setUnreadable(false, at: slot)
      before = collection.rows[slot]
      isSame = before?.record.slice == row?.record.slice
      if !isSame { collection.set(row, at: slot) }
    }
    guard !isSame, let id = (row ?? before)?.id(named: idName)?.string ?? before?.id(named: idName)?.string else {
      return isSame ? nil : AppliedRow(resource: name, id: nil, wasThere: before != nil, record: nil)
    }
    return AppliedRow(
      resource: name, id: id, wasThere: before != nil, record: row.map { WrittenRecord(text: $0.record, id: id) })
  }

  private func parsed(_ placed: PlacedRow) throws(JSONError) -> Row? {
    guard entries.indices.contains(placed.resource), (0..<Int(Int32.max)).contains(placed.slot) else {
      throw JSONError(
        .unsuitable, "a row names resource \(placed.resource), which is not there", at: 0, in: UTF8Slice("").bytes)
    }
    let entry = entries[placed.resource]
    guard let text = placed.text, entry.collection != nil || placed.slot == 0 else { return nil }
    defer { withExtendedLifetime(text) {} }
    var scanner = JSONScanner(text, maximumDepth: schema.maximumDepth - 2)
    let value = try scanner.scanDocument()
    let start = value.offset - text.offset
    let row = Row(value, lead: start, trail: text.count - start - value.count)
    guard entry.collection != nil else {
      try check(row, ofSingular: entry)
      return row
    }
    return schema.dialect == .v1 ? withStringID(row, slot: placed.slot, at: placed.resource) : row
  }

  /// - Throws: ``JSONError`` for a value that ``DatabaseReader`` would not read as one resource.
  private func check(_ row: Row, ofSingular entry: ResourceEntry) throws(JSONError) {
    let kind = row.withRecord { $0.kind }
    let isScalar = ![.object, .array, .null].contains(kind)
    guard entry.isServed, kind != .object, !(isScalar && schema.dialect == .v1) else { return }
    throw JSONError(
      .unsuitable, "'\(entry.name)' is \(kind.description); it has to be an object", at: 0, in: row.record.slice.bytes)
  }

  /// Makes the ids of a resource's records strings, and gives one by its slot to each record without one.
  mutating func assignStringIDsBySlot(at position: Int) {
    guard schema.dialect == .v1, let collection = entries[position].collection else { return }
    for slot in 0..<collection.rows.slotCount {
      guard let row = collection.rows[slot] else { continue }
      let named = withStringID(row, slot: slot, at: position)
      if named.record.storage !== row.record.storage { change(position) { $0.set(named, at: slot) } }
    }
  }

  private func withStringID(_ row: Row, slot: Int, at position: Int) -> Row {
    guard let collection = entries[position].collection,
      let id = Self.newID(of: row, Array(collection.idName.utf8), IDGenerator { "row-\(slot)" })
    else { return row }
    var draft = ObjectDraft()
    draft.set(collection.idName, to: ValidJSON(writing: .string(id)))
    return Row(draft.merged(into: row.record, collection.layout(of: row), row.margins), between: row.margins)
  }
}

extension ResourceEntry {
  /// The text of a resource that is one value.
  fileprivate var singularText: UTF8Slice? {
    switch resource {
    case .collection: nil
    case .singular(let value), .unserved(let value): value.slice
    }
  }
}
