import JSONDatabase
import JSONServerValues
import JSONStorage

// A write of another server is not like an edit of the file, which may be unaware of the writes of this server: it is the
// next version, and is applied in place.

extension WriteCoordinator {
  /// Applies the writes of other servers. The writes of this server that were not saved are carried out again, without a
  /// limit: each conflict is the success of another server.
  func apply(_ source: LoadedSource, on engine: isolated Engine) {
    guard case .newer(let newer, let since) = source.content else { return }
    let (base, version) = (database, baseVersion)
    if let since {
      // After a commit with an unknown outcome, and after a failover, only the whole database is reliable.
      guard since <= version else { return askAgain(on: engine) }
      let positions = newer.changedPositions(since: base)
      // Other servers may have written to the slots of removed records.
      if !positions.isEmpty || source.problem != nil { adopt(newer, changing: positions) }
    } else {
      if version < 0 { askAgain(on: engine) }
      let names = database.resourceNames(andOf: newer)
      adopt(newer)
      engine.readAhead()
      engine.events.publishReload(of: names)
      engine.configuration.onEvent(.reloaded(resources: database.resourceNames))
    }
    if let problem = source.problem {
      invalidSource = problem
      engine.configuration.onEvent(.invalid(message: "The database holds what cannot be served: \(problem)."))
    }
    takeState(source.state, isWhole: since == nil, on: engine)
    engine.signIn?.forgetUsers(on: engine)
    // After clients with void tokens have stopped watching.
    if since != nil { engine.events.publish(database, since: base) }
    store?.adopt(source)
  }
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
      self = change.wasThere ? .updated(change.resource, [record]) : .created(change.resource, record)
    } else if let id = change.id {
      self = .deleted(change.resource, ids: [id], dependents: [:])
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
}

extension WriteCoordinator {
  /// Does work when the data contains all writes that any server has acknowledged by now.
  func whenCurrent(on engine: isolated Engine, _ work: @escaping ReadIndex.Work) {
    guard store != nil else { return work(engine, nil) }
    readIndex.arrived.append(work)
    startCheckSoon(on: engine)
  }

  /// Retries the reads that wait for a version. After a failover the database may never reach this version.
  func askAgain(on engine: isolated Engine) {
    readIndex.arrived = readIndex.checked.flatMap(\.work) + readIndex.arrived
    readIndex.checked = []
    readIndex.era += 1
    if !readIndex.arrived.isEmpty { startCheckSoon(on: engine) }
  }

  private func startCheckSoon(on engine: isolated Engine) {
    guard !readIndex.isChecking else { return }
    readIndex.isChecking = true
    // One check serves all requests of the same tick of the event loop.
    engine.execute { $0.writes.startCheck(on: $0) }
  }

  private func startCheck(on engine: isolated Engine) {
    let (batch, era) = (readIndex.arrived, readIndex.era)
    readIndex.arrived = []
    store?.check { result in engine.execute { $0.writes.endCheck(result, for: batch, in: era, on: $0) } }
  }

  private func endCheck(
    _ check: Result<Int, StorageError>, for batch: [ReadIndex.Work], in era: Int, on engine: isolated Engine
  ) {
    let isOutdated = era != readIndex.era
    if isOutdated { readIndex.arrived = batch + readIndex.arrived }
    readIndex.isChecking = !readIndex.arrived.isEmpty
    if readIndex.isChecking { startCheck(on: engine) }
    if isOutdated { return }
    switch check {
    case .success(let version): readIndex.checked.append((version, batch))
    case .failure(let error): for work in batch { work(engine, error) }
    }
    releaseReads(on: engine)
  }

  /// Does the work that waited for a version that the data has reached.
  func releaseReads(on engine: isolated Engine) {
    while let first = readIndex.checked.first, first.version <= baseVersion {
      readIndex.checked.removeFirst()
      for work in first.work { work(engine, nil) }
    }
  }
}
