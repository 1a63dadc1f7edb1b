import JSONServerValues

extension Database {
  /// The slot of a record in its collection, which no other record gets; `nil` if there is no such record.
  package func slot(of id: String, in name: String) -> Int? {
    (try? collection(name))?.slot(of: id, patience)
  }

  /// Applies the write of another server to a place.
  ///
  /// - Returns: The reason why the row cannot be served; `nil` for none. Such a row leaves the place as it was, and no record
  ///   is added there until another row is written.
  /// - Complexity: O(log n), and the size of the text.
  package mutating func apply(_ placed: PlacedRow) -> String? {
    do throws(JSONError) {
      let row = try parsed(placed)
      guard entries[placed.resource].collection == nil else {
        change(placed.resource) { collection in
          collection.setUnreadable(false, at: placed.slot)
          if collection.rows[placed.slot]?.record.slice != row?.record.slice { collection.set(row, at: placed.slot) }
        }
        return nil
      }
      // As when a server reads everything: an object has one row, and is empty without this row.
      let (entry, value) = (entries[placed.resource], row?.record ?? .emptyObject)
      if placed.slot == 0, entry.text.slice != value.slice {
        entries[placed.resource].resource = entry.isServed ? .singular(value) : .unserved(value)
      }
      return nil
    } catch {
      if entries.indices.contains(placed.resource) {
        change(placed.resource) { $0.setUnreadable(true, at: placed.slot) }
      }
      return error.message
    }
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
    guard let collection = entry.collection else {
      try check(row, ofSingular: entry)
      return row
    }
    guard schema.dialect == .v1 else { return row }
    return collection.withStringID(row) { Self.id(ofSlot: placed.slot) } ?? row
  }

  /// The id of a record that has none, from its slot, so that all servers assign the same.
  static func id(ofSlot slot: Int) -> String { "row-\(slot)" }

  /// - Throws: ``JSONError`` for a value that ``DatabaseReader`` would not read as one resource.
  private func check(_ row: Row, ofSingular entry: ResourceEntry) throws(JSONError) {
    let kind = row.withRecord { $0.kind }
    let isScalar = ![.object, .array, .null].contains(kind)
    guard entry.isServed, kind != .object, !(isScalar && schema.dialect == .v1) else { return }
    throw JSONError(
      .unsuitable, "'\(entry.name)' is \(kind.description); it has to be an object", at: 0, in: row.record.slice.bytes)
  }
}
