package import JSONServerValues
import OrderedCollections

/// One version of the resources of a source, in memory.
///
/// A value without files, clock, threads or HTTP. Each record is the text from which it was read. Any thread may read a
/// version. A change makes another version that shares all unchanged rows, so a copy is cheap, and dropping the new
/// version undoes the change.
package struct Database: Sendable {
  /// The properties that change only when a resource is added or removed.
  private final class Outline: Sendable {
    let schema: Schema
    let prefix: UTF8Slice
    let suffix: UTF8Slice
    let positions: [ByteExactKey: Int]
    /// The names of the served resources, in the file's order.
    let names: [String]
    /// The first position of a served name in lower case.
    let foldedPositions: [String: Int]

    init(schema: Schema, prefix: UTF8Slice, entries: [ResourceEntry], suffix: UTF8Slice) {
      self.schema = schema
      self.prefix = prefix
      self.suffix = suffix
      positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { (ByteExactKey($1.name), $0) })
      let served = entries.enumerated().filter { $0.element.isServed }
      names = served.map(\.element.name)
      foldedPositions = Dictionary(served.map { ($1.name.lowercased(), $0) }) { first, _ in first }
    }
  }

  private let outline: Outline
  var entries: PersistentArray<ResourceEntry>
  /// Names a chain of versions. All versions of a chain share indexes.
  private(set) var lineage: Lineage
  /// The time limit of readers; see ``attempt(within:_:)``.
  var patience = Patience.endless
  /// How much later than the clock it is for members that are filled, when a test sets the time.
  package var clockOffset = Duration.zero

  init(
    schema: Schema, prefix: UTF8Slice, entries: [ResourceEntry], suffix: UTF8Slice, lineage: Lineage = Lineage()
  ) {
    outline = Outline(schema: schema, prefix: prefix, entries: entries, suffix: suffix)
    self.entries = PersistentArray(entries)
    self.lineage = lineage
  }

  /// The names by which records are identified and related.
  package var schema: Schema { outline.schema }
  /// The json-server version whose responses are given. Each request asks for it, and a copy of the schema costs more.
  package var dialect: Dialect { outline.schema.dialect }
  var prefix: UTF8Slice { outline.prefix }
  var suffix: UTF8Slice { outline.suffix }
  var positions: [ByteExactKey: Int] { outline.positions }

  /// The same version for another owner, with changes of its own.
  ///
  /// The indexes of a collection are shared until the other owner changes it.
  package func forked() -> Database {
    var fork = self
    fork.lineage = Lineage()
    return fork
  }

  /// The same version without shared indexes, for a version that is kept for long.
  ///
  /// - Complexity: O(number of resources).
  package func separated() -> Database {
    var copy = forked()
    for index in copy.entries.indices {
      copy.entries[index].collection = copy.entries[index].collection?.separated(for: copy.lineage)
    }
    return copy
  }

  /// Replaces the resources, within the same text.
  mutating func replaceEntries(by entries: [ResourceEntry]) {
    assign(Database(schema: schema, prefix: prefix, entries: entries, suffix: suffix))
  }

  /// Replaces all data with that of another database with the same schema.
  package mutating func assign(_ other: Database) {
    let (lineage, patience) = (lineage, patience)
    self = other
    self.lineage = lineage
    self.patience = patience
  }

  /// The names of the served resources, in the file's order.
  package var resourceNames: [String] { outline.names }

  /// The names of the resources of this version, and then those that another version adds.
  package func resourceNames(andOf other: Database) -> [String] {
    resourceNames + other.resourceNames.filter { servedPosition(of: $0) == nil }
  }

  /// Returns the resource with a name, or `nil`.
  package func resource(named name: String) -> Resource? {
    servedPosition(of: name).map { entries[$0].resource }
  }

  /// The position of a served resource, or `nil`.
  private func servedPosition(of name: String) -> Int? {
    guard let position = positions[ByteExactKey(name)], entries[position].isServed else { return nil }
    return position
  }

  /// Returns the resource for a name in a request: its name in the file, and whether it is a collection.
  ///
  /// Letter case is ignored when no resource has exactly that name, as in json-server 0.17's routes, but not in 1.0's.
  package func resource(meantBy name: String) -> (name: String, isCollection: Bool)? {
    if let position = servedPosition(of: name) { return (name, entries[position].collection != nil) }
    guard schema.dialect == .classic else { return nil }
    return outline.foldedPositions[name.lowercased()].map { (entries[$0].name, entries[$0].collection != nil) }
  }

  /// The positions of the collections.
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

  /// The names of the resources at some positions, in the file's order; skips unused positions.
  package func resourceNames(at positions: Set<Int>) -> [String] {
    positions.filter(entries.indices.contains).sorted().map { entries[$0].name }
  }

  /// The largest number of names that are compared for an error message: a failing request must not read all names.
  static let maximumSuggestions = 1_000

  /// The message for a request to an unknown resource.
  package func unknownResourceMessage(_ name: String) -> String {
    let names = entries.lazy.filter(\.isServed).prefix(Self.maximumSuggestions).map(\.name)
    guard !names.isEmpty else { return "No resource is named '\(name)'; the database has none." }
    if let meant = Spelling.nearest(to: name, among: Array(names)) {
      return "No resource is named '\(name)'; did you mean '\(meant)'?"
    }
    let list = names.prefix(12).joined(separator: ", ") + (names.dropFirst(12).isEmpty ? "" : ", …")
    return "No resource is named '\(name)'; there are \(list)."
  }

  /// The id of a record as the record spells it: UUIDs are found without letter case, once the ids of a large collection have
  /// been read.
  package func storedID(_ id: String, in name: String) -> String {
    (try? collection(name))?.storedID(id, Patience(isShort: true)) ?? id
  }

  /// Whether a collection has a record with an id. O(1) after the first call for a collection.
  package func hasRecord(_ id: String, in name: String) -> Bool {
    (try? record(id, in: name)) != nil
  }

  /// The names of the members that a collection's first records have, in their order; at most 200.
  package func memberNames(of name: String) -> [String] {
    guard case .collection(let collection)? = resource(named: name) else { return [] }
    let names = collection.firstRecords(20).flatMap { ($0.members ?? []).map { ByteExactKey($0.name) } }
    return OrderedSet(names).prefix(200).map(\.string)
  }

  /// Returns a collection by name.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource` or `wrongKind`.
  func collection(_ name: String) throws(DatabaseError) -> RecordCollection {
    try collection(at: try position(of: name))
  }

  /// Returns the collection at a position.
  ///
  /// - Throws: ``DatabaseError`` with code `wrongKind`.
  func collection(at position: Int) throws(DatabaseError) -> RecordCollection {
    guard let collection = entries[position].collection else {
      throw DatabaseError(
        .wrongKind, "'\(entries[position].name)' is a single object, not a collection.")
    }
    return collection
  }

  /// Calls a closure with the collection at a position, to change it; does nothing for another resource.
  mutating func change(_ position: Int, _ body: (inout RecordCollection) -> Void) {
    // Taken out while it changes, so that only data that another version has is copied.
    guard var collection = entries[position].collection.take() else { return }
    collection.join(lineage)
    body(&collection)
    entries[position].collection = collection
  }

  /// Puts a row into a slot of a collection, or empties the slot.
  mutating func set(_ row: Row?, at slot: Int, of position: Int) {
    change(position) { $0.set(row, at: slot) }
  }

  /// Returns the text of a record.
  ///
  /// - Throws: ``DatabaseError`` with code `unknownResource`, `wrongKind` or `unknownRecord`.
  /// - Complexity: O(1) after the first call for a collection, which reads all its ids.
  package func record(_ id: String, in name: String) throws(DatabaseError) -> ValidJSON {
    guard let row = try collection(name).row(of: id, patience) else { throw unknownRecord(id, in: name) }
    return row.record
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

  /// All data as a tree, including members of the file that are not served. O(size of the data).
  package var value: JSONValue {
    .object(JSONObject(entries.map { ($0.name, $0.resource.value) }))
  }

  /// The file's text in this version.
  package var text: DatabaseText {
    DatabaseText(prefix: prefix, entries: entries, suffix: suffix)
  }
}
