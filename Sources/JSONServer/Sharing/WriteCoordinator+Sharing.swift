import JSONDatabase
import JSONServerValues
import JSONStorage

// A write of another server is not like an edit of the file, which may be unaware of the writes of this server: it is the
// next version, and is applied in place.

extension WriteCoordinator {
  /// Applies the writes of other servers, unless a commit is in progress, which ends with the same changes.
  ///
  /// A large write in progress starts again with the turn. Otherwise other servers would overtake it, and no read would be
  /// served before it ended. A write that waits for its commit is not rolled back: a commit that collides takes the
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

  /// Applies the writes of other servers, and repeats the writes of this server that were not saved.
  func takeOver(_ source: LoadedSource, from shared: any SharedStore, on engine: isolated Engine) {
    let waiting = takeBackUnsavedRequests(on: engine)
    let base = database
    switch source.content {
    case .newer(let newer, let since) where since <= shared.version:
      let positions = newer.changedPositions(since: base)
      // Other servers may have written to the slots of removed records.
      if !positions.isEmpty || source.problem != nil { adopt(newer, changing: positions) }
    // After a commit with an unknown outcome, and after a failover, only the whole database is reliable.
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
    // After clients with void tokens have stopped watching.
    if !isWhole { engine.events.publish(database, since: base) }
    shared.adopt(source)
    resume(waiting, on: engine)
    releaseReads(on: engine)
    releaseUnusedTurn()
  }

  /// Lets other servers write, unless this server is about to commit a write or a write waits for the turn.
  func releaseUnusedTurn() {
    if let shared, !isChanging { shared.releaseTurn() }
  }

  /// Whether a write of this server is in progress, or is about to be committed.
  var isChanging: Bool { !commits.isIdle || largeWrite != nil || takeover != nil }
}

extension EventFeed {
  /// Publishes the changes of other servers. After many changes of a resource, tells clients to read the resource again.
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
  /// A change of another server.
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

/// The requests that wait for the number of the newest version of a shared database, and then for this version.
///
/// One check serves all requests that arrived before it began: it returns a version at least as new as any that was
/// acknowledged before they arrived (the read index of Raft's authors, section 6.4 of the dissertation by Ongaro).
struct ReadIndex {
  /// The work to do when the data is current, or when the check has failed.
  typealias Work = @Sendable (isolated Engine, StorageError?) -> Void

  /// The requests for which no check has begun.
  fileprivate var arrived: [Work] = []
  fileprivate var isChecking = false
  /// The requests that wait for a version of the data, oldest first.
  fileprivate var checked: [(version: Int, work: [Work])] = []
  /// A number that grows whenever earlier results become invalid.
  fileprivate var era = 0

  /// Delays work until the data is of a version.
  mutating func wait(_ work: [Work], for version: Int) { checked.append((version, work)) }

  /// Repeats the check for all waiting work.
  fileprivate mutating func forgetVersions() {
    arrived = checked.flatMap(\.work) + arrived
    checked = []
    era += 1
  }
}

extension WriteCoordinator {
  /// Does work when the data contains all writes that any server has acknowledged by now.
  func whenCurrent(on engine: isolated Engine, _ work: @escaping ReadIndex.Work) {
    guard let shared else { return work(engine, nil) }
    readIndex.arrived.append(work)
    startCheckSoon(shared, on: engine)
  }

  /// Retries the reads that wait for a version. After a failover the database may never reach this version.
  func askAgain(_ shared: any SharedStore, on engine: isolated Engine) {
    readIndex.forgetVersions()
    if !readIndex.arrived.isEmpty { startCheckSoon(shared, on: engine) }
  }

  private func startCheckSoon(_ shared: any SharedStore, on engine: isolated Engine) {
    guard !readIndex.isChecking else { return }
    readIndex.isChecking = true
    // One check serves all requests of the same tick of the event loop.
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

  /// Does the work that waited for a version that the data has reached.
  func releaseReads(on engine: isolated Engine) {
    guard let shared else { return }
    while let first = readIndex.checked.first, first.version <= shared.version {
      readIndex.checked.removeFirst()
      for work in first.work { work(engine, nil) }
    }
  }
}
