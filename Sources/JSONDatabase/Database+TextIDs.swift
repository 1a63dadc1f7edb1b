import OrderedJSON

extension Database {
  /// Makes every id a string, and gives one to each record without, as json-server 1.0 does when it loads a file.
  ///
  /// The file keeps its text until the next write.
  mutating func giveTextIDs(_ ids: IDGenerator) {
    for position in entries.indices {
      change(position) { collection in
        let idName = Array(collection.idName.utf8)
        for slot in 0..<collection.rows.slotCount {
          guard let row = collection.rows[slot], let text = Self.newID(of: row, idName, ids) else { continue }
          var draft = RecordDraft()
          draft.set(collection.idName, to: Array("\"\(text)\"".utf8))
          let record = row.record.withBytes { draft.merged(into: $0, collection.layout(of: row)) }
          collection.set(row.with(record: record), at: slot)
        }
      }
    }
  }

  /// The id that a record needs, or `nil` when it has a text id or is no object.
  private static func newID(of row: Row, _ idName: [UInt8], _ ids: IDGenerator) -> String? {
    row.withRecord { record in
      guard record.first == UInt8(ascii: "{") else { return nil }
      guard let id = ObjectReader.value(named: idName, in: record) else { return ids() }
      return id.kind == .number ? id.idText : nil
    }
  }
}
