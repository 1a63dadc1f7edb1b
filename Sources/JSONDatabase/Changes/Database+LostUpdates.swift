import JSONServerValues

extension Database {
  /// A record by its id, or a single resource.
  private enum Place: Hashable {
    case record(ByteExactKey)
    case value
  }

  /// The values of one version of a resource by place.
  private struct Lookup {
    private let resource: Resource?
    private let ids: IDHashTable?

    init(_ resource: Resource?) {
      self.resource = resource
      if case .collection(let collection)? = resource { ids = collection.ids(.endless) } else { ids = nil }
    }

    subscript(place: Place) -> ValidJSON? {
      switch (place, resource) {
      case (.record(let id), .collection(let collection)?): ids?.row(of: id.string, in: collection.rows)?.record
      case (.value, .singular(let text)?): text
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
      let (before, now) = (base.resource(named: name), resource(named: name))
      // The ids of each version are read once: versions with very different rows would make each other read them again.
      let (first, current) = (Lookup(before), Lookup(now))
      let edit = Lookup(edited.resource(named: name))
      return Self.places(before, now).filter { place in
        let (first, current, edit) = (first[place], current[place], edit[place])
        guard !Self.isSame(first, current) else { return false }
        return !Self.isSame(current, edit) && (edit == nil || Self.isSame(first, edit))
      }.map { Self.path(name, $0) }
    }.sorted()
  }

  private static func path(_ name: String, _ place: Place) -> String {
    switch place {
    case .record(let id): "/\(name)/\(id.string)"
    case .value: "/\(name)"
    }
  }

  /// The places where two versions of a resource may differ.
  private static func places(_ before: Resource?, _ now: Resource?) -> Set<Place> {
    guard case .collection(let before)? = before, case .collection(let now)? = now else {
      return Set([before, now].flatMap(places))
    }
    var places: Set<Place> = []
    for slot in now.rows.differences(from: before.rows, atMost: .max) ?? [] {
      for id in [now.rows[slot]?.id(named: now.idName), before.rows[slot]?.id(named: before.idName)] {
        if let id { places.insert(.record(id)) }
      }
    }
    return places
  }

  private static func places(of resource: Resource?) -> [Place] {
    switch resource {
    case .collection(let collection):
      var places: [Place] = []
      collection.rows.forEach { _, row in
        if let id = row.id(named: collection.idName) { places.append(.record(id)) }
        return true
      }
      return places
    case .singular: return [.value]
    case .unserved, nil: return []
    }
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
