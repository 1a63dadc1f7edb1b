import JSONDatabase
import JSONServerValues
import JSONStorage

/// Owns the data: makes writes durable, in groups, and loads edits of the source.
///
/// It belongs to one engine, runs on its event loop, and lets that engine respond.
final class WriteCoordinator {
  /// The current data, including unsaved changes.
  private(set) var database: Database
  /// The saved data, with its deletions that can be undone. Changes that cannot be saved are rolled back to it. Where
  /// nothing is saved, the data itself.
  private var saved: (database: Database, deletions: Deletions)
  /// The server's state in addition to the data.
  var state: ServerState
  /// The saved state; empty where it is not saved.
  private var savedState: ServerState
  let ids: IDGenerator
  /// The store; `nil` for data in memory.
  let store: (any Store)?
  /// The requests that wait for the number of the newest version.
  var readIndex = ReadIndex()
  /// The error of the file, while the last valid version is served; `nil` for none.
  var invalidSource: String?
  /// The data that was last loaded from the source: a reset restores it, and an edit can lose only later writes.
  var initial: Database
  let durability: Server.Configuration.Durability
  /// Whether responses show only saved data.
  private let showsOnlySaved: Bool
  var commits = CommitQueue()
  private var slowCommitNotice: EventLoopExecutor.ScheduledTask?
  /// The deletions that can be undone.
  var deletions = Deletions()
  var revisions = Revisions()
  /// The number of times that unsaved changes were rolled back.
  private(set) var retractions = 0
  /// The generation of each file on which the data is based, by resource.
  var generations: [String: Int] = [:]
  /// Edits of files that arrived during a commit, a takeover or a large write.
  var delayedEdits: [LoadedSource] = []
  /// The replacement of acknowledged writes that waits for their copy.
  var takeover: Takeover?
  /// The write that another thread carries out.
  var largeWrite: LargeWrite?

  init(
    _ source: OpenedSource, initial: Database, ids: IDGenerator, durability: Server.Configuration.Durability
  ) {
    database = source.database
    saved = (source.database, Deletions())
    self.initial = initial
    store = source.store
    state = source.state.map { ServerState(saved: $0) } ?? ServerState()
    savedState = state
    self.ids = ids
    self.durability = durability
    // Other servers show and keep only committed data.
    showsOnlySaved = durability == .full || state.isSaved
  }

  // MARK: Pending responses

  /// Whether everything is on disk.
  var isSaved: Bool { commits.isIdle }

  /// The number of the version on which the next commit is based; negative when that is unknown.
  var baseVersion: Int { store?.version ?? 0 }

  /// Replaces the data with a changed version.
  func take(_ changed: Database) {
    Self.replace(&database, with: changed)
    database.patience = .endless
  }

  /// Replaces the data with a loaded version; nothing is left to save.
  ///
  /// - Parameter positions: The positions of the resources that differ; `nil` for all.
  func adopt(_ read: Database, changing positions: Set<Int>? = nil) {
    take(read)
    deletions.kept = [:]
    recordSaved(database, deletions)
    if let positions { revisions.change(positions) } else { revisions.changeAll() }
  }

  private func recordSaved(_ version: Database, _ deletions: Deletions) {
    Self.replace(&saved.database, with: version)
    saved.deletions = deletions
  }

  /// Replaces a version; another thread frees the old version where that takes long.
  private static func replace(_ version: inout Database, with next: Database) {
    if version.isSmall { version = next } else { WorkerThreads.release(&version, leaving: next) }
  }

  /// Responds when a change is saved, or immediately when there is nothing to save.
  ///
  /// - Parameters:
  ///   - base: The version before the change.
  ///   - isWhole: Whether the change replaces all data: it is saved even if it equals the base, in every file, since each
  ///     may hold an edit that nobody has seen.
  func enqueueCommit(
    _ pending: PendingResponse, since base: Database, replacingAll isWhole: Bool = false, on engine: isolated Engine
  ) {
    let changed = database.changedPositions(since: base)
    let resources = isWhole ? changed.union(database.allPositions) : changed
    guard isWhole || !resources.isEmpty else { return respondWhenDurable(pending, showing: nil, on: engine) }
    var pending = pending
    pending.resources = database.resourceNames(at: resources)
    revisions.change(resources)
    guard store != nil else {
      compact(since: base, on: engine)
      recordSaved(database, deletions)
      return acknowledge(pending, on: engine)
    }
    if commits.add(pending, changing: resources) { startCommitSoon(on: engine) }
    // The change is applied, and later requests on its connection may join its commit.
    pending.requester.proceed()
  }

