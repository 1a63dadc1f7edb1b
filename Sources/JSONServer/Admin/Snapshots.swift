import JSONDatabase
import JSONServerValues
import JSONStorage

/// The named snapshots of the data: in memory, or in the database that servers share, which copies the data itself.
struct Snapshots {
  /// The database; `nil` for snapshots in memory.
  let store: (any SnapshotStore)?

  /// Passes on the snapshots, oldest first.
  func list(on engine: isolated Engine, _ completion: @escaping Engine.Completion<[SnapshotEntry]>) {
    perform(.list, on: engine, inMemory: \.entries, completion)
  }

  /// Saves a snapshot of the data, once the data is saved; passes on the snapshot's name.
  ///
  /// - Parameter name: The name, which replaces an older snapshot; `nil` for the next free `snapshot-1`, `snapshot-2`,
  ///   ….
  func save(_ name: String?, on engine: isolated Engine, _ completion: @escaping Engine.Completion<String>) {
    let version = engine.database
    engine.writes.whenSaved(on: engine) { engine in
      perform(.save(name), on: engine) {
        [$0.keep(version, named: name)]
      } _: {
        completion($0, $1.map { $0.first?.name ?? "" })
      }
    } orElse: {
      save(name, on: $0, completion)
    }
  }

  /// Restores a snapshot, and responds when the data is saved and visible. After a reset, stubs begin with their first
  /// response again.
  ///
  /// - Parameter name: `nil` for the data that was last loaded from the source, at the start or after an edit.
  /// - Throws: 404 for an unknown name; 403, 409 or 503 when the change is refused; nothing is changed then.
  func restore(_ name: String?, for requester: Requester, on engine: isolated Engine) throws(RequestError) {
    let response = PreparedResponse.json(name.map { ["restored": .string($0)] } ?? ["reset": true])
    let requester = name == nil ? requester.afterSuccess { $0.rules.beginSequences(on: $0, then: $1) } : requester
    if let store {
      try engine.allowWriting("replacing all data")
      return engine.writes.whenSaved(on: engine) { engine in
        store.snapshots(.restore(name)) { result in
          engine.execute { engine in
            switch result {
            case .success(let restored) where !restored.isEmpty:
              // The change is carried out, even if the database cannot be reached any more.
              engine.writes.readIndex.whenCurrent(on: engine) { engine, _ in
                engine.repetitions.forget(on: engine) { requester.completion($0, .success(response)) }
              }
            case .success: requester.completion(engine, .failure(.unknownSnapshot(name)))
            case .failure(let error): requester.completion(engine, .failure(RequestError(error)))
            }
          }
        }
      } orElse: {
        requester.resume(on: $0)
      }
    }
    let version = if let name { engine.keptSnapshots[name] } else { engine.writes.initial }
    guard let version else { throw .unknownSnapshot(name) }
    try engine.writes.replaceAll(with: version, for: requester, response, on: engine)
  }

  /// Removes a snapshot; passes on whether it existed.
  func remove(_ name: String, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Bool>) {
    perform(.remove(name), on: engine) {
      $0.remove(name)
    } _: {
      completion($0, $1.map { !$0.isEmpty })
    }
  }

  /// Passes on the snapshots of an action.
  ///
  /// - Parameter inMemory: The action on snapshots in memory.
  private func perform(
    _ action: SnapshotAction, on engine: isolated Engine, inMemory: (inout KeptSnapshots) -> [SnapshotEntry],
    _ completion: @escaping Engine.Completion<[SnapshotEntry]>
  ) {
    guard let store else { return completion(engine, .success(inMemory(&engine.keptSnapshots))) }
    store.snapshots(action) { result in engine.execute { completion($0, result.mapError(RequestError.init)) } }
  }
}

extension RequestError {
  /// Creates the error of an unknown snapshot; `nil` stands for the data of a reset.
  static func unknownSnapshot(_ name: String?) -> RequestError {
    guard let name else {
      return RequestError(
        .conflict,
        "There is no data to restore: the database was empty at the start. The next server to start sets it.")
    }
    return RequestError(.notFound, "There is no snapshot '\(name)'; save one under this name first.")
  }
}

/// The snapshots that an engine has in memory.
struct KeptSnapshots {
  /// The snapshots, oldest first.
  private var all: [(entry: SnapshotEntry, database: Database)] = []
  private var lastNumber = 0

  var entries: [SnapshotEntry] { all.map(\.entry) }

  subscript(name: String) -> Database? { all.first { $0.entry.name == name }?.database }

  /// Keeps a version as a snapshot, which replaces an older one of the same name.
  mutating func keep(_ version: Database, named name: String?) -> SnapshotEntry {
    let entry = SnapshotEntry(name: name ?? freeName(), time: System.now)
    _ = remove(entry.name)
    all.append((entry, version))
    return entry
  }

  private mutating func freeName() -> String {
    repeat { lastNumber += 1 } while self["snapshot-\(lastNumber)"] != nil
    return "snapshot-\(lastNumber)"
  }

  /// Removes a snapshot, and returns it in an array; an empty array when there is no such snapshot.
  mutating func remove(_ name: String) -> [SnapshotEntry] {
    let removed = entries.filter { $0.name == name }
    all.removeAll { $0.entry.name == name }
    return removed
  }

  /// Adds a new resource to the snapshots without it.
  mutating func add(_ part: DatabasePart) {
    for index in all.indices { all[index].database.add(part) }
  }
}

extension StrictObject {
  /// The name of a snapshot to save; `nil` for none.
  func snapshotName() throws(RequestError) -> String? {
    try allow(only: ["name"])
    let name = try string("name")
    guard name.map({ !["", ".", ".."].contains($0) && !$0.contains("/") }) ?? true else {
      throw wrong("name", "a name without slashes that is neither '.' nor '..'")
    }
    return name
  }
}
