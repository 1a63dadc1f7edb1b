import JSONDatabase
import JSONStorage
import OrderedJSON

@testable import JSONServer

/// What a database in memory holds that several servers share.
struct SharedDatabaseState {
  /// The data as the first server found it, and as it is now.
  var start: Database?
  var whole: Database?
  var version: Int { changes.count }
  /// The places that each version changed; `nil` where everything was replaced.
  var changes: [[(resource: Int, slot: Int)]?] = []
  var rows: [[Int]: UTF8Slice] = [:]
  /// How often another database has taken the place of this one.
  var history = 0
  var failure: StorageError?
  var simulation = SharedSimulationFixture()
  /// How often a turn was taken before a commit.
  var turns = 0
  /// Whether a server has the turn, so that no other writes.
  var isTurnTaken = false
  /// Before how many commits another server writes.
  var conflicts = 0
  /// The commits that are under way, while they are kept from ending.
  var held: [@Sendable () -> Void]?
  /// How often it was asked which version is the newest.
  var checks = 0

  /// Makes a version.
  mutating func write(_ placed: [PlacedRow]) {
    changes.append(placed.map { ($0.resource, $0.slot) })
    for row in placed {
      rows[[row.resource, row.slot]] = row.text
      _ = try? whole?.apply([row])
    }
  }

  /// Makes a version of other data.
  mutating func replace(with database: Database) {
    changes.append(nil)
    whole = database
    for row in database.placedRows { rows[[row.resource, row.slot]] = row.text }
  }

  /// - Parameter base: A negative one for all data.
  func changes(since base: Int) -> LoadedSource {
    let state = simulation.version > base ? simulation.state(version: version) : nil
    let changed = changes[max(base, 0)...].compactMap(\.self)
    if base < 0 || changed.count < version - base, let whole {
      return LoadedSource(.whole(whole), generation: version, shared: simulation.state(version: version))
    }
    let places = Set(changed.joined().map { [$0.resource, $0.slot] })
    let placed = places.sorted { $0.lexicographicallyPrecedes($1) }.map { place in
      PlacedRow(resource: place[0], slot: place[1], text: rows[place])
    }
    return LoadedSource(.rows(placed, since: base), generation: version, shared: state)
  }
}
