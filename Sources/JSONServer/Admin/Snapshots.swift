import JSONDatabase
import JSONStorage
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

// Snapshots of a server are in its memory; those that servers share are in their database, which copies the data itself.

extension Engine {
  /// The snapshots, oldest first.
  func snapshots(_ completion: @escaping Completion<[Snapshots.Entry]>) {
    guard let shared = writes.shared else { return completion(self, .success(simulation.snapshots.entries)) }
    shared.snapshots { result in self.execute { completion($0, result.mapError(RequestError.init)) } }
  }

  /// Keeps the data as it is, once that is saved; passes on the snapshot's name.
  ///
  /// What is taken back meanwhile is in no snapshot: it is begun again then.
  ///
  /// - Parameter name: It replaces a snapshot of the same name; `nil` for the next free one.
  func saveSnapshot(
    _ name: String?, _ completion: @escaping Completion<String>
  ) {
    guard let shared = writes.shared else {
      let version = writes.database
      return whenSaved { engine in
        completion(engine, .success(engine.simulation.snapshots.save(version, named: name, at: System.now)))
      } orElse: { engine in
        engine.saveSnapshot(name, completion)
      }
    }
    whenSaved { engine in
      shared.saveSnapshot(named: name) { result in
        engine.execute { completion($0, result.mapError(RequestError.init)) }
      }
    }
  }

  /// Removes a snapshot; passes on whether it was there.
  func deleteSnapshot(
    _ name: String, _ completion: @escaping Completion<Bool>
  ) {
    guard let shared = writes.shared else { return completion(self, .success(simulation.snapshots.remove(name))) }
    shared.removeSnapshot(name) { result in self.execute { completion($0, result.mapError(RequestError.init)) } }
  }

  /// Brings the data that servers share back to a snapshot, and responds once it is so here.
  ///
  /// - Parameter name: `nil` for what a reset goes back to.
  /// - Throws: 403, when that is not allowed.
  func restore(
    _ name: String?, in shared: any SharedPersistence, for requester: Requester, _ response: PreparedResponse
  ) throws(RequestError) {
    try allowWriting("replacing all data")
    whenSaved { engine in
      shared.restoreSnapshot(named: name) { result in
        engine.execute { engine in
          switch result {
          case .success(true):
            // It is carried out, even if the database cannot be asked any more.
            engine.writes.whenCurrent(on: engine) { engine, _ in engine.respond(to: requester, with: response) }
          case .success(false): engine.refuse(requester, because: name.map(Self.unknownSnapshot) ?? Self.noInitial)
          case .failure(let error): engine.refuse(requester, because: RequestError(error))
          }
        }
      }
    }
  }

  private static var noInitial: RequestError {
    RequestError(
      .conflict, "The database was empty when servers started; a reset goes back to what the next one finds.")
  }

  /// Does work when what was written before it is saved, and can be seen by whoever asks the database.
  ///
  /// - Parameter other: What is done instead when that was taken back; `nil` for the same, again when all is saved.
  private func whenSaved(
    _ work: @escaping @Sendable (isolated Engine) -> Void, orElse other: (@Sendable (isolated Engine) -> Void)? = nil
  ) {
    let call = SwiftCall(
      perform: { engine, _ throws(RequestError) in
        if let other { other(engine) } else { engine.whenSaved(work) }
      },
      completion: { _ in self.execute(work) })
    writes.respondWhenSaved(PendingResponse(requester: .code(call), response: .json([:])), on: self)
  }

  /// Responds with what came of something, or with the reason why nothing did.
  func finalize<Success>(
    _ context: RequestContext, _ result: Result<Success, RequestError>, _ response: (Success) -> PreparedResponse
  ) {
    switch result {
    case .success(let success): finalize(context, response(success))
    case .failure(let error): finalize(context, error.response())
    }
  }
}
