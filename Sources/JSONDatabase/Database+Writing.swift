package import OrderedJSON

/// A record after an operation.
package struct WrittenRecord: Sendable {
  /// The record's text.
  package let text: UTF8Slice
  /// The record's id as text.
  package let id: String
}

extension Database {
  /// Adds a record to a collection.
  ///
  /// The id is the body's when it is free; a body without one (or with `null`, `0`, `""` or `false`, as clients send
  /// for "not yet") gets the next number, or a text id in a collection of text ids. Under 1.0's dialect the id is
  /// always generated.
  ///
  /// - Parameters:
  ///   - body: The text of a JSON object.
  ///   - name: The collection's name.
  ///   - parent: The resource and id of a record that the new one belongs to; sets the foreign key.
  ///   - ids: Makes text ids.
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind`, `invalidBody`, `idTaken` or `unknownRecord`.
  ///   Nothing is changed then.
  /// - Complexity: O(size of the body + log n).
  package mutating func create(
    _ body: UnsafeBufferPointer<UInt8>, in name: String, belongingTo parent: (resource: String, id: String)? = nil,
    ids: IDGenerator
  ) throws(DatabaseError) -> WrittenRecord {
    var draft = try RecordDraft(body)
    let position = try position(of: name)
    if let parent {
      let key = foreignKey(in: position, to: parent.resource, singular: nil)
      draft.set(key.name, to: try idToken(parent.id, in: parent.resource))
    }
    let dialect = schema.dialect
    let (slot, row, id) = try withCollection(at: position) { collection throws(DatabaseError) in
      let id = try collection.assignID(of: &draft, dialect: dialect, ids: ids)
      let row = Row(lead: collection.recordLead, record: draft.text(collection.recordLayout))
      return (collection.append(row), row, id)
    }
    changes.steps.append(.append(resource: position, slot: slot, row))
    return WrittenRecord(text: row.record, id: id)
  }

  /// Replaces all members of a record but its id.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind`, `unknownRecord` or `invalidBody`.
  /// - Complexity: O(size of the body).
  package mutating func replace(
    _ id: String, in name: String, with body: UnsafeBufferPointer<UInt8>
  ) throws(DatabaseError) -> WrittenRecord {
    try rewrite(id, in: name) { row, collection throws(DatabaseError) in
      var draft = try RecordDraft(body)
      draft.set(collection.idName, to: Self.idToken(of: row, collection.idName))
      return draft.text(collection.layout(of: row))
    }
  }

  /// Merges members into a record, one level deep; the id stays.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind`, `unknownRecord` or `invalidBody`.
  /// - Complexity: O(size of the record and the body).
  package mutating func merge(
    _ body: UnsafeBufferPointer<UInt8>, into id: String, in name: String
  ) throws(DatabaseError) -> WrittenRecord {
    try rewrite(id, in: name) { row, collection throws(DatabaseError) in
      var draft = try RecordDraft(body)
      draft.remove(collection.idName)
      return row.record.withBytes { draft.merged(into: $0, collection.layout(of: row)) }
    }
  }

  private mutating func rewrite(
    _ id: String, in name: String, _ body: (Row, inout RecordCollection) throws(DatabaseError) -> [UInt8]
  ) throws(DatabaseError) -> WrittenRecord {
    let position = try position(of: name)
    let (slot, before, after) = try withCollection(at: position) { collection throws(DatabaseError) in
      guard let slot = collection.slot(of: id), let before = collection.rows[slot] else {
        throw Self.unknownRecord(id, in: name)
      }
      let after = before.with(record: try body(before, &collection))
      collection.set(after, at: slot)
      return (slot, before, after)
    }
    changes.steps.append(.set(resource: position, slot: slot, before: before))
    return WrittenRecord(text: after.record, id: id)
  }

  /// Replaces a singular resource, or merges into it.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `invalidBody`.
  package mutating func write(
    _ body: UnsafeBufferPointer<UInt8>, toSingular name: String, merging: Bool
  ) throws(DatabaseError) -> UTF8Slice {
    let position = try position(of: name)
    guard case .singular(let before) = entries[position].resource else {
      throw DatabaseError(.wrongKind, "'\(name)' is a collection; name the record, as in /\(name)/1.")
    }
    let draft = try RecordDraft(body)
    let lead = UTF8Slice(entries[position].lead.withBytes { Array($0.prefix(while: JSONSyntax.isWhitespace)) })
    let layout = lead.withBytes { lead in
      before.withBytes { JSONLayout.inferred(from: $0, lead: lead) } ?? defaultSingularLayout(lead)
    }
    let after = UTF8Slice(merging ? before.withBytes { draft.merged(into: $0, layout) } : draft.text(layout))
    entries[position].resource = .singular(after)
    changes.steps.append(.replace(resource: position, before: before))
    return after
  }

  private func defaultSingularLayout(_ lead: UnsafeBufferPointer<UInt8>) -> JSONLayout {
    guard lead.contains(UInt8(ascii: "\n")) else { return .compact }
    let margin = JSONLayout.indentation(lead)
    let newline = lead.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
    return JSONLayout(indent: margin.isEmpty ? "  " : margin, margin: margin, newline: newline)
  }

  /// The id of an existing record in its own type, as JSON text.
  private mutating func idToken(_ id: String, in name: String) throws(DatabaseError) -> [UInt8] {
    let record = try record(id, in: name)
    let idName = Array(schema.idName(of: name).utf8)
    return record.withBytes { ObjectReader.value(named: idName, in: $0).map { Array($0.bytes) } ?? [] }
  }

  private static func idToken(of row: Row, _ idName: String) -> [UInt8] {
    row.withRecord { record in ObjectReader.value(named: Array(idName.utf8), in: record).map { Array($0.bytes) } ?? [] }
  }

  /// Adds and updates many records, all or none: a body whose id is taken is merged into that record, any other is
  /// added.
  ///
  /// - Throws: What ``create(_:in:belongingTo:ids:)`` throws, with the number of the element.
  package mutating func createOrMerge(
    _ bodies: UnsafeBufferPointer<UInt8>, in name: String, ids: IDGenerator
  ) throws(DatabaseError) -> (records: [UTF8Slice], created: Int) {
    let idName = Array(schema.idName(of: name).utf8)
    return try atomically { database throws(DatabaseError) in
      var records: [UTF8Slice] = []
      var created = 0
      for element in ArrayReader(bodies) {
        do throws(DatabaseError) {
          let id = ObjectReader.value(named: idName, in: element.bytes)
          if let id = id?.recordID, (try? database.record(id, in: name)) != nil {
            records.append(try database.merge(element.bytes, into: id, in: name).text)
          } else {
            records.append(try database.create(element.bytes, in: name, ids: ids).text)
            created += 1
          }
        } catch {
          throw DatabaseError(error.code, "Element \(records.count + 1) of the array: \(error.message)")
        }
      }
      return (records, created)
    }
  }
}
