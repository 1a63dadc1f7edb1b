import JSONDatabase
import JSONStorage

// What other servers write is not an edit that may have been made without having seen what was written here: it is the
// next version, and is taken over in place.

extension WriteCoordinator {
  /// Takes over what other servers have written, unless a commit is under way: that ends with the same changes.
  ///
  /// A large write that is under way begins again once nobody else can write: it would be overtaken, and no read would be
  /// served before it ended. One that waits for its commit is not taken back: when that has met others' changes, it has the
  /// turn.
  func takeForeignChanges(_ shared: any SharedPersistence, on engine: isolated Engine) {
    var overtaken: [Requester] = []
    if mayTakeForeignChanges, delayedEdits.contains(where: { $0.generation > shared.version }) {
      overtaken = abandonLargeWrite()
    }
    while mayTakeForeignChanges, largeWrite == nil, !delayedEdits.isEmpty {
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

  private var mayTakeForeignChanges: Bool {
    commits.inFlight == nil && !commits.open.isLarge && takeover == nil
  }

  /// Takes over what other servers have written, and carries out again what was not saved.
  func takeOver(_ source: LoadedSource, from shared: any SharedPersistence, on engine: isolated Engine) {
    let waiting = takeBackUnsavedRequests()
    switch source.content {
    case .rows(let rows, let base) where base <= shared.version: apply(rows, on: engine)
    // After a commit whose outcome is unknown, and in the place of another database, only the whole says what there is.
    case .rows:
      resume(waiting, on: engine)
      askAgain(shared, on: engine)
      return releaseUnusedTurn()
    case .whole(let other):
      if shared.version < 0 {
        // The numbers of its versions may begin anew.
        engine.sharedVersion = -1
        askAgain(shared, on: engine)
      }
      let names = database.resourceNames(andOf: other)
      adopt(other)
      engine.readAhead()
      engine.simulation.events.publishReload(of: names)
      engine.configuration.onEvent(.reloaded(resources: database.resourceNames))
    case .part: break
    }
    if let state = source.shared { engine.take(state) }
    if let signIn = engine.signIn { engine.forgetUsers(signIn) }
    shared.adopt(source)
    resume(waiting, on: engine)
    releaseReads(on: engine)
    releaseUnusedTurn()
  }

  /// Lets other servers write, unless a write of this one is about to be committed, or waits for the turn.
  func releaseUnusedTurn() {
    if let shared, !isChanging, !isTakingTurn { shared.releaseTurn() }
  }

  /// Whether a write of this server is under way, or is about to be committed.
  var isChanging: Bool { !commits.isIdle || largeWrite != nil || takeover != nil }

  private func apply(_ rows: [PlacedRow], on engine: isolated Engine) {
    guard !rows.isEmpty else { return }
    // Others may have written where the removed records were.
    deletions.removeAll()
    var positions: Set<Int> = []
    var applied: [AppliedRow] = []
    for row in rows {
      do throws(LoadError) {
        applied += try applySaved { database throws(LoadError) in try database.apply([row]) }
        positions.insert(row.resource)
      } catch {
        // A user of the database wrote what no client can; that record stays as it was, beside others' changes, and no
        // other takes its place.
        try? applySaved { database throws(LoadError) in database.reserve(row) }
        invalidSource = error.message
        engine.configuration.onEvent(.invalid(message: "The database holds what cannot be served: \(error.message)."))
      }
    }
    revisions.change(positions)
    if !hasLargeReads { hasLargeReads = positions.contains(where: database.isLarge) }
    engine.simulation.events.publish(applied)
  }
}

extension EventFeed {
  /// Publishes what other servers have changed; where that is much of a resource, that it has to be read again.
  fileprivate mutating func publish(_ applied: [AppliedRow]) {
    var counts: [String: Int] = [:]
    for row in applied { counts[row.resource, default: 0] += 1 }
    let reloaded = counts.filter { $0.value > Self.maximumChanges }
    for row in applied where reloaded[row.resource] == nil { publish(DataChange(row), resources: []) }
    publishReload(of: reloaded.keys.sorted())
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