  /// Removes the empty slots of deleted records, if there are many.
  private func compact(since base: Database, on engine: isolated Engine) {
    if database.compact(since: base, adjusting: &deletions.kept.values) { engine.readAhead() }
  }

  /// Sends a response when a crash can no longer undo the data that it shows.
  ///
  /// - Parameter resource: The only resource that the response shows; `nil` when there may be several.
  func respondWhenDurable(
    _ pending: PendingResponse, showing resource: @autoclosure () -> String?, on engine: isolated Engine
  ) {
    if !commits.isIdle, showsOnlySaved,
      commits.wait(pending, for: resource().flatMap { try? database.position(of: $0) })
    {
      return pending.requester.proceed()
    }
    pending.requester.completion(engine, .success(pending.response))
  }

  /// Responds when a change of the state, and the data that the response shows, are saved.
  ///
  /// - Parameter resource: The resource that the response shows; `nil` when it shows none.
  func respondWhenStateSaved(_ pending: PendingResponse, showing resource: String?, on engine: isolated Engine) {
    guard state.isSaved else {
      // A request that is carried out again, since data was rolled back, must not find its token void.
      guard resource != nil else { return pending.requester.completion(engine, .success(pending.response)) }
      return respondWhenDurable(pending, showing: resource, on: engine)
    }
    var pending = pending
    pending.changesState = true
    if commits.add(pending, changing: []) { startCommitSoon(on: engine) }
    pending.requester.proceed()
  }

  /// Takes over state that other servers have saved.
  ///
  /// - Parameter isWhole: Whether this is the complete state.
  func takeState(_ rows: [ServerState.Row], isWhole: Bool, on engine: isolated Engine) {
    let keys = (isWhole ? state.keys : []) + rows.map(\.key)
    if isWhole { state = ServerState(saved: rows) } else { state.apply(rows) }
    savedState = state
    engine.follow(keys)
  }

  /// Responds when all changes are in the file, even where readers do not wait for that.
  func respondWhenSaved(_ pending: PendingResponse, on engine: isolated Engine) {
    if commits.wait(pending, for: nil) { return pending.requester.proceed() }
    pending.requester.completion(engine, .success(pending.response))
  }

  /// Publishes the change of a request, and sends its response.
  ///
  /// - Parameter error: The response of a write in place of its own.
  private func acknowledge(_ pending: PendingResponse, or error: StorageError? = nil, on engine: isolated Engine) {
    if let change = pending.change {
      engine.events.endVoidWatches(on: engine)
      engine.events.publish(change, resources: pending.resources)
      switch change {
      case .reloaded, .replaced: engine.signIn?.forgetUsers(on: engine)
      case .created, .updated, .deleted: break
      }
    }
    let failure = pending.isWrite ? error.map(RequestError.init) : nil
    pending.requester.completion(engine, failure.map(Result.failure) ?? .success(pending.response))
  }

  // MARK: Commits

  /// Starts a commit after the writes of the same round of the event loop, and soon after it, have joined.
  func startCommitSoon(on engine: isolated Engine) {
    let start: @Sendable () -> Void = { engine.assumeIsolated { $0.writes.startCommit(on: $0) } }
    if commits.gatheringTime == .zero {
      engine.loop.execute(start)
    } else {
      engine.loop.schedule(after: commits.gatheringTime, start)
    }
  }

  /// Starts a commit soon for waiting writes, unless one is already scheduled.
  func goOnCommitting(on engine: isolated Engine) {
    if commits.schedule() { startCommitSoon(on: engine) }
  }

