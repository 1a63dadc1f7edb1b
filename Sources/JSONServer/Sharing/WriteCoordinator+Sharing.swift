import JSONDatabase
import JSONServerValues
import JSONStorage

// What other servers write is not an edit that may have been made without having seen what was written here: it is the
// next version, and is taken over in place.

extension WriteCoordinator {
  /// Takes over what other servers have written, unless a commit is under way: that ends with the same changes.
  ///
  /// A large write that is under way begins again once nobody else can write: it would be overtaken, and no read would be
  /// served before it ended. One that waits for its commit is not taken back: when that has met others' changes, it has the
  /// turn.
  func takeForeignChanges(_ shared: any SharedStore, on engine: isolated Engine) {
    var overtaken: [Requester] = []
    if mayTakeForeignChanges, delayedEdits.contains(where: { $0.generation > shared.version }) {
      overtaken = abandonLargeWrite()
    }
    while mayTakeForeignChanges, largeWrite == nil, !delayedEdits.isEmpty {
      let source = delayedEdits.removeFirst()
      if source.generation > shared.version { takeOver(source, from: shared, on: engine) }
    }
    releaseReads(on: engine)
    for requester in overtaken {
      let pending = PendingResponse(requester: requester, response: .json([:]), awaitsTurn: true)
      if commits.add(pending, changing: []) { startCommitSoon(on: engine) }
    }
  }

  private var mayTakeForeignChanges: Bool {
    commits.inFlight == nil && !commits.open.isLarge && takeover == nil
  }

  /// Takes over what other servers have written, and carries out again what was not saved.
  func takeOver(_ source: LoadedSource, from shared: any SharedStore, on engine: isolated Engine) {
    let waiting = takeBackUnsavedRequests(on: engine)
    let base = database
    switch source.content {
    case .newer(let newer, let since) where since <= shared.version:
      let positions = newer.changedPositions(since: base)
      // Others may have written where the removed records were.
      if !positions.isEmpty || source.problem != nil { adopt(newer, changing: positions) }
    // After a commit whose outcome is unknown, and in the place of another database, only the whole says what there is.
    case .newer:
      resume(waiting, on: engine)
      askAgain(shared, on: engine)
      return releaseUnusedTurn()
    case .whole(let other):
      if shared.version < 0 { askAgain(shared, on: engine) }
      let names = database.resourceNames(andOf: other)
      adopt(other)
      engine.readAhead()
      engine.events.publishReload(of: names)
      engine.configuration.onEvent(.reloaded(resources: database.resourceNames))
    case .part: break
    }
    if let problem = source.problem {
      invalidSource = problem
      engine.configuration.onEvent(.invalid(message: "The database holds what cannot be served: \(problem)."))
    }
    let isWhole = if case .whole = source.content { true } else { false }
    takeState(source.state, isWhole: isWhole, on: engine)
    engine.signIn?.forgetUsers(on: engine)
    // When those no longer watch whose tokens are void.
    if !isWhole { engine.events.publish(database, since: base) }
    shared.adopt(source)
    resume(waiting, on: engine)
    releaseReads(on: engine)
    releaseUnusedTurn()
  }

  /// Lets other servers write, unless a write of this one is about to be committed, or waits for the turn.
  func releaseUnusedTurn() {
    if let shared, !isChanging { shared.releaseTurn() }
  }

  /// Whether a write of this server is under way, or is about to be committed.
  var isChanging: Bool { !commits.isIdle || largeWrite != nil || takeover != nil }
}

extension EventFeed {
  /// Publishes what other servers have changed; where that is much of a resource, that it has to be read again.
  fileprivate func publish(_ version: Database, since base: Database) {
    let changes = Dictionary(grouping: version.changes(since: base), by: \.resource)
    for name in version.resourceNames(at: version.changedPositions(since: base)) {
      let changes = changes[name]?.map(DataChange.init) ?? []
      if changes.isEmpty || changes.count > Self.maximumChanges {
        publishReload(of: [name])
      } else {
        for change in changes { publish(change, resources: []) }
      }
    }
  }
}

