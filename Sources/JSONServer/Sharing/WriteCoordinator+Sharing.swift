import JSONDatabase
import JSONServerValues
import JSONStorage
import NIOConcurrencyHelpers

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
    guard !overtaken.isEmpty else { return }
    turns.recordConflict()
    whenInTurn(on: engine) { [overtaken] engine, failure in
      for requester in overtaken {
        if let failure {
          engine.refuse(requester, because: RequestError(failure))
        } else {
          engine.carryOut(requester)
        }
      }
      engine.writes.goOnCommitting(on: engine)
    }
  }

  private var mayTakeForeignChanges: Bool {
    commits.inFlight == nil && !commits.open.isLarge && takeover == nil
  }

  /// Takes over what other servers have written, and carries out again what was not saved.
  func takeOver(_ source: LoadedSource, from shared: any SharedStore, on engine: isolated Engine) {
    let waiting = takeBackUnsavedRequests(on: engine)
    var applied: [AppliedRow] = []
    switch source.content {
    case .rows(let rows, let base) where base <= shared.version: applied = apply(rows, on: engine)
    // After a commit whose outcome is unknown, and in the place of another database, only the whole says what there is.
    case .rows:
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
    let isWhole = if case .whole = source.content { true } else { false }
    takeState(source.state, isWhole: isWhole, on: engine)
    engine.signIn?.forgetUsers(on: engine)
    // When those no longer watch whose tokens are void.
    engine.events.publish(applied)
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

  private func apply(_ rows: [PlacedRow], on engine: isolated Engine) -> [AppliedRow] {
    guard !rows.isEmpty else { return [] }
    // Others may have written where the removed records were.
    deletions.removeAll()
    var positions: Set<Int> = []
    var applied: [AppliedRow] = []
    for row in rows {
      do throws(JSONError) {
        applied += try applySaved { database throws(JSONError) in try database.apply([row]) }
        positions.insert(row.resource)
      } catch {
        // A user of the database wrote what no client can; that record stays as it was, beside others' changes, and no
        // other takes its place.
        try? applySaved { database throws(JSONError) in database.reserve(row) }
        invalidSource = error.message
        engine.configuration.onEvent(.invalid(message: "The database holds what cannot be served: \(error.message)."))
      }
    }
    revisions.change(positions)
    return applied
  }
}

extension EventFeed {
  /// Publishes what other servers have changed; where that is much of a resource, that it has to be read again.
  fileprivate func publish(_ applied: [AppliedRow]) {
    var counts: [String: Int] = [:]
    for row in applied { counts[row.resource, default: 0] += 1 }
    let reloaded = counts.filter { $0.value > Self.maximumChanges }
    for row in applied where reloaded[row.resource] == nil { publish(DataChange(row), resources: []) }
    publishReload(of: reloaded.keys.sorted())
  }
}

extension DataChange {
  /// The changes of another server.
  fileprivate init(_ applied: AppliedRow) {
    switch (applied.id, applied.record) {
    case (_, let record?):
      self = applied.wasThere ? .updated(applied.resource, record) : .created(applied.resource, record)
    case (let id?, nil): self = .deleted(applied.resource, id: id, dependents: [:])
    case (nil, nil): self = .reloaded(applied.resource)
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

/// The requests that wait until no other server can write.
///
/// Where servers write the same data all the time, a write that is carried out first and compared with theirs then is
/// nearly always carried out twice. There it waits for the turn, and is carried out on what is there then.
struct TurnQueue {
  /// How many turns in a row have to be undisturbed before writes go without waiting again.
  private static let caution = 8

  fileprivate var waiting: [ReadIndex.Work] = []
  fileprivate var isTaking = false
  /// How many of those that have come were let go.
  fileprivate var served = 0
  /// How many have come; read by the thread that takes the turn.
  fileprivate let arrived = NIOLockedValueBox(0)
  private var remaining = 0

  /// Whether other servers have just written, too.
  var isContended: Bool { remaining > 0 }

  /// Records that another server wrote between two commits of this one.
  mutating func recordConflict() { remaining = Self.caution }

  /// Records that no other server did.
  fileprivate mutating func recordPeace() { remaining = max(0, remaining - 1) }

  fileprivate mutating func add(_ work: @escaping ReadIndex.Work) {
    waiting.append(work)
    arrived.withLockedValue { $0 += 1 }
  }

  /// Takes out those that had come when the turn was there: what was found out then is as new as they may ask for.
  fileprivate mutating func take(upTo number: Int) -> [ReadIndex.Work] {
    let count = number - served
    defer { waiting.removeFirst(count) }
    served = number
    return Array(waiting.prefix(count))
  }
}

extension WriteCoordinator {
  /// Whether the turn is being waited for, or is kept for the next commit.
  var isTakingTurn: Bool { turns.isTaking }

  /// Does work when the data holds what any server has acknowledged by now, and no other server can write.
  func whenInTurn(on engine: isolated Engine, _ work: @escaping ReadIndex.Work) {
    guard let shared else { return work(engine, nil) }
    turns.add(work)
    if !turns.isTaking { takeTurnSoon(shared, on: engine) }
  }

  /// Takes the turn after what is already waiting on the loop: a commit that is about to begin.
  private func takeTurnSoon(_ shared: any SharedStore, on engine: isolated Engine) {
    turns.isTaking = true
    engine.loop.execute {
      engine.assumeIsolated { engine in
        let arrived = engine.writes.turns.arrived
        shared.takeTurn(mark: { arrived.withLockedValue { $0 } }) { number, result in
          engine.loop.execute { engine.assumeIsolated { $0.writes.useTurn(number, result, shared, on: $0) } }
        }
      }
    }
  }

  private func useTurn(
    _ number: Int, _ result: Result<LoadedSource, StorageError>, _ shared: any SharedStore,
    on engine: isolated Engine
  ) {
    let batch = turns.take(upTo: number)
    switch result {
    case .success(let source):
      if source.isUnchanged { turns.recordPeace() } else { turns.recordConflict() }
      delayedEdits.append(source)
      readIndex.wait(batch, for: source.generation)
      takeForeignChanges(shared, on: engine)
      if !isChanging { shared.releaseTurn() }
    case .failure(let error):
      for work in batch { work(engine, error) }
    }
    turns.isTaking = false
    if !turns.waiting.isEmpty { takeTurnSoon(shared, on: engine) }
  }
}