  /// Passes the gathered writes to the storage, unless it is busy.
  private func startCommit(on engine: isolated Engine) {
    // A commit gives up the turn, and without the turn a large write may begin again and again. A change of the state
    // alone waits for the turn as other writes do.
    let mustWait = commits.open.changesOnlyState && (largeWrite != nil || takeover != nil)
    guard let store, commits.start(isAllowed: !mustWait) else { return }
    let (version, deletions, state) = (database, deletions, state)
    watchSlowCommit(of: version, on: engine)
    let completion: @Sendable (CommitResult) -> Void = { commit in
      engine.loop.execute {
        engine.assumeIsolated { engine in
          if case .done = commit { engine.writes.recordSaved(state) }
          engine.writes.endCommit(commit, of: version, deletions, on: engine)
        }
      }
    }
    guard let batch = commits.inFlight, !batch.takesTurn else { return store.takeTurn(completion: completion) }
    store.commit(
      version, after: saved.database, writing: batch.resources, state.rows(since: savedState.mark),
      completion: completion)
  }

  private func recordSaved(_ state: ServerState) {
    savedState = state
    savedState.forgetChanges(upTo: state.mark)
    self.state.forgetChanges(upTo: state.mark)
  }

  /// Logs a notice when a commit takes long. After a fast commit, the next one will be fast.
  private func watchSlowCommit(of version: Database, on engine: isolated Engine) {
    guard commits.lastDuration == .zero || commits.lastDuration > ServerEvent.slowDuration / 2 else { return }
    slowCommitNotice = engine.execute(after: ServerEvent.slowDuration) {
      $0.configuration.onEvent(.working("writing \($0.configuration.title), \(Self.size(of: version)) …"))
    }
  }

  private static func size(of version: Database) -> String {
    var size = 0
    version.text.forEachSlice { size += $0.count }
    return LogText.size(size)
  }

  /// Logs the duration of a slow commit.
  private func reportSlowCommit(of version: Database, on engine: isolated Engine) {
    let duration = commits.lastDuration
    guard duration > ServerEvent.slowDuration else { return }
    let title = engine.configuration.title
    let message = "wrote \(title), \(Self.size(of: version)), in \(LogText.seconds(duration))"
    engine.configuration.onEvent(.working(message))
  }

  /// - Parameter version: The committed version; the database may have been replaced since.
  private func endCommit(
    _ commit: CommitResult, of version: Database, _ deletions: Deletions, on engine: isolated Engine
  ) {
    slowCommitNotice?.cancel()
    switch commit {
    case .done:
      let responses = finishCommit(of: version, deletions, on: engine)
      reportSlowCommit(of: version, on: engine)
      for pending in responses { acknowledge(pending, on: engine) }
      goOnCommitting(on: engine)
    case .moved(to: let source):
      takeOver(source, on: engine)
    case .failed(let error) where error.code == .durabilityUnknown && baseVersion >= 0:
      // The file holds the version: memory keeps it, and the client learns that its durability is unknown. A database of
      // several servers may or may not have the version: memory goes back until the database says which.
      for pending in finishCommit(of: version, deletions, on: engine) { acknowledge(pending, or: error, on: engine) }
      goOnCommitting(on: engine)
    case .failed(let error):
      refuse(error, on: engine)
      // The failed commit does not bring the version for which others wait.
      askAgain(on: engine)
    }
    takeDelayedEdits(on: engine)
  }

  /// Records that the written version is in the file.
  ///
  /// - Returns: The responses that waited for that.
  private func finishCommit(
    of version: Database, _ deletions: Deletions, on engine: isolated Engine
  ) -> [PendingResponse] {
    let responses = commits.finish()
    let base = saved.database
    recordSaved(version, deletions)
    // A large write changes a copy with the old slots.
    if largeWrite == nil {
      compact(since: base, on: engine)
      if commits.isIdle { recordSaved(database, self.deletions) }
    }
    return responses
  }

  /// Rolls back unsaved changes. Writes of the failed commit are refused, all others are carried out again.
  private func refuse(_ error: StorageError, on engine: isolated Engine) {
    let (failed, later, interrupted) = takeBackUnsaved(on: engine)
    for pending in failed.responses {
      if pending.isWrite {
        pending.requester.completion(engine, .failure(RequestError(error)))
      } else {
        pending.requester.carryOut(on: engine)
      }
    }
    for pending in later.responses { pending.requester.carryOut(on: engine) }
    for requester in interrupted { requester.carryOut(on: engine) }
  }