extension DataChange {
  /// The change of another server.
  fileprivate init(_ change: RecordChange) {
    if let record = change.record {
      self = change.wasThere ? .updated(change.resource, record) : .created(change.resource, record)
    } else if let id = change.id {
      self = .deleted(change.resource, id: id, dependents: [:])
    } else {
      self = .reloaded(change.resource)
    }
  }
}

/// The requests that wait to learn which version of a shared database is the newest, and then to have it.
///
/// One check serves all requests that arrived before it began: it tells a version at least as new as any that was
/// acknowledged before they arrived (the read index of Raft's authors, section 6.4 of the dissertation by Ongaro).
struct ReadIndex {
  /// The work to do when the data is current, or when nobody can tell.
  typealias Work = @Sendable (isolated Engine, StorageError?) -> Void

  /// The requests for which no check has begun.
  fileprivate var arrived: [Work] = []
  fileprivate var isChecking = false
  /// The requests that wait for a version of the data, oldest first.
  fileprivate var checked: [(version: Int, work: [Work])] = []
  /// Grows whenever what was found out says nothing any more.
  fileprivate var era = 0

  /// Keeps work until the data is of a version.
  mutating func wait(_ work: [Work], for version: Int) { checked.append((version, work)) }

  /// Has all waiting work ask again for the newest version.
  fileprivate mutating func forgetVersions() {
    arrived = checked.flatMap(\.work) + arrived
    checked = []
    era += 1
  }
}

extension WriteCoordinator {
  /// Does work when the data holds what any server has acknowledged by now.
  func whenCurrent(on engine: isolated Engine, _ work: @escaping ReadIndex.Work) {
    guard let shared else { return work(engine, nil) }
    readIndex.arrived.append(work)
    startCheckSoon(shared, on: engine)
  }

  /// Retries the reads that wait for a version: the database may be another one, which never reaches it.
  func askAgain(_ shared: any SharedStore, on engine: isolated Engine) {
    readIndex.forgetVersions()
    if !readIndex.arrived.isEmpty { startCheckSoon(shared, on: engine) }
  }

  private func startCheckSoon(_ shared: any SharedStore, on engine: isolated Engine) {
    guard !readIndex.isChecking else { return }
    readIndex.isChecking = true
    // What arrives in the same round of the loop is served by the same check.
    engine.loop.execute { engine.assumeIsolated { $0.writes.startCheck(shared, on: $0) } }
  }

  private func startCheck(_ shared: any SharedStore, on engine: isolated Engine) {
    let (batch, era) = (readIndex.arrived, readIndex.era)
    readIndex.arrived = []
    shared.check { result in
      engine.loop.execute { engine.assumeIsolated { $0.writes.end(result, for: batch, in: era, shared, on: $0) } }
    }
  }

  private func end(
    _ check: Result<Int, StorageError>, for batch: [ReadIndex.Work], in era: Int, _ shared: any SharedStore,
    on engine: isolated Engine
  ) {
    let isOutdated = era != readIndex.era
    if isOutdated { readIndex.arrived = batch + readIndex.arrived }
    readIndex.isChecking = !readIndex.arrived.isEmpty
    if readIndex.isChecking { startCheck(shared, on: engine) }
    if isOutdated { return }
    switch check {
    case .success(let version) where version <= shared.version && readIndex.checked.isEmpty:
      for work in batch { work(engine, nil) }
    case .success(let version): readIndex.wait(batch, for: version)
    case .failure(let error): for work in batch { work(engine, error) }
    }
    releaseReads(on: engine)
  }

  /// Does what waited for a version that the data has reached.
  func releaseReads(on engine: isolated Engine) {
    guard let shared else { return }
    while let first = readIndex.checked.first, first.version <= shared.version {
      readIndex.checked.removeFirst()
      for work in first.work { work(engine, nil) }
    }
  }
}
