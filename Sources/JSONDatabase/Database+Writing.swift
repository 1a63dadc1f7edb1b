package import JSONServerValues

/// A record after an operation.
package struct WrittenRecord: Sendable {
  /// The record's text.
  package let text: ValidJSON
  /// The record's id as text.
  package let id: String

  /// The record without the member of a name.
  package func removing(_ name: String) -> WrittenRecord {
    WrittenRecord(text: text.removing(name), id: id)
  }
}

/// A change of an existing record, or of a single resource.
package enum Edit: Sendable {
  /// Replaces all members.
  case replace(ValidJSON)
  /// Merges members, one level deep.
  case merge(ValidJSON)
  /// Applies a patch, all of it or nothing.
  case patch(Patch)

  var isPatch: Bool { if case .patch = self { true } else { false } }

  /// Whether the change takes noticeably long even for a small record.
  var isLong: Bool {
    switch self {
    case .replace, .merge: false
    case .patch(let patch): patch.isLong
    }
  }
}

extension Database {
  /// Adds a record to a collection.
  ///
  /// A free id in the body is used. A body without an id (or with `null`, `0`, `""` or `false`, as clients send for
  /// "not yet") gets the next number, or a text id in a collection of text ids. In 1.0's dialect the id is always
  /// generated.
  ///
  /// - Parameters:
  ///   - body: A JSON object.
  ///   - name: The collection's name.
  ///   - parent: The resource and id of the record's parent, for the foreign key; it must exist only where bodies are
  ///     checked by the data.
  ///   - ids: Makes text ids.
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind`, `invalidBody` or `idTaken`. Nothing is
  ///   changed then.
  /// - Complexity: O(size of the body + log n).
  package mutating func create(
    _ body: ValidJSON, in name: String, belongingTo parent: (resource: String, id: String)? = nil,
    ids: IDGenerator
  ) throws(DatabaseError) -> WrittenRecord {
    var draft = try Self.draft(body)
    let position = try position(of: name)
    if let parent {
      if schema.checks.followsData { _ = try record(parent.id, in: parent.resource) }
      let key = foreignKey(in: position, to: parent.resource, singular: nil)
      draft.set(key.name, to: foreignKey(key, in: position, to: parent, besides: draft[key.name]))
    }
    return try append(&draft, at: position) { [schema, patience] collection, draft throws(DatabaseError) in
      try collection.assignID(of: &draft, schema: schema, ids: ids, patience)
    }
  }

  /// Adds a record under an id that no record has, as text; the id becomes a number where it looks like one, and no id of
  /// the collection is a text.
  ///
  /// - Throws: ``DatabaseError`` as ``create(_:in:belongingTo:ids:)`` does; with code `invalidBody` for a body with another
  ///   id, too.
  package mutating func create(_ body: ValidJSON, as id: String, in name: String) throws(DatabaseError) -> WrittenRecord
  {
    var draft = try Self.draft(body)
    return try append(&draft, at: position(of: name)) { [patience] collection, draft throws(DatabaseError) in
      let idName = collection.idName
      if let given = draft[idName], !given.withToken({ RecordCollection.meansNoID($0) }),
        given.withToken(\.recordID) != id
      {
        throw DatabaseError(
          .invalidBody, "'\(idName)' in the body is not \(id), as in the path; leave '\(idName)' out of the body.")
      }
      draft.set(idName, to: ValidJSON(writing: collection.idValue(of: id, patience)))
      return id
    }
  }

  private mutating func append(
    _ draft: inout ObjectDraft, at position: Int,
    assigningID assign: (RecordCollection, inout ObjectDraft) throws(DatabaseError) -> String
  ) throws(DatabaseError) -> WrittenRecord {
    let collection = try collection(at: position)
    var filling = filling(at: position)
    filling?.fill(&draft)
    let given = draft[collection.idName]?.withToken { RecordCollection.meansNoID($0) ? nil : $0.kind }
    let id = try assign(collection, &draft)
    // A collection that was emptied would number its records.
    if given != .number, collection.count == 0, entries[position].example?.kinds(of: collection.idName) == [.string] {
      draft.set(collection.idName, to: ValidJSON(writing: .string(id)))
    }
    let margins = ObjectDraft.Margins(lead: collection.recordLead, trail: [])
    let row = Row(draft.text(collection.recordLayout, margins), between: margins)
    try check([(nil, row.record)], at: position)
    change(position) { $0.append(row) }
    return WrittenRecord(text: row.record, id: id)
  }

  /// Changes a record; its id stays.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind`, `unknownRecord` or `invalidBody`; for a patch,
  ///   also `conflict` or `tooLarge`.
  /// - Complexity: O(size of the record and the body), or that of
  ///   ``Patch/applied(to:maximumDepth:maximumGrowth:maximumSize:)``.
  package mutating func edit(_ id: String, in name: String, by edit: Edit) throws(DatabaseError) -> WrittenRecord {
    let position = try position(of: name)
    let collection = try collection(at: position)
    guard let slot = collection.slot(of: id, patience), let before = collection.rows[slot],
      patience.allows(edit.isLong || before.record.count > QueryPlan.quickRecord)
    else { throw unknownRecord(id, in: name) }
    return try self.edit([slot], at: position, by: edit)[0]
  }