  /// Rolls the database back to the saved version.
  ///
  /// - Returns: The responses of the failed commit and of later ones, and the large write with the writes that waited
  ///   for it.
  private func takeBackUnsaved(
    on engine: isolated Engine
  ) -> (failed: Batch, later: Batch, interrupted: [Requester]) {
    let (failed, later) = commits.takeAll()
    let lost = state.rows(since: savedState.mark).map(\.key)
    if !lost.isEmpty {
      state = savedState
      engine.follow(lost)
    }
    if !database.isIdentical(to: saved.database) {
      revisions.changeAll()
      retractions += 1
      take(saved.database)
      deletions.goBack(to: saved.deletions)
    }
    return (failed, later, abandonLargeWrite() + abandonReplacement())
  }

  /// Rolls the database back to the saved version, and returns the requests to carry out again, in order.
  ///
  /// A write whose commit collided with an edit counts one more attempt.
  func takeBackUnsavedRequests(on engine: isolated Engine) -> [Requester] {
    let (failed, later, interrupted) = takeBackUnsaved(on: engine)
    return failed.responses.map { $0.isWrite ? $0.requester.delayed { $0.collisions += 1 } : $0.requester }
      + later.responses.map(\.requester) + interrupted
  }
}

/// The sender of a change or a read: a client, or Swift code of this process.
struct Requester: Sendable {
  typealias Change = @Sendable (isolated Engine, Requester) throws(RequestError) -> Void

  /// The client's request; `nil` for Swift code.
  let context: RequestContext?
  /// What edits of the file have done to the change.
  private(set) var delays = EditDelays()
  private let perform: Change
  /// Called once, with the response or the error.
  let completion: Engine.Completion<PreparedResponse>

  /// Creates the requester of a client's request, whose route is known.
  init(_ context: RequestContext, _ route: Route) {
    self.context = context
    delays = context.delays
    perform = { engine, requester in engine.carryOut(route, context.with(delays: requester.delays)) }
    completion = { engine, result in
      switch result {
      case .success(let response): engine.finalize(context, response)
      case .failure(let error): engine.finalize(context, error.response())
      }
    }
  }

  /// Creates the requester of Swift code.
  ///
  /// - Parameter perform: Makes the change; called again after an edit of the file.
  init(_ perform: @escaping Change, completion: @escaping Engine.Completion<PreparedResponse>) {
    context = nil
    (self.perform, self.completion) = (perform, completion)
  }

  /// Carries out the change, perhaps once more.
  func carryOut(on engine: isolated Engine) {
    do throws(RequestError) {
      try perform(engine, self)
    } catch {
      completion(engine, .failure(error))
    }
  }

  /// Lets later requests on its connection begin.
  func proceed() { context?.progress(.tookEffect) }

  /// The same requester after another edit of the file.
  func delayed(_ change: (inout EditDelays) -> Void) -> Requester {
    var requester = self
    change(&requester.delays)
    return requester
  }
}

/// What edits of the file have done to a change that waits for its turn or for its commit.
struct EditDelays {
  /// The number of commits of the change that collided with an edit.
  var collisions = 0
  /// Whether an edit was loaded while the change waited, so that its sender cannot have seen the edit.
  var hidesEdit = false
}

/// A waiting requester with its response.
struct PendingResponse {
  let requester: Requester
  var response = PreparedResponse.json([:])
  var change: DataChange?
  /// The changed resources; empty when the request is not a write.
  var resources: [String] = []

  /// Whether it changes the shared state.
  var changesState = false

  /// Whether the request is carried out only when no other server can write.
  var awaitsTurn = false

  var isWrite: Bool { !resources.isEmpty || changesState || awaitsTurn }
}

/// The responses that wait for one commit.
struct Batch {
  var responses: [PendingResponse] = []
  /// The positions of the changed resources.
  var resources: Set<Int> = []
  /// Whether one of the changes took long.
  var isLarge = false

  var isEmpty: Bool { responses.isEmpty }
  /// Whether the commit changes the state, and no data.
  var changesOnlyState: Bool { resources.isEmpty && responses.contains(where: \.isWrite) }
  /// Whether the commit only takes the turn, and its requests are carried out after that.
  var takesTurn: Bool { responses.contains(where: \.awaitsTurn) }
}

