package import JSONServerValues

/// One version of the resources of one file, in memory.
///
/// A value without files, clock, threads or HTTP. A record is the text from which it was read. Any thread may read a
/// version, and a change makes another one that shares all rows but those that it is about: a copy is cheap, and taking
/// a change back is to forget the version.
package struct Database: Sendable {
  /// The properties that stay the same while no resource comes or goes.
  private final class Outline: Sendable {
    let schema: Schema
    let prefix: UTF8Slice
    let suffix: UTF8Slice
    let positions: [ByteExactKey: Int]
    /// The first position of a served name in lower case.
    let foldedPositions: [String: Int]

    init(schema: Schema, prefix: UTF8Slice, entries: [ResourceEntry], suffix: UTF8Slice) {
      self.schema = schema
      self.prefix = prefix
      self.suffix = suffix
      positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { (ByteExactKey($1.name), $0) })
      let served = entries.enumerated().filter { $0.element.isServed }
      foldedPositions = Dictionary(served.map { ($1.name.lowercased(), $0) }) { first, _ in first }
    }
  }

  private let outline: Outline
  var entries: [ResourceEntry]
  /// Whose changes they are: the versions of one owner share their indexes.
  private(set) var lineage: Lineage
  /// How long reading may take.
  package var patience = Patience.endless

  init(
    schema: Schema, prefix: UTF8Slice, entries: [ResourceEntry], suffix: UTF8Slice, lineage: Lineage = Lineage()
  ) {
    outline = Outline(schema: schema, prefix: prefix, entries: entries, suffix: suffix)
    self.entries = entries
    self.lineage = lineage
  }

  /// The names by which records are identified and related.
  package var schema: Schema { outline.schema }
  var prefix: UTF8Slice { outline.prefix }
  var suffix: UTF8Slice { outline.suffix }
  var positions: [ByteExactKey: Int] { outline.positions }

  /// The same version for another owner, whose changes are not those of this one's.
  ///
  /// The indexes of a collection are shared until the other owner changes it.
  package func forked() -> Database {
    var fork = self
    fork.lineage = Lineage()
    return fork
  }

  /// The same version, which shares no indexes with others: for one that is kept while others go on.
  ///
  /// - Complexity: O(number of resources).
  package func separated() -> Database {
    var copy = forked()
    for index in copy.entries.indices {
      copy.entries[index].collection = copy.entries[index].collection?.separated(for: copy.lineage)
    }
    return copy
  }

  /// Takes other resources, in the same text.
  mutating func replaceEntries(by entries: [ResourceEntry]) {
    restore(from: Database(schema: schema, prefix: prefix, entries: entries, suffix: suffix))
  }

  /// Replaces everything with what another database of the same schema holds.
  package mutating func restore(from other: Database) {
    let (lineage, patience) = (lineage, patience)
    self = other
    self.lineage = lineage
    self.patience = patience
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
  package func hasRecord(_ id: String, in name: String) -> Bool {
    (try? record(id, in: name)) != nil
  }

  /// The names of the members that a collection's first records have, in their order.
  package func memberNames(of name: String) -> [String] {
    guard case .collection(let collection)? = resource(named: name) else { return [] }
    return collection.memberNames(inFirst: 20)
  }

  /// Returns the collection of a name.
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

  /// Passes a closure the collection at a position to change; does nothing at the position of another resource.
  mutating func change(_ position: Int, _ body: (inout RecordCollection) -> Void) {
    // Taken out while it changes, so that the change copies nothing that no other version has.
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
    guard let row = try collection(name).row(of: id, patience) else { throw Self.unknownRecord(id, in: name) }
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
