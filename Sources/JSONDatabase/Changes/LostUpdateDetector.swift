import OrderedJSON

/// What was written since a source was last read, to notice an edit of it that was made without having seen that data.
package struct LostUpdateDetector: Sendable {
  /// A record of a resource by its id, or the one value of a singular resource.
  private enum Place: Hashable, Sendable {
    case record(ByteExactKey)
    case value
  }

  /// The most places that are remembered; what is written beyond them is not distinguished.
  private static let maximumCount = 10_000

  /// What was in each place of each resource before it was first written; `nil` where nothing was.
  private var written: [ByteExactKey: [Place: ValidJSON?]] = [:]
  private var count = 0
  /// How often something was recorded, which tells whether what was found out by this is still so.
  package private(set) var revision = 0
  /// The resources before all were first replaced at once; those that were added by that are empty.
  private var replaced: [ByteExactKey: Resource] = [:]

  package init() {}

  /// Records changes whose responses have been sent. O(number of changes).
  ///
  /// - Parameter database: The database with these changes. It names the resources at their positions.
  package mutating func record(_ changes: UndoLog, in database: Database) {
    revision += 1
    var steps = changes.steps[...]
    while changes.replacesAll, let index = steps.firstIndex(where: { if case .replaceAll = $0 { true } else { false } })
    {
      guard case .replaceAll(let before, _) = steps[index] else { break }
      record(steps[..<index], in: before)
      noteReplacement(of: before, by: database)
      steps = steps[(index + 1)...]
    }
    record(steps, in: database)
  }

  private mutating func record(_ steps: ArraySlice<UndoLog.Step>, in database: Database) {
    // What was written after all was replaced is part of what replaced it.
    guard replaced.isEmpty else { return }
    for step in steps {
      guard count < Self.maximumCount else { return }
      switch step {
      case .append(let position, _, let row): record(row, before: nil, at: position, of: database)
      case .set(let position, _, let row): record(row, before: row.record, at: position, of: database)
      case .replace(let position, let before):
        guard database.entries.indices.contains(position) else { continue }
        record(.value, before: before, in: database.entries[position].name)
      case .replaceAll: break
      }
    }
  }

  private mutating func record(_ row: Row, before: ValidJSON?, at position: Int, of database: Database) {
    guard database.entries.indices.contains(position) else { return }
    let name = database.entries[position].name
    guard let id = row.id(named: database.schema.idName(of: name)) else { return }
    record(.record(id), before: before, in: name)
  }

  private mutating func record(_ place: Place, before: ValidJSON?, in resource: String) {
    guard count < Self.maximumCount, written[ByteExactKey(resource)]?[place] == nil else { return }
    written[ByteExactKey(resource), default: [:]][place] = .some(before)
    count += 1
  }

  private mutating func noteReplacement(of before: Database, by after: Database) {
    guard replaced.isEmpty else { return }
    for entry in after.entries { replaced[ByteExactKey(entry.name)] = .unserved(.null) }
    for entry in before.entries { replaced[ByteExactKey(entry.name)] = entry.resource }
  }

  /// Drops the record of what was written to a file that was read again.
  ///
  /// - Parameter resource: The file's resource; empty for the file of all.
  package mutating func forget(_ resource: String) {
    guard !resource.isEmpty else {
      self = LostUpdateDetector()
      return
    }
    count -= written.removeValue(forKey: ByteExactKey(resource))?.count ?? 0
    replaced.removeValue(forKey: ByteExactKey(resource))
  }

  /// The paths of what an edit undoes: of records and values that it lacks, or holds as they were before they were
  /// written.
  ///
  /// - Parameter current: The database that the edit replaces.
  /// - Complexity: O(number of what was written), or of all records once all were replaced.
  package func undone(by edited: Database, replacing current: Database) -> [String] {
    Set(written.keys).union(replaced.keys).flatMap { name in
      var before = replaced[name]
      var (now, then) = (edited.resource(named: name.string), current.resource(named: name.string))
      var places = Set((written[name] ?? [:]).keys)
      if let before { places.formUnion(Self.places(of: before) + (then.map(Self.places) ?? [])) }
      return places.filter { place in
        let first = written[name]?[place] ?? Self.text(at: place, of: &before)
        let (current, edited) = (Self.text(at: place, of: &then), Self.text(at: place, of: &now))
        return !Self.isSame(current, edited) && (edited == nil || Self.isSame(first, edited))
      }.map { Self.path(name.string, $0) }
    }.sorted()
  }

  private static func path(_ name: String, _ place: Place) -> String {
    switch place {
    case .record(let id): "/\(name)/\(id.string)"
    case .value: "/\(name)"
    }
  }

  private static func places(of resource: Resource) -> [Place] {
    switch resource {
    case .collection(let collection):
      var places: [Place] = []
      collection.rows.forEach { _, row in
        if let id = row.id(named: collection.idName) { places.append(.record(id)) }
        return true
      }
      return places
    case .singular: return [.value]
    case .unserved: return []
    }
  }

  private static func text(at place: Place, of resource: inout Resource?) -> ValidJSON? {
    switch (place, resource) {
    case (.record(let id), .collection(var collection)?):
      // The collection is moved out of the resource meanwhile, so that its index of ids is built once.
      resource = nil
      defer { resource = .collection(collection) }
      return collection.slot(of: id.string).flatMap { collection.rows[$0]?.record }
    case (.value, .singular(let text)?): return text
    default: return nil
    }
  }

  /// Whether two texts are the same but for their layout.
  private static func isSame(_ left: ValidJSON?, _ right: ValidJSON?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    if left.storage === right.storage, left.offset == right.offset, left.count == right.count { return true }
    return left.slice == right.slice || compact(left) == compact(right)
  }

  private static func compact(_ value: ValidJSON) -> [UInt8] {
    var output: [UInt8] = []
    JSONFormatter(.compact).append(value, to: &output)
    return output
  }
}