/// The writes that are not on disk yet: the batch that is being written, and the next batch (group commit).
struct CommitQueue {
  private(set) var inFlight: Batch?
  private(set) var open = Batch()
  /// Whether a commit is scheduled: more writes may join it until it starts.
  private(set) var isScheduled = false
  /// The duration of the last commit.
  private(set) var lastDuration = Duration.zero
  private var startTime = Duration.zero

  /// Whether everything is on disk.
  var isIdle: Bool { inFlight == nil && open.isEmpty }

  /// Adds an applied write, and returns whether the caller must schedule a commit.
  mutating func add(_ response: PendingResponse, changing resources: Set<Int>) -> Bool {
    open.responses.append(response)
    open.resources.formUnion(resources)
    return schedule()
  }

  /// Records that a change in the next commit took long, if there is one.
  mutating func markLarge() { open.isLarge = !open.isEmpty }

  /// Queues a response behind the newest commit that changes a resource, or any resource when it is `nil`.
  ///
  /// - Returns: Whether there is such a commit.
  mutating func wait(_ response: PendingResponse, for resource: Int?) -> Bool {
    if !open.isEmpty, resource.map(open.resources.contains) ?? true {
      open.responses.append(response)
      return true
    }
    if let batch = inFlight, resource.map(batch.resources.contains) ?? true {
      inFlight?.responses.append(response)
      return true
    }
    return false
  }

  /// The time that a commit waits for writes to join it.
  ///
  /// The clients of the last commit write again immediately; without waiting, every second commit would be nearly
  /// empty. After a short commit these writes come soon enough for the next one.
  var gatheringTime: Duration {
    lastDuration < .milliseconds(32) ? .zero : min(lastDuration / 16, .milliseconds(10))
  }

  /// Starts the gathered batch.
  ///
  /// - Parameter now: The system's uptime.
  /// - Returns: Whether there is a batch, and none was in flight.
  mutating func start(isAllowed: Bool = true, now: Duration = System.uptime) -> Bool {
    isScheduled = false
    guard isAllowed, inFlight == nil, !open.isEmpty else { return false }
    startTime = now
    inFlight = open
    open = Batch()
    return true
  }

  /// Returns whether a batch needs a scheduled commit, and records that it will be scheduled.
  mutating func schedule() -> Bool {
    guard inFlight == nil, !isScheduled, !open.isEmpty else { return false }
    isScheduled = true
    return true
  }

  /// Ends the commit in flight, and returns the responses that waited for it.
  mutating func finish(now: Duration = System.uptime) -> [PendingResponse] {
    lastDuration = now - startTime
    defer { inFlight = nil }
    return inFlight?.responses ?? []
  }

  /// Takes all batches out, the one in flight first.
  mutating func takeAll() -> (inFlight: Batch, open: Batch) {
    defer {
      inFlight = nil
      open = Batch()
    }
    return (inFlight ?? Batch(), open)
  }
}

/// Numbers the versions of the data, for validators of bodies that are too large to hash.
///
/// Every change gives a new number, even a change back to an earlier content.
struct Revisions {
  private var latest: UInt64 = 0
  /// The newest version in which all resources may have changed.
  private var all: UInt64 = 0
  private var changed: [Int: UInt64] = [:]
  /// Whether nothing has changed since the start.
  var isEmpty: Bool { latest == 0 }
  /// Distinguishes the versions of this run of the server from those of all others.
  private let origin = UInt64.random(in: .min ... .max)

  /// Records that resources have changed, by their positions.
  mutating func change(_ positions: Set<Int>) {
    latest += 1
    for position in positions { changed[position] = latest }
  }

  /// Records that all resources may have changed.
  mutating func changeAll() {
    latest += 1
    all = latest
    changed = [:]
  }

  /// The validator of the current data that a request shows.
  ///
  /// - Parameters:
  ///   - position: The only resource that the response depends on; `nil` when there may be several.
  ///   - representation: Everything else that the response depends on.
  func validator(of position: Int?, as representation: [String]) -> EntityTag {
    let number = position.map { max(changed[$0] ?? 0, all) } ?? latest
    var bytes = withUnsafeBytes(of: origin) { Array($0) }
    for text in representation { bytes += Array(text.utf8) + [0xFF] }
    return EntityTag(version: number, of: bytes)
  }
}
