import JSONServerValues

extension Database {
  /// The values of one version of a resource: records by id, and a single value under `nil`.
  private struct Lookup {
    private let resource: Resource?
    private let ids: IDHashTable?

    init(_ resource: Resource?) {
      self.resource = resource
      if case .collection(let collection)? = resource { ids = collection.ids(.endless) } else { ids = nil }
    }

    subscript(id: ByteExactKey?) -> ValidJSON? {
      switch (id, resource) {
      case (let id?, .collection(let collection)?): ids?.row(of: id.string, in: collection.rows)?.record
      case (nil, .singular(let text)?): text
      default: nil
      }
    }
  }

  /// The paths of HTTP writes since the last load that the edited file lacks or contradicts. Of records without an id, the
  /// path of the collection.
  ///
  /// The author of the edit may have seen such a change before changing the record again; nothing tells.
  ///
  /// - Parameter base: The data that was last loaded, on which this version is based.
  /// - Complexity: O(rows / 64 + number of written records), or O(number of records) after replacing or renumbering
  ///   them.
  package func lostUpdates(by edited: Database, since base: Database) -> [String] {
    resourceNames(andOf: base).flatMap { name in
      // The ids of each version are read once: versions with very different rows would make each other read them again.
      let (first, current) = (Lookup(base.resource(named: name)), Lookup(resource(named: name)))
      let edit = Lookup(edited.resource(named: name))
      let changed = changedRows(in: name, since: base)
      let ids = Set(changed.map { $0.id(named: schema.idName(of: name)) })
      // A single value has no id.
      let lost = ids.union([nil]).filter { !Self.isSame(first[$0], current[$0]) && !Self.isSame(current[$0], edit[$0]) }
      let isUnnamedLost = ids.contains(nil) && losesUnnamed(in: name, by: edited, since: base)
      return lost.map { id in "/\(name)" + (id.map { "/\($0.string)" } ?? "") } + (isUnnamedLost ? ["/\(name)"] : [])
    }.sorted()
  }

  /// The rows that may differ from another version, in both versions.
  private func changedRows(in name: String, since base: Database) -> [Row] {
    let (before, now) = (base.rows(of: name), rows(of: name))
    return (now.differences(from: before, atMost: .max) ?? []).flatMap { [before[$0], now[$0]] }.compactMap(\.self)
  }

  private func rows(of name: String) -> PersistentRowVector {
    (try? collection(name))?.rows ?? PersistentRowVector()
  }

  /// Whether an edit lacks a record without an id that was added, or has one that was removed. O(number of records).
  private func losesUnnamed(in name: String, by edited: Database, since base: Database) -> Bool {
    func values(_ database: Database) -> Set<JSONValue> {
      var values: Set<JSONValue> = []
      database.rows(of: name).forEach { _, row in
        if row.id(named: schema.idName(of: name)) == nil { values.insert(JSONValue(row.record)) }
      }
      return values
    }
    let (first, current, edit) = (values(base), values(self), values(edited))
    return !current.subtracting(first).isSubset(of: edit) || !first.subtracting(current).isDisjoint(with: edit)
  }

  /// Whether two texts mean the same.
  private static func isSame(_ left: ValidJSON?, _ right: ValidJSON?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.isSame(as: right) || left.slice == right.slice || JSONValue(left) == JSONValue(right)
  }
}
