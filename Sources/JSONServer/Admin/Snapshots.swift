import JSONDatabase
import JSONServerValues
import JSONStorage

/// The way to list, save, restore and remove the named snapshots of the data.
protocol Snapshots: Sendable {
  /// Passes on the snapshots, oldest first.
  func list(on engine: isolated Engine, _ completion: @escaping Engine.Completion<[SnapshotEntry]>)

  /// Saves a snapshot of the data, once the data is saved; passes on the snapshot's name.
  ///
  /// - Parameter name: The name, which replaces an older snapshot; `nil` for the next free `snapshot-1`, `snapshot-2`,
  ///   ….
  func save(_ name: String?, on engine: isolated Engine, _ completion: @escaping Engine.Completion<String>)

  /// Restores a snapshot, and responds when the data is saved and visible.
  ///
  /// - Parameter name: `nil` for the data that was last loaded from the source, at the start or after an edit.
  /// - Throws: 404 for an unknown name; 403, 409 or 503 when the change is refused; nothing is changed then.
  func restore(_ name: String?, for requester: Requester, on engine: isolated Engine) throws(RequestError)

  /// Removes a snapshot; passes on whether it existed.
  func remove(_ name: String, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Bool>)
}

extension Snapshots {
  fileprivate static func response(restoring name: String?) -> PreparedResponse {
    PreparedResponse.json(name.map { ["restored": .string($0)] } ?? ["reset": true])
  }
}

extension RequestError {
  /// Creates the error of an unknown snapshot; `nil` stands for the data of a reset.
  static func unknownSnapshot(_ name: String?) -> RequestError {
    guard let name else {
      return RequestError(
        .conflict, "The database was empty when servers started; a reset goes back to what the next one finds.")
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

  mutating func keep(_ version: Database, named name: String?) -> String {
    let name = name ?? freeName()
    _ = remove(name)
    all.append((SnapshotEntry(name: name, time: System.now), version))
    return name
  }

  private mutating func freeName() -> String {
    repeat { lastNumber += 1 } while self["snapshot-\(lastNumber)"] != nil
    return "snapshot-\(lastNumber)"
  }

  mutating func remove(_ name: String) -> Bool {
    let count = all.count
    all.removeAll { $0.entry.name == name }
    return all.count < count
  }

  /// Adds a new resource to the snapshots without it.
  mutating func add(_ part: DatabasePart) {
    for index in all.indices { all[index].database.add(part) }
  }
}

/// Snapshots in memory.
struct MemorySnapshots: Snapshots {
  func list(on engine: isolated Engine, _ completion: @escaping Engine.Completion<[SnapshotEntry]>) {
    completion(engine, .success(engine.keptSnapshots.entries))
  }

  /// When a write is rolled back before the data is saved, the snapshot is taken again.
  func save(_ name: String?, on engine: isolated Engine, _ completion: @escaping Engine.Completion<String>) {
    let version = engine.database
    engine.writes.whenSaved(on: engine) { engine in
      completion(engine, .success(engine.keptSnapshots.keep(version, named: name)))
    } orElse: { engine in
      save(name, on: engine, completion)
    }
  }

  func restore(_ name: String?, for requester: Requester, on engine: isolated Engine) throws(RequestError) {
    let version = if let name { engine.keptSnapshots[name] } else { engine.writes.initial }
    guard let version else { throw .unknownSnapshot(name) }
    try engine.writes.replaceAll(with: version, for: requester, Self.response(restoring: name), on: engine)
  }

  func remove(_ name: String, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Bool>) {
    completion(engine, .success(engine.keptSnapshots.remove(name)))
  }
}

/// Snapshots in the database that servers share, which copies the data itself.
struct StoredSnapshots: Snapshots {
  let store: any SnapshotStore

  func list(on engine: isolated Engine, _ completion: @escaping Engine.Completion<[SnapshotEntry]>) {
    perform(.list, on: engine, completion)
  }

  func save(_ name: String?, on engine: isolated Engine, _ completion: @escaping Engine.Completion<String>) {
    engine.writes.whenSaved(on: engine) { engine in
      perform(.save(name), on: engine) { completion($0, $1.map { $0.first?.name ?? "" }) }
    }
  }

  func restore(_ name: String?, for requester: Requester, on engine: isolated Engine) throws(RequestError) {
    try engine.allowWriting("replacing all data")
    let response = Self.response(restoring: name)
    engine.writes.whenSaved(on: engine) { engine in
      perform(.restore(name), on: engine) { engine, result in
        switch result {
        case .success(let restored) where !restored.isEmpty:
          // The change is carried out, even if the database cannot be reached any more.
          engine.writes.whenCurrent(on: engine) { engine, _ in engine.respond(to: requester, with: response) }
        case .success: engine.refuse(requester, because: .unknownSnapshot(name))
        case .failure(let error): engine.refuse(requester, because: error)
        }
      }
    }
  }

  func remove(_ name: String, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Bool>) {
    perform(.remove(name), on: engine) { completion($0, $1.map { !$0.isEmpty }) }
  }

  private func perform(
    _ action: SnapshotAction, on engine: isolated Engine, _ completion: @escaping Engine.Completion<[SnapshotEntry]>
  ) {
    store.snapshots(action) { result in engine.execute { completion($0, result.mapError(RequestError.init)) } }
  }
}

extension WriteCoordinator {
  /// Does work when all earlier writes are saved and visible in the database.
  ///
  /// - Parameter other: The work when a write was rolled back; `nil` for the same work, after the next save.
  fileprivate func whenSaved(
    on engine: isolated Engine, _ work: @escaping @Sendable (isolated Engine) -> Void,
    orElse other: (@Sendable (isolated Engine) -> Void)? = nil
  ) {
    let call = SwiftCall(
      perform: { engine, _ throws(RequestError) in
        if let other { other(engine) } else { engine.writes.whenSaved(on: engine, work) }
      },
      completion: { _ in engine.execute(work) })
    respondWhenSaved(PendingResponse(requester: .code(call), response: .json([:])), on: engine)
  }
}
