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

  /// The paths of changes that an edit undoes: records and values that were written since the data was last loaded, and
  /// that the edit lacks or has in their old form.
  ///
  /// - Parameter base: The data that was last loaded, on which this version is based.
  /// - Complexity: O(rows / 64 + number of written records), or O(number of records) after replacing or renumbering
  ///   them.
  package func lostUpdates(by edited: Database, since base: Database) -> [String] {
    resourceNames(andOf: base).flatMap { name in
      // The ids of each version are read once: versions with very different rows would make each other read them again.
      let (first, current) = (Lookup(base.resource(named: name)), Lookup(resource(named: name)))
      let edit = Lookup(edited.resource(named: name))
      return changedIDs(in: name, since: base).filter { id in
        let (first, current, edit) = (first[id], current[id], edit[id])
        guard !Self.isSame(first, current) else { return false }
        return !Self.isSame(current, edit) && (edit == nil || Self.isSame(first, edit))
      }.map { id in "/\(name)" + (id.map { "/\($0.string)" } ?? "") }
    }.sorted()
  }

  /// The ids of the records that may differ from another version, and `nil` for a single value.
  private func changedIDs(in name: String, since base: Database) -> Set<ByteExactKey?> {
    let idName = schema.idName(of: name)
    func rows(of database: Database) -> PersistentRowVector {
      (try? database.collection(name))?.rows ?? PersistentRowVector()
    }
    let (before, now) = (rows(of: base), rows(of: self))
    let slots = now.differences(from: before, atMost: .max) ?? []
    let ids = slots.flatMap { [before[$0], now[$0]] }.compactMap { $0?.id(named: idName) }
    return Set(ids + [nil])
  }

  /// Whether two texts are equal apart from their layout.
  private static func isSame(_ left: ValidJSON?, _ right: ValidJSON?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.isSame(as: right) || left.slice == right.slice || compact(left) == compact(right)
  }

  private static func compact(_ value: ValidJSON) -> [UInt8] {
    var output: [UInt8] = []
    JSONFormatter(.compact).append(value, to: &output)
    return output
  }
}
