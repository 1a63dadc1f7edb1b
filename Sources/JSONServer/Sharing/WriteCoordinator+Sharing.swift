import JSONDatabase
import JSONStorage

// What other servers write is not an edit that may have been made without having seen what was written here: it is the
// next version, and is taken over in place.

extension WriteCoordinator {
  /// Takes over what other servers have written, unless a commit is under way: that ends with the same changes.
  ///
  /// A large write that is under way begins again once nobody else can write: it would be overtaken, and no read would be
  /// served before it ended.
  func takeForeignChanges(_ shared: any SharedPersistence, on engine: isolated Engine) {
    var overtaken: [Requester] = []
    if commits.inFlight == nil, takeover == nil, delayedEdits.contains(where: { $0.generation > shared.version }) {
      overtaken = abandonLargeWrite()
    }
    while commits.inFlight == nil, takeover == nil, largeWrite == nil, !delayedEdits.isEmpty {
      let source = delayedEdits.removeFirst()
      if source.generation > shared.version { takeOver(source, from: shared, on: engine) }
    }
    releaseReads(on: engine)
    guard !overtaken.isEmpty else { return }
    turns.recordConflict()
    whenInTurn(on: engine) { [overtaken] engine, failure in
      for requester in overtaken {
        if let failure {
          engine.refuse(requester, because: RequestError(failure))
        } else {
          engine.perform(requester)
        }
      }
    }
  }

  /// Takes over what other servers have written, and carries out again what was not saved.
  func takeOver(_ source: LoadedSource, from shared: any SharedPersistence, on engine: isolated Engine) {
    let waiting = takeBackUnsavedRequests()
    if let state = source.shared { engine.take(state) }
    switch source.content {
    case .rows(let rows, let base) where base <= shared.version: apply(rows, on: engine)
    // After a commit whose outcome is unknown, only the whole says what there is.
    case .rows:
      resume(waiting, on: engine)
      return releaseUnusedTurn()
    case .whole(let other):
      let names = database.resourceNames(andOf: other)
      deletions.removeAll()
      database = other
      revisions.changeAll()
      hasLargeReads = !other.isSmall
      engine.readAhead()
      engine.simulation.events.publishReload(of: names)
      engine.configuration.onEvent(.reloaded(resources: database.resourceNames))
    case .part: break
    }
    if let signIn = engine.signIn { engine.forgetUsers(signIn) }
    shared.adopt(source)
    resume(waiting, on: engine)
    releaseReads(on: engine)
    releaseUnusedTurn()
  }

  /// Lets other servers write, unless a write of this one is about to be committed, or waits for the turn.
  func releaseUnusedTurn() {
    if let shared, commits.isIdle, largeWrite == nil, !isTakingTurn { shared.releaseTurn() }
  }

  private func apply(_ rows: [PlacedRow], on engine: isolated Engine) {
    guard !rows.isEmpty else { return }
    // Others may have written where the removed records were.
    deletions.removeAll()
    var positions: Set<Int> = []
    for row in rows {
      do throws(LoadError) {
        let changes = try database.apply([row])
        positions.insert(row.resource)
        for applied in changes { engine.simulation.events.publish(DataChange(applied), resources: []) }
      } catch {
        // A user of the database wrote what no client can; that record stays as it was, beside others' changes.
        invalidSource = error.message
        engine.configuration.onEvent(.invalid(message: "The database holds what cannot be served: \(error.message)."))
      }
    }
    revisions.change(positions)
    if !hasLargeReads { hasLargeReads = positions.contains(where: database.isLarge) }
  }
}

extension DataChange {
  /// What another server has changed.
  fileprivate init(_ applied: AppliedRow) {
    switch (applied.id, applied.record) {
    case (_, let record?):
      self = applied.wasThere ? .updated(applied.resource, record) : .created(applied.resource, record)
    case (let id?, nil): self = .deleted(applied.resource, id: id, dependents: [:])
    case (nil, nil): self = .reloaded(applied.resource)
    }
  }
}
