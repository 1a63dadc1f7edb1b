package import JSONServerValues

/// A resource in a file of its own: the file's whole text is its value.
package struct DatabasePart: Sendable {
  /// The resource's name.
  package let name: String
  private(set) var resource: Resource
  /// The white space before and after the value.
  fileprivate let margins: (lead: UTF8Slice, trail: UTF8Slice)

  /// Reads a file's text.
  ///
  /// - Parameter onRead: Called after about each MiB of records, with the number of bytes since the last call.
  /// - Throws: ``JSONError`` with the place of the first error.
  /// - Complexity: O(size of the text).
  package init(
    name: String, parsing text: UTF8Slice, schema: Schema, onRead: (@Sendable (Int) -> Void)? = nil
  ) throws(JSONError) {
    var text = text
    defer { withExtendedLifetime(text) {} }
    var reader = DatabaseReader(text, schema: schema, onRead: onRead)
    var (resource, value) = try reader.readPart(name)
    if schema.dialect == .v1, case .collection(let collection) = resource,
      let quoted = text.quotingIDs(of: [collection])
    {
      defer { withExtendedLifetime(quoted) {} }
      reader = DatabaseReader(quoted, schema: schema)
      (resource, value) = try reader.readPart(name)
      text = quoted
    }
    self.name = name
    self.resource = resource
    margins = (text[0..<value.lowerBound], text[value.upperBound..<text.count])
  }

  /// Whether the value is an array.
  package var isCollection: Bool { if case .collection = resource { true } else { false } }

  /// Whether loading the part takes noticeably long. O(1).
  package var isLarge: Bool {
    if case .collection(let collection) = resource { collection.rows.isLarge } else { false }
  }

  /// The same part with the resource from a database that has loaded it: with the ids that records were given.
  package func taken(from database: Database) -> DatabasePart {
    var part = self
    if let resource = database.resource(named: name) { part.resource = resource }
    return part
  }

  /// The file's text as read.
  package var text: DatabaseText { text(of: resource) }

  /// The file's text with the resource of a database in place of the original one.
  ///
  /// - Returns: `nil` when the database has no such resource.
  package func text(of database: Database) -> DatabaseText? { database.resource(named: name).map { text(of: $0) } }

  private func text(of resource: Resource) -> DatabaseText {
    let none = UTF8Slice("")
    let entry = ResourceEntry(name: name, lead: none, resource: resource, trail: none)
    return DatabaseText(prefix: margins.lead, entries: PersistentArray([entry]), suffix: margins.trail)
  }
}

extension Database {
  /// Joins resources that are in files of their own.
  package init(joining parts: [DatabasePart], schema: Schema, ids: IDGenerator) {
    var entries = parts.map(ResourceEntry.init)
    if schema.checks.followsData { for index in entries.indices { entries[index].keepExample() } }
    self.init(schema: schema, prefix: UTF8Slice("{"), entries: entries, suffix: UTF8Slice("\n}\n"))
    assignStringIDs(ids)
  }

  /// Replaces the resource of a name with a part that was read again, or adds the part when there is none.
  package mutating func replace(with part: DatabasePart, ids: IDGenerator) {
    if let position = positions[ByteExactKey(part.name)] {
      entries[position].resource = part.resource
      if schema.checks.followsData { entries[position].keepExample() }
    } else {
      add(part)
    }
    if let position = positions[ByteExactKey(part.name)] { assignStringIDs(at: position) { _ in ids() } }
  }

  /// Adds a part after the existing resources, unless one has its name.
  package mutating func add(_ part: DatabasePart) {
    guard positions[ByteExactKey(part.name)] == nil else { return }
    replaceEntries(by: Array(entries) + [ResourceEntry(part)])
  }
}

extension ResourceEntry {
  fileprivate init(_ part: DatabasePart) {
    var lead = Array("\n  ".utf8)
    JSONText.appendEscaped(part.name, to: &lead)
    lead += ": ".utf8
    self.init(name: part.name, lead: UTF8Slice(lead), resource: part.resource, trail: UTF8Slice(""))
  }
}