  /// Makes the text of a record, or of a single resource, after an edit.
  typealias Rewriting =
    (_ before: ValidJSON, inout Filling?, JSONLayout, ObjectDraft.Margins) throws(DatabaseError) -> ValidJSON

  /// Reads an edit's body, once for all records.
  ///
  /// - Parameter idName: The member that stays; `nil` for none.
  func rewriting(by edit: Edit, keeping idName: String?) throws(DatabaseError) -> Rewriting {
    switch edit {
    case .replace(let body):
      let body = try Self.draft(body)
      return { before, filling, layout, margins in
        var draft = body
        filling?.fill(&draft, replacing: before)
        if let idName { draft.set(idName, to: before.member(Array(idName.utf8)) ?? .null) }
        return draft.text(layout, margins)
      }
    case .merge(let body):
      var draft = try Self.draft(body)
      if let idName { draft.remove(idName) }
      return { [draft] before, _, layout, margins in draft.merged(into: before, layout, margins) }
    case .patch(let patch):
      return { [schema] before, _, layout, margins throws(DatabaseError) in
        try schema.apply(patch, to: before, keeping: idName, layout, margins)
      }
    }
  }

  /// Changes a single resource.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `invalidBody`; for a patch, also `conflict` or
  ///   `tooLarge`.
  package mutating func edit(singular name: String, by edit: Edit) throws(DatabaseError) -> ValidJSON {
    let position = try position(of: name)
    guard case .singular(let before) = entries[position].resource else {
      throw DatabaseError(.wrongKind, "'\(name)' is a collection; name the record, as in /\(name)/1.")
    }
    guard patience.allows(edit.isLong || before.count > QueryPlan.quickRecord) else { return before }
    let lead = UTF8Slice(entries[position].lead.withBytes { Array($0.prefix(while: JSONSyntax.isWhitespace)) })
    let layout = lead.withBytes { lead in
      before.withToken { JSONLayout.inferred(from: $0, lead: lead) } ?? defaultSingularLayout(lead)
    }
    var filling = Filling(ofObject: name, before, schema.filler.later(by: clockOffset))
    let edited = try rewriting(by: edit, keeping: nil)(before, &filling, layout, .none)
    let after = filling?.refilled(edited, layout) ?? edited
    try check(after, at: position, isPatched: edit.isPatch)
    entries[position].resource = .singular(after)
    return after
  }

  private func defaultSingularLayout(_ lead: UnsafeBufferPointer<UInt8>) -> JSONLayout {
    guard lead.contains(UInt8(ascii: "\n")) else { return .compact }
    let margin = JSONLayout.indentation(lead)
    let newline = lead.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
    return JSONLayout(indent: margin.isEmpty ? "  " : margin, margin: margin, newline: newline)
  }

  static func draft(_ body: ValidJSON) throws(DatabaseError) -> ObjectDraft {
    guard let draft = ObjectDraft(body) else {
      throw DatabaseError(.invalidBody, "The body must be a JSON object, such as {\"title\": \"Hello\"}.")
    }
    return draft
  }

  /// Adds and updates many records, all or none: a body with an existing id is merged into that record, any other body
  /// is added.
  ///
  /// - Parameter bodies: An array of JSON objects.
  /// - Throws: The errors of ``create(_:in:belongingTo:ids:)``, with the number of the element.
  package mutating func createOrMerge(
    _ bodies: ValidJSON, in name: String, ids: IDGenerator
  ) throws(DatabaseError) -> (records: [ValidJSON], created: Int) {
    guard let elements = bodies.elements else {
      throw DatabaseError(.invalidBody, "The body must be an array of JSON objects.")
    }
    return try createOrMerge(elements, in: name, ids: ids)
  }

