import JSONDatabase
import JSONServerValues
import JSONStorage

/// The named snapshots of the data: in memory, or in the database that servers share, which copies the data itself.
///
/// They belong to one engine.
final class Snapshots {
  /// The snapshots in memory, oldest first.
  private var kept: [(entry: SnapshotEntry, database: Database)] = []
  private var lastNumber = 0

  private subscript(name: String) -> Database? { kept.first { $0.entry.name == name }?.database }

  /// Adds a new resource to the snapshots without it.
  func add(_ part: DatabasePart) {
    for index in kept.indices { kept[index].database.add(part) }
  }

  /// Passes on the snapshots, oldest first.
  func list(on engine: isolated Engine, _ completion: @escaping Engine.Completion<[SnapshotEntry]>) {
    guard let shared = engine.writes.shared else { return completion(engine, .success(kept.map(\.entry))) }
    shared.snapshots(.list) { result in engine.execute { completion($0, result.mapError(RequestError.init)) } }
  }

  /// Saves a snapshot of the data, once the data is saved; passes on the snapshot's name.
  ///
  /// When a write is rolled back before that, the snapshot is taken again.
  ///
  /// - Parameter name: The name, which replaces an older snapshot; `nil` for the next free `snapshot-1`, `snapshot-2`,
  ///   ….
  func save(_ name: String?, on engine: isolated Engine, _ completion: @escaping Engine.Completion<String>) {
    guard let shared = engine.writes.shared else {
      let version = engine.database
      return whenSaved(on: engine) { engine in
        completion(engine, .success(engine.snapshots.keep(version, named: name)))
      } orElse: { engine in
        engine.snapshots.save(name, on: engine, completion)
      }
    }
    whenSaved(on: engine) { engine in
      shared.snapshots(.save(name)) { result in
        engine.execute { completion($0, result.map { $0.first?.name ?? "" }.mapError(RequestError.init)) }
      }
    }
  }

  private func keep(_ version: Database, named name: String?) -> String {
    let name = name ?? freeName()
    kept.removeAll { $0.entry.name == name }
    kept.append((SnapshotEntry(name: name, time: System.now), version))
    return name
  }

  private func freeName() -> String {
    repeat { lastNumber += 1 } while self["snapshot-\(lastNumber)"] != nil
    return "snapshot-\(lastNumber)"
  }

  /// Restores a snapshot, and responds when the data is saved, and visible here, where servers share it.
  ///
  /// - Parameter name: `nil` for the data that was last loaded from the source, at the start or after an edit.
  /// - Throws: 404 for an unknown name; 403, 409 or 503 when the change is refused; nothing is changed then.
  func restore(_ name: String?, for requester: Requester, on engine: isolated Engine) throws(RequestError) {
    let response = PreparedResponse.json(name.map { ["restored": .string($0)] } ?? ["reset": true])
    guard let shared = engine.writes.shared else {
      let version = if let name { self[name] } else { engine.writes.initial }
      guard let version else { throw Self.unknown(name) }
      return try engine.writes.replaceAll(with: version, for: requester, response, on: engine)
    }
    try engine.allowWriting("replacing all data")
    whenSaved(on: engine) { engine in
      shared.snapshots(.restore(name)) { result in
        engine.execute { engine in
          switch result {
          case .success(let restored) where !restored.isEmpty:
            // The change is carried out, even if the database cannot be reached any more.
            engine.writes.whenCurrent(on: engine) { engine, _ in engine.respond(to: requester, with: response) }
          case .success: engine.refuse(requester, because: Self.unknown(name))
          case .failure(let error): engine.refuse(requester, because: RequestError(error))
          }
        }
      }
    }
  }

  /// The error of an unknown name; `nil` stands for the data of a reset.
  static func unknown(_ name: String?) -> RequestError {
    guard let name else {
      return RequestError(
        .conflict, "The database was empty when servers started; a reset goes back to what the next one finds.")
    }
    return RequestError(.notFound, "There is no snapshot '\(name)'; save one under this name first.")
  }

  /// Removes a snapshot; passes on whether it existed.
  func remove(_ name: String, on engine: isolated Engine, _ completion: @escaping Engine.Completion<Bool>) {
    guard let shared = engine.writes.shared else {
      let count = kept.count
      kept.removeAll { $0.entry.name == name }
      return completion(engine, .success(kept.count < count))
    }
    shared.snapshots(.remove(name)) { result in
      engine.execute { completion($0, result.map { !$0.isEmpty }.mapError(RequestError.init)) }
    }
  }

  /// Does work when all earlier writes are saved and visible in the database.
  ///
  /// - Parameter other: The work when a write was rolled back; `nil` for the same work, after the next save.
  private func whenSaved(
    on engine: isolated Engine, _ work: @escaping @Sendable (isolated Engine) -> Void,
    orElse other: (@Sendable (isolated Engine) -> Void)? = nil
  ) {
    let call = SwiftCall(
      perform: { engine, _ throws(RequestError) in
        if let other { other(engine) } else { engine.snapshots.whenSaved(on: engine, work) }
      },
      completion: { _ in engine.execute(work) })
    engine.writes.respondWhenSaved(PendingResponse(requester: .code(call), response: .json([:])), on: engine)
  }
}
