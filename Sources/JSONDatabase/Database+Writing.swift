package import OrderedJSON

/// A record after an operation.
package struct WrittenRecord: Sendable {
  /// The record's text.
  package let text: Text
  /// The record's id as text.
  package let id: String
}

extension Database {
  /// Adds a record to a collection.
  ///
  /// The id is the body's when it is free; a body without one (or with `null`, `0`, `""` or `false`, as clients send for
  /// "not yet") gets the next number, or a text id in a collection of text ids. Under 1.0's dialect the id is always
  /// generated.
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
      let id = try collection.settleID(of: &draft, dialect: dialect, ids: ids)
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
    _ id: String, in name: String, _ body: (Row, inout Collection) throws(DatabaseError) -> [UInt8]
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
  ) throws(DatabaseError) -> Text {
    let position = try position(of: name)
    guard case .singular(let before) = entries[position].resource else {
      throw DatabaseError(.wrongKind, "'\(name)' is a collection; name the record, as in /\(name)/1.")
    }
    let draft = try RecordDraft(body)
    let lead = Text(entries[position].lead.withBytes { Array($0.prefix(while: JSONSyntax.isWhitespace)) })
    let layout = lead.withBytes { lead in
      before.withBytes { JSONLayout.inferred(from: $0, lead: lead) } ?? defaultSingularLayout(lead)
    }
    let after = Text(merging ? before.withBytes { draft.merged(into: $0, layout) } : draft.text(layout))
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

  /// Adds and updates many records, all or none: a body whose id is taken is merged into that record, any other is added.
  ///
  /// - Throws: What ``create(_:in:belongingTo:ids:)`` throws, with the number of the element.
  package mutating func createOrMerge(
    _ bodies: UnsafeBufferPointer<UInt8>, in name: String, ids: IDGenerator
  ) throws(DatabaseError) -> (records: [Text], created: Int) {
    let idName = Array(schema.idName(of: name).utf8)
    return try atomically { database throws(DatabaseError) in
      var records: [Text] = []
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

  /// Runs several operations as one: when one throws, what those before it changed is taken back.
  package mutating func atomically<Result>(
    _ body: (inout Database) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let earlier = takeChanges()
    do throws(DatabaseError) {
      let result = try body(&self)
      let later = takeChanges()
      changes = earlier
      changes.append(later)
      return result
    } catch {
      undo(takeChanges())
      changes = earlier
      throw error
    }
  }

  /// Takes what was changed since the last call.
  package mutating func takeChanges() -> Changes {
    defer { changes = Changes() }
    return changes
  }

  /// The names of the resources that were changed since changes were last taken, in the file's order.
  package var changedResourceNames: [String] {
    changes.isEmpty ? [] : resourceNames(at: changes.resources)
  }

  /// Takes changes back, newest first; they must be the newest of the database.
  ///
  /// - Complexity: O(log n) for each change.
  package mutating func undo(_ changes: Changes) {
    for step in changes.steps.reversed() {
      switch step {
      case .append(let resource, let slot, _):
        change(resource) { $0.set(nil, at: slot) }
      case .set(let resource, let slot, let before):
        change(resource) { $0.set(before, at: slot) }
      case .replace(let resource, let before):
        entries[resource].resource = .singular(before)
      case .replaceAll(let before, _):
        let changes = self.changes
        self = before
        self.changes = changes
      }
    }
  }

  /// Gives a closure the collection at a place to change; does nothing at the place of another resource.
  mutating func change(_ position: Int, _ body: (inout Collection) -> Void) {
    try? withCollection(at: position) { collection throws(DatabaseError) in body(&collection) }
  }
}

extension Collection {
  /// Decides a new record's id, sets it in the draft, and returns it as text.
  mutating func settleID(of draft: inout RecordDraft, dialect: Dialect, ids: IDGenerator) throws(DatabaseError)
    -> String
  {
    if dialect == .classic, let token = draft[idName], !Self.meansNoID(token) {
      guard let value = token.withUnsafeBufferPointer({ ValueToken($0).recordID }) else {
        throw DatabaseError(.invalidBody, "'\(idName)' must be a string or a number.")
      }
      guard slot(of: value) == nil else {
        throw DatabaseError(
          .idTaken,
          "\(name) has a record with id \(value) already; leave '\(idName)' out, or change the record with PUT or PATCH."
        )
      }
      return value
    }
    let number = dialect == .classic ? nextNumericID() : nil
    let id = number?.text ?? freeTextID(ids)
    draft.set(idName, to: Array((number == nil ? "\"\(id)\"" : id).utf8))
    return id
  }

  private mutating func freeTextID(_ ids: IDGenerator) -> String {
    var id = ids()
    while slot(of: id) != nil { id = ids() }
    return id
  }

  /// Whether a body's id says that the client has none yet: JavaScript's falsy values, as json-server 0.17 takes them.
  private static func meansNoID(_ token: [UInt8]) -> Bool {
    token.withUnsafeBufferPointer { bytes in
      let value = ValueToken(bytes)
      return switch value.kind {
      case .null: true
      case .bool: bytes.elementsEqual("false".utf8)
      case .number: value.double == 0
      case .string: bytes.count == 2
      case .array, .object: false
      }
    }
  }
}
