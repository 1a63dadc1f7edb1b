import JSONDatabase
import OrderedJSON

/// The versions of a database that are kept by name.
struct Snapshots {
  struct Snapshot {
    let name: String
    /// When it was kept, in seconds since 1970.
    let time: Double
    var database: Database
  }

  /// A snapshot as it is listed.
  struct Entry: Sendable {
    let name: String
    /// When it was kept, in seconds since 1970.
    let time: Double

    var value: JSONValue { ["name": .string(name), "time": .string(Timestamp(secondsSince1970: time).rfc3339)] }
  }

  /// The snapshots as they are listed, oldest first.
  var entries: [Entry] { all.map { Entry(name: $0.name, time: $0.time) } }

  /// Oldest first.
  private(set) var all: [Snapshot] = []
  private var lastNumber = 0

  subscript(name: String) -> Snapshot? {
    all.first { $0.name == name }
  }

  /// Keeps a version; it replaces one of the same name.
  ///
  /// - Parameter name: The name; `nil` for the next free `snapshot-1`, `snapshot-2`, ….
  /// - Returns: The name.
  mutating func save(_ database: Database, named name: String?, at time: Double) -> String {
    let name = name ?? freeName()
    all.removeAll { $0.name == name }
    all.append(Snapshot(name: name, time: time, database: database))
    return name
  }

  /// Adds a new resource to the versions that lack it.
  mutating func add(_ part: DatabasePart) {
    for index in all.indices { all[index].database.add(part) }
  }

  /// Removes a version, and returns whether it was there.
  mutating func remove(_ name: String) -> Bool {
    guard let index = all.firstIndex(where: { $0.name == name }) else { return false }
    all.remove(at: index)
    return true
  }

  private mutating func freeName() -> String {
    repeat { lastNumber += 1 } while self["snapshot-\(lastNumber)"] != nil
    return "snapshot-\(lastNumber)"
  }
}
