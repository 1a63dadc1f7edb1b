import JSONStorage
import OrderedJSON

// Snapshots of a server are in its memory; those that servers share are in their database, which copies the data itself.

extension Engine {
  /// The snapshots, oldest first.
  func snapshots(_ completion: @escaping Completion<[Snapshots.Entry]>) {
    guard let shared = writes.shared else { return completion(self, .success(simulation.snapshots.entries)) }
    shared.snapshots { result in self.execute { completion($0, result.mapError(RequestError.init)) } }
  }

  /// Keeps the data as it is; passes on the snapshot's name.
  ///
  /// - Parameter name: It replaces a snapshot of the same name; `nil` for the next free one.
  func saveSnapshot(
    _ name: String?, _ completion: @escaping Completion<String>
  ) {
    guard let shared = writes.shared else {
      return completion(self, .success(simulation.snapshots.save(writes.database, named: name, at: System.now)))
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
  private func whenSaved(_ work: @escaping @Sendable (isolated Engine) -> Void) {
    let call = SwiftCall(
      perform: { engine, _ throws(RequestError) in engine.whenSaved(work) },
      completion: { _ in self.execute(work) })
    writes.respondWhenDurable(
      PendingResponse(requester: .code(call), response: .json([:])), showing: nil, on: self)
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