  private mutating func createOrMerge(
    _ elements: [ValidJSON], in name: String, ids: IDGenerator
  ) throws(DatabaseError) -> (records: [ValidJSON], created: Int) {
    guard patience.allows(elements.count > QueryPlan.quickChanges) else { return ([], 0) }
    let idName = Array(schema.idName(of: name).utf8)
    let given = elements.map { element -> String? in
      element.withToken { element in
        guard let token = element.member(idName), let id = token.recordID else { return nil }
        // 0 and similar values mean no id, unless a record has this id.
        return RecordCollection.meansNoID(token, ids) && (try? record(id, in: name)) == nil ? nil : id
      }
    }
    if let result = try createOrMerge(elements, given, Array(elements.indices), in: name, ids: ids) { return result }
    // When a new id is one of the given ids, the elements with given ids come first.
    let order = elements.indices.filter { given[$0] != nil } + elements.indices.filter { given[$0] == nil }
    return try createOrMerge(elements, given, order, in: name, ids: ids) ?? ([], 0)
  }

  /// Creates or merges records in an order.
  ///
  /// - Parameter given: The id of each element; `nil` for an element that gets a new id.
  /// - Returns: `nil` when a new id is one of the given ids; nothing is changed then.
  private mutating func createOrMerge(
    _ elements: [ValidJSON], _ given: [String?], _ order: [Int], in name: String, ids: IDGenerator
  ) throws(DatabaseError) -> (records: [ValidJSON], created: Int)? {
    let taken = Set(given.compactMap(\.self))
    var changed = self
    var records = elements
    var created = 0
    var (problems, code) = ([Problem](), DatabaseError.Code.conflict)
    for index in order where problems.count < Self.maximumProblems {
      do throws(DatabaseError) {
        if let id = given[index], (try? changed.record(id, in: name)) != nil {
          records[index] = try changed.edit(id, in: name, by: .merge(elements[index])).text
        } else {
          let record = try changed.create(elements[index], in: name, ids: ids)
          if given[index] == nil, taken.contains(record.id) { return nil }
          records[index] = record.text
          created += 1
        }
      } catch {
        guard !error.problems.isEmpty else {
          throw DatabaseError(error.code, "Element \(index + 1) of the array: \(error.message)")
        }
        problems += error.problems.map { $0.below(String(index)) }
        if error.code == .contradiction { code = .contradiction }
      }
    }
    guard problems.isEmpty else { throw DatabaseError(problems, code) }
    self = changed
    return (records, created)
  }

  /// Runs several operations as one: when one of them throws, nothing is changed.
  package mutating func atomically<Result>(
    _ body: (inout Database) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    var changed = self
    let result = try body(&changed)
    self = changed
    return result
  }

  /// Adds the resources of another database that are not present yet, after the existing ones.
  package mutating func add(_ other: Database) {
    let added = other.entries.filter { positions[ByteExactKey($0.name)] == nil }
    guard !added.isEmpty else { return }
    guard let end = entries.last else { return assign(other) }
    // The white space before the closing brace stays there.
    var joined = Array(entries) + added
    for index in (entries.count - 1)..<joined.count { joined[index].trail = UTF8Slice("") }
    joined[joined.count - 1].trail = end.trail
    replaceEntries(by: joined)
  }
  /// Merges the resources of another database into the existing ones, all or none: records by id, objects by member;
  /// adds new resources.
  ///
  /// - Throws: The errors of ``createOrMerge(_:in:ids:)`` and ``edit(singular:by:)``.
  package mutating func merge(_ other: Database, ids: IDGenerator) throws(DatabaseError) {
    let known = positions
    try atomically { database throws(DatabaseError) in
      database.add(other)
      for entry in other.entries where known[ByteExactKey(entry.name)] != nil {
        switch entry.resource {
        case .collection(let collection):
          _ = try database.createOrMerge(collection.firstRecords(collection.count), in: entry.name, ids: ids)
        case .singular(let value): _ = try database.edit(singular: entry.name, by: .merge(value))
        case .unserved: break
        }
      }
    }
  }
}

extension Schema {
  /// The result of a patch of a stored object.
  ///
  /// - Parameter idName: The member that the patch must not change; `nil` for none.
  /// - Throws: ``DatabaseError`` with code `invalidBody`, `conflict` or `tooLarge`.
  package func apply(
    _ patch: Patch, to document: ValidJSON, keeping idName: String?, _ layout: JSONLayout = .compact,
    _ margins: ObjectDraft.Margins = .none
  ) throws(DatabaseError) -> ValidJSON {
    let patched = try patch.applied(
      to: document, maximumDepth: maximumRecordDepth, maximumGrowth: maximumPatchGrowth)
    guard let text = ObjectDraft.changing(document, to: patched, keeping: idName, layout, margins) else {
      throw DatabaseError(.invalidBody, "The patch must leave an object, not \(patched.kind.description).")
    }
    return text
  }
}
