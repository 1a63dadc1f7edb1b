import OrderedJSON

/// What another server's change made of a place.
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
  package mutating func slot(of id: String, in name: String) -> Int? {
    guard let position = try? position(of: name) else { return nil }
    var slot: Int?
    change(position) { slot = $0.slot(of: id) }
    return slot
  }

  /// Takes over what others wrote, without a trace among the changes.
  ///
  /// - Returns: What became of each place; one that is as it was is left out.
  /// - Throws: ``LoadError`` when a text is no JSON, or its resource is not there; nothing is changed then.
  /// - Complexity: O(log n) for each row, and the size of the texts.
  package mutating func apply(_ placed: [PlacedRow]) throws(LoadError) -> [AppliedRow] {
    let rows = try placed.map { placed throws(LoadError) in try parsed(placed) }
    var applied: [AppliedRow] = []
    for (place, row) in zip(placed, rows) {
      let entry = entries[place.resource]
      guard entry.collection != nil else {
        guard let row, entry.text(at: 0) != row.record.slice else { continue }
        entries[place.resource].resource = entry.isServed ? .singular(row.record) : .unserved(row.record)
        applied.append(AppliedRow(resource: entry.name, id: nil, wasThere: true, record: nil))
        continue
      }
      if let report = set(row, at: place.slot, of: place.resource) { applied.append(report) }
    }
    return applied
  }

  private mutating func set(_ row: Row?, at slot: Int, of position: Int) -> AppliedRow? {
    let name = entries[position].name
    let idName = schema.idName(of: name)
    var before: Row?
    var isSame = false
    change(position) { collection in
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

  private func parsed(_ placed: PlacedRow) throws(LoadError) -> Row? {
    guard entries.indices.contains(placed.resource), (0..<Int(Int32.max)).contains(placed.slot) else {
      throw LoadError("a row names resource \(placed.resource), which is not there", at: 0, in: UTF8Slice("").bytes)
    }
    guard let text = placed.text else { return nil }
    defer { withExtendedLifetime(text) {} }
    var scanner = JSONScanner(text, maximumDepth: schema.maximumDepth - 2)
    let value: ValidJSON
    do throws(JSONError) {
      value = try scanner.scanDocument()
    } catch {
      throw LoadError(error, in: text.bytes)
    }
    let start = value.offset - text.offset
    let row = Row(value, lead: start, trail: text.count - start - value.count)
    guard schema.dialect == .v1, entries[placed.resource].collection != nil else { return row }
    return withStringID(row, slot: placed.slot, at: placed.resource)
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
  fileprivate func text(at slot: Int) -> UTF8Slice? {
    switch resource {
    case .collection: nil
    case .singular(let value), .unserved(let value): value.slice
    }
  }
}
