package import OrderedJSON

/// The resources of one file, in memory.
///
/// A value without files, clock, threads or HTTP. A record is the text from which it was read; a change touches the
/// one record it is about. Copies share their rows: a copy is cheap, and a change after it costs what it changes.
package struct Database: Sendable {
  /// The names by which records are identified and related.
  package let schema: Schema

  let prefix: UTF8Slice
  let suffix: UTF8Slice
  var entries: [ResourceEntry]
  let positions: [ByteExactKey: Int]
  /// The first position of a served name in lower case.
  private let foldedPositions: [String: Int]

  /// The changes since they were last taken, oldest first.
  var changes = UndoLog()

  init(schema: Schema, prefix: UTF8Slice, entries: [ResourceEntry], suffix: UTF8Slice) {
    self.schema = schema
    self.prefix = prefix
    self.entries = entries
    self.suffix = suffix
    positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { (ByteExactKey($1.name), $0) })
    let served = entries.enumerated().filter { $0.element.isServed }
    foldedPositions = Dictionary(served.map { ($1.name.lowercased(), $0) }) { first, _ in first }
  }

  /// The names of the resources that are served, in the file's order.
  package var resourceNames: [String] {
    entries.filter(\.isServed).map(\.name)
  }

  /// The names of the resources that are served here or by another version: these first, then those that it adds.
  package func resourceNames(andOf other: Database) -> [String] {
    resourceNames + other.resourceNames.filter { servedPosition(of: $0) == nil }
  }

  /// Returns the resource with a name, or `nil`.
  package func resource(named name: String) -> Resource? {
    servedPosition(of: name).map { entries[$0].resource }
  }

  /// The position of a resource that is served, or `nil`.
  private func servedPosition(of name: String) -> Int? {
    guard let position = positions[ByteExactKey(name)], entries[position].isServed else { return nil }
    return position
  }

  /// Returns the resource that a name in a request means: its name in the file, and whether it is a collection.
  ///
  /// Letter case is ignored when no resource has exactly that name, as json-server 0.17's routes do; 1.0's do not.
  package func resource(meantBy name: String) -> (name: String, isCollection: Bool)? {
    if let position = servedPosition(of: name) { return (name, entries[position].collection != nil) }
    guard schema.dialect == .classic else { return nil }
    return foldedPositions[name.lowercased()].map { (entries[$0].name, entries[$0].collection != nil) }
  }

  /// The positions of the collections. Code that changes one must not hold another copy of it, which the change would
  /// have to copy.
  var collectionPositions: [Int] {
    entries.indices.filter { entries[$0].collection != nil }
  }

  /// The position of a resource among the entries.
  package func position(of name: String) throws(DatabaseError) -> Int {
    guard let position = servedPosition(of: name) else {
      throw DatabaseError(.unknownResource, unknownResourceMessage(name))
    }
    return position
  }

  /// The names of the resources at positions among the entries, in the file's order; positions of none are left out.
  package func resourceNames(at positions: Set<Int>) -> [String] {
    positions.filter(entries.indices.contains).sorted().map { entries[$0].name }
  }

  /// The most names from which an error message is made: a request that fails must not cost what all resources cost.
  private static let maximumSuggestions = 1_000

  /// The sentence for a person who asked for a resource that does not exist.
  package func unknownResourceMessage(_ name: String) -> String {
    let names = entries.lazy.filter(\.isServed).prefix(Self.maximumSuggestions).map(\.name)
    guard !names.isEmpty else { return "No resource is named '\(name)'; the database has none." }
    if let meant = Spelling.nearest(to: name, among: Array(names)) {
      return "No resource is named '\(name)'; did you mean '\(meant)'?"
    }
    let list = names.prefix(12).joined(separator: ", ") + (names.dropFirst(12).isEmpty ? "" : ", …")
    return "No resource is named '\(name)'; there are \(list)."
  }

  /// Whether a collection has a record with an id. O(1) after the first call for a collection.
  package mutating func hasRecord(_ id: String, in name: String) -> Bool {
    (try? record(id, in: name)) != nil
  }

  /// The names of the members that a collection's first records have, in their order.
  package func memberNames(of name: String) -> [String] {
    guard case .collection(let collection)? = resource(named: name) else { return [] }
    return collection.memberNames(inFirst: 20)
  }

  /// Passes a closure a collection to read; building an index on the way counts as reading.
  mutating func withCollection<Result>(
    _ name: String, _ body: (inout RecordCollection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try withCollection(at: try position(of: name), body)
  }

  /// Passes a closure the collection at a position to read.
  mutating func withCollection<Result>(
    at position: Int, _ body: (inout RecordCollection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard let result = try entries[position].collection?.apply(body) else {
      throw DatabaseError(
        .wrongKind, "'\(entries[position].name)' is a single object, not a collection.")
    }
    return result
  }

  /// Passes a closure the collection at a position to change; does nothing at the position of another resource.
  mutating func change(_ position: Int, _ body: (inout RecordCollection) -> Void) {
    try? withCollection(at: position) { collection throws(DatabaseError) in body(&collection) }
  }

  /// Returns the text of a record.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `unknownRecord`.
  /// - Complexity: O(1) after the first call for a collection, which reads all its ids.
  package mutating func record(_ id: String, in name: String) throws(DatabaseError) -> ValidJSON {
    try withCollection(name) { collection throws(DatabaseError) in
      guard let slot = collection.slot(of: id), let row = collection.rows[slot] else {
        throw Self.unknownRecord(id, in: name)
      }
      return row.record
    }
  }

  /// Returns the text of a singular resource.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource` or `wrongKind`.
  package func singular(_ name: String) throws(DatabaseError) -> ValidJSON {
    guard case .singular(let text) = entries[try position(of: name)].resource else {
      throw DatabaseError(.wrongKind, "'\(name)' is a collection, not a single object.")
    }
    return text
  }

  static func unknownRecord(_ id: String, in name: String) -> DatabaseError {
    DatabaseError(.unknownRecord, "\(name) has no record with id \(id).")
  }

  /// Everything as a tree, with what is kept in the file and not served. O(size of the data).
  package var value: JSONValue {
    .object(JSONObject(entries.map { ($0.name, $0.resource.value) }))
  }

  /// The file's text as it would be written now.
  package var text: DatabaseText {
    DatabaseText(prefix: prefix, entries: entries, suffix: suffix)
  }
}

extension RecordCollection {
  /// Passes itself to a closure, in place.
  fileprivate mutating func apply<Result>(
    _ body: (inout RecordCollection) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try body(&self)
  }
}
