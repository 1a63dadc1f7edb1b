import JSONDatabase
import JSONServerValues
import JSONStorage

/// Owns the data: makes writes durable, in groups, and takes over edits from outside.
///
/// It belongs to one engine, runs on its loop, and has that engine respond.
final class WriteCoordinator {
  /// The data as it is now, with what is not saved yet.
  private(set) var database: Database
  /// The data as it is saved, with what may be put back there: what cannot be saved is taken back to it. Where nothing is
  /// saved, the data itself.
  private var saved: (database: Database, deletions: Deletions)
  /// The state of the server besides the data.
  var state: ServerState
  /// The same as it is saved; empty where servers do not share it.
  private var savedState: ServerState
  let ids: IDGenerator
  /// `nil` for data in memory.
  let store: (any Store)?
  /// The same, where other servers write the data, too.
  let shared: (any SharedStore)?
  /// The requests that wait to learn which version is the newest.
  var readIndex = ReadIndex()
  /// The problem of the file, while the last valid version is served; `nil` for none.
  var invalidSource: String?
  /// The data as it was last read from outside: a reset goes back to it, and what an edit loses was written since.
  var initial: Database
  let durability: Server.Configuration.Durability
  var commits = CommitQueue()
  private var slowCommitNotice: EventLoopExecutor.ScheduledTask?
  /// The deletions that can be undone.
  var deletions = Deletions()
  var revisions = Revisions()
  /// How often something that was not saved was taken back.
  private(set) var retractions = 0
  /// The generation of each file, by its resource, that the database is built on.
  var generations: [String: Int] = [:]
  /// Edits of files that came while a commit, a takeover or a large write was under way.
  var delayedEdits: [LoadedSource] = []
  /// The replacement of acknowledged writes that waits for a copy of them.
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
    shared = source.store as? any SharedStore
    state = ServerState(source.state)
    savedState = state
    self.ids = ids
    self.durability = durability
  }

  // MARK: Pending responses

  /// Whether everything is on disk.
  var isSaved: Bool { commits.isIdle }

  /// Takes a version with a change in the place of the data.
  func take(_ changed: Database) {
    Self.replace(&database, with: changed)
    database.patience = .endless
  }

  /// Takes what was read from outside in the place of the data: nothing is left to save.
  ///
  /// - Parameter positions: Of the resources that differ; `nil` for all.
  func adopt(_ read: Database, changing positions: Set<Int>? = nil) {
    take(read)
    deletions.removeAll()
    recordSaved(database, deletions)
    if let positions { revisions.change(positions) } else { revisions.changeAll() }
  }

  private func recordSaved(_ version: Database, _ deletions: Deletions) {
    Self.replace(&saved.database, with: version)
    saved.deletions = deletions
  }

  /// Puts a version in the place of another, which another thread frees where that takes long.
  private static func replace(_ version: inout Database, with next: Database) {
    if version.isSmall { version = next } else { WorkerThreads.release(&version, leaving: next) }
  }

  /// Responds when what was changed is saved, or immediately when there is nothing to save.
  ///
  /// - Parameters:
  ///   - base: The version before the change.
  ///   - isSaved: Whether it is saved also where nothing differs from that.
  func enqueueCommit(
    _ pending: PendingResponse, since base: Database, always isSaved: Bool = false, on engine: isolated Engine
  ) {
    let resources = database.changedPositions(since: base)
    guard isSaved || !resources.isEmpty else { return respondWhenDurable(pending, showing: nil, on: engine) }
    var pending = pending
    pending.resources = database.resourceNames(at: resources)
    revisions.change(resources)
    guard store != nil else {
      compact(since: base, on: engine)
      recordSaved(database, deletions)
      return acknowledge(pending, on: engine)
    }
    if commits.add(pending, changing: resources) { startCommitSoon(on: engine) }
    // It is applied, and what comes after it on its connection may join its commit.
    pending.requester.proceed()
  }

  /// Drops the empty slots of removed records, where they are many.
  private func compact(since base: Database, on engine: isolated Engine) {
    if database.compact(since: base, adjusting: &deletions.kept) { engine.readAhead() }
  }

  /// Sends a response that shows nothing a crash could take back: it waits for the commit of what it shows.
  ///
  /// - Parameter resource: The one resource that it shows; `nil` when it may be several.
  func respondWhenDurable(
    _ pending: PendingResponse, showing resource: @autoclosure () -> String?, on engine: isolated Engine
  ) {
    // Other servers show, and keep, what is committed alone.
    if !commits.isIdle, durability == .full || shared != nil,
      commits.wait(pending, for: resource().flatMap { try? database.position(of: $0) })
    {
      return pending.requester.proceed()
    }
    engine.respond(to: pending.requester, with: pending.response)
  }

  /// Responds when a change of the state is saved, where servers share it, and what a response shows of the data.
  ///
  /// - Parameter resource: The one resource that it shows; `nil` when it may be several.
  func respondWhenShared(_ pending: PendingResponse, showing resource: String?, on engine: isolated Engine) {
    guard shared != nil else { return respondWhenDurable(pending, showing: resource, on: engine) }
    var pending = pending
    pending.changesState = true
    if commits.add(pending, changing: []) { startCommitSoon(on: engine) }
    pending.requester.proceed()
  }

  /// Takes over what other servers have saved of the state.
  ///
  /// - Parameter isWhole: Whether it is all that there is.
  func takeState(_ rows: [ServerState.Row], isWhole: Bool, on engine: isolated Engine) {
    let keys = (isWhole ? state.keys : []) + rows.map(\.key)
    if isWhole { state = ServerState(rows) } else { state.apply(rows) }
    savedState = state
    engine.follow(keys)
  }

  /// Responds when all that was changed is in the file, also where readers do not wait for that.
  func respondWhenSaved(_ pending: PendingResponse, on engine: isolated Engine) {
    if commits.wait(pending, for: nil) { return pending.requester.proceed() }
    engine.respond(to: pending.requester, with: pending.response)
  }

  /// Sends the response to a write that is saved, and to those that waited to see it.
  private func acknowledge(_ pending: PendingResponse, on engine: isolated Engine) {
    publishChange(of: pending, on: engine)
    engine.respond(to: pending.requester, with: pending.response)
  }

  private func publishChange(of pending: PendingResponse, on engine: isolated Engine) {
    guard let change = pending.change else { return }
    engine.events.endVoidWatches(on: engine)
    engine.events.publish(change, resources: pending.resources)
    switch change {
    case .reloaded, .replaced: engine.signIn?.forgetUsers(on: engine)
    case .created, .updated, .updatedMany, .deleted, .deletedMany: break
    }
  }

  // MARK: Commits

  /// Starts a commit when the writes that arrive in the same round of the loop, or soon after, have joined it.
  func startCommitSoon(on engine: isolated Engine) {
    let start: @Sendable () -> Void = { engine.assumeIsolated { $0.writes.startCommit(on: $0) } }
    if commits.gatheringTime == .zero {
      engine.loop.execute(start)
    } else {
      engine.loop.schedule(after: commits.gatheringTime, start)
    }
  }

  /// Starts a commit soon of what waits for one, if none is to start.
  func goOnCommitting(on engine: isolated Engine) {
    if commits.schedule() { startCommitSoon(on: engine) }
  }

  /// Hands the gathered writes to the storage, unless it is busy.
  private func startCommit(on engine: isolated Engine) {
    // A commit gives up the turn, without which a large write may begin again and again; what changes the state alone waits
    // for it as other writes do.
    let mustWait = shared != nil && commits.open.resources.isEmpty && (largeWrite != nil || takeover != nil)
    guard let store, commits.start(isAllowed: !mustWait) else { return }
    let (version, deletions, state) = (database, deletions, state)
    watchSlowCommit(of: version, on: engine)
    let completion: @Sendable (CommitResult) -> Void = { commit in
      engine.loop.execute {
        engine.assumeIsolated { engine in
          if case .done = commit { engine.writes.recordSaved(state) }
          engine.writes.end(commit, of: version, deletions, on: engine)
        }
      }
    }
    if let shared, commits.inFlight?.takesTurn == true { return shared.takeTurn(completion: completion) }
    store.commit(version, after: saved.database, state.rows(since: savedState.mark), completion: completion)
  }

  private func recordSaved(_ state: ServerState) {
    guard shared != nil else { return }
    savedState = state
    savedState.forgetChanges(upTo: state.mark)
    self.state.forgetChanges(upTo: state.mark)
  }

  /// Says when a commit is still being written after a while. Where the one before was fast, this one will be.
  private func watchSlowCommit(of version: Database, on engine: isolated Engine) {
    guard commits.lastDuration == .zero || commits.lastDuration > ServerEvent.slowDuration / 2 else { return }
    slowCommitNotice = engine.loop.schedule(after: ServerEvent.slowDuration) {
      let size = Self.size(of: version)
      engine.assumeIsolated { $0.configuration.onEvent(.working("writing \($0.configuration.title), \(size) …")) }
    }
  }

  private static func size(of version: Database) -> String {
    var size = 0
    version.text.forEachSlice { size += $0.count }
    return LogText.size(size)
  }

  /// Says how long a commit took that was slow.
  private func reportSlowCommit(of version: Database, on engine: isolated Engine) {
    let duration = commits.lastDuration
    guard duration > ServerEvent.slowDuration else { return }
    let title = engine.configuration.title
    let message = "wrote \(title), \(Self.size(of: version)), in \(LogText.seconds(duration))"
    engine.configuration.onEvent(.working(message))
  }

  /// - Parameter version: What was committed; the database may have been replaced since.
  private func end(_ commit: CommitResult, of version: Database, _ deletions: Deletions, on engine: isolated Engine) {
    slowCommitNotice?.cancel()
    switch commit {
    case .done:
      let responses = finishCommit(of: version, deletions, on: engine)
      reportSlowCommit(of: version, on: engine)
      for pending in responses { acknowledge(pending, on: engine) }
      goOnCommitting(on: engine)
    case .moved(to: let source):
      takeOver(source, on: engine)
    case .failed(let error) where error.code == .durabilityUnknown && shared == nil:
      // The file holds the version: memory keeps it, and the client is informed of what is not known. Where servers share
      // the data, it may hold the version or not: memory goes back, until the database says which.
      for pending in finishCommit(of: version, deletions, on: engine) {
        publishChange(of: pending, on: engine)
        if pending.isWrite {
          engine.refuse(pending.requester, because: RequestError(error))
        } else {
          engine.respond(to: pending.requester, with: pending.response)
        }
      }
      goOnCommitting(on: engine)
    case .failed(let error):
      refuse(error, on: engine)
      // It does not bring the version that others wait for.
      if let shared { askAgain(shared, on: engine) }
    }
    takeDelayedEdits(on: engine)
    if shared != nil { releaseReads(on: engine) }
  }

  /// Records that what was being written is in the file.
  ///
  /// - Returns: What waited for that.
  private func finishCommit(
    of version: Database, _ deletions: Deletions, on engine: isolated Engine
  ) -> [PendingResponse] {
    let responses = commits.finish()
    let base = saved.database
    recordSaved(version, deletions)
    // Other servers know records by their slots; a large write changes a copy, in which they are where they were.
    if shared == nil, largeWrite == nil {
      compact(since: base, on: engine)
      if commits.isIdle { recordSaved(database, self.deletions) }
    }
    return responses
  }

  /// Takes back what could not be saved. Writes of the failed commit are refused, all else is tried again.
  private func refuse(_ error: StorageError, on engine: isolated Engine) {
    let (failed, later, interrupted) = takeBackUnsaved(on: engine)
    for pending in failed.responses {
      if pending.isWrite {
        engine.refuse(pending.requester, because: RequestError(error))
      } else {
        engine.carryOut(pending.requester)
      }
    }
    for pending in later.responses { engine.carryOut(pending.requester) }
    for requester in interrupted { engine.carryOut(requester) }
  }

  /// Takes the database back to what is saved.
  ///
  /// - Returns: What waited for the failed commit and for a later one, and the large write with what waited for that.
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

  /// Takes the database back to what is saved, and returns what has to be carried out again, in order.
  ///
  /// A write whose commit collided with an edit has had one more attempt.
  func takeBackUnsavedRequests(on engine: isolated Engine) -> [Requester] {
    let (failed, later, interrupted) = takeBackUnsaved(on: engine)
    return failed.responses.map { $0.isWrite ? $0.requester.nextAttempt : $0.requester }
      + later.responses.map(\.requester) + interrupted
  }
}

/// Who asked for a change of the data, or for a look at it.
enum Requester {
  /// A client, by a request whose route is known.
  case client(RequestContext, Route)
  /// Swift code of this process.
  case code(SwiftCall)

  /// Allows the requests after it on its connection to begin.
  func proceed() {
    if case .client(let context, _) = self { context.progress(.tookEffect) }
  }

  /// How many of its commits collided with an edit of the file.
  var attempts: Int {
    switch self {
    case .client(let context, _): context.attempts
    case .code(let call): call.attempts
    }
  }

  /// The same requester after a commit of it collided with an edit of the file.
  var nextAttempt: Requester {
    switch self {
    case .client(let context, let route): return .client(context.nextAttempt, route)
    case .code(var call):
      call.attempts += 1
      return .code(call)
    }
  }

  /// Whether an edit of the file was taken over while it waited, so that who asked cannot have seen that.
  var isOvertaken: Bool {
    switch self {
    case .client(let context, _): context.isOvertaken
    case .code(let call): call.isOvertaken
    }
  }

  /// The same after an edit of the file was taken over while it waited.
  var overtaken: Requester {
    switch self {
    case .client(let context, let route): return .client(context.overtaken, route)
    case .code(var call):
      call.isOvertaken = true
      return .code(call)
    }
  }
}

/// A change of the data that Swift code asked for.
struct SwiftCall: Sendable {
  var attempts = 0
  var isOvertaken = false
  /// Makes the change; called again after an edit of the file.
  let perform: @Sendable (isolated Engine, SwiftCall) throws(RequestError) -> Void
  /// Called once, with the error, if there was one.
  let completion: @Sendable (RequestError?) -> Void
}

/// A requester that waits, with the response it will get.
struct PendingResponse {
  let requester: Requester
  let response: PreparedResponse
  var change: DataChange?
  /// The names of the resources that were changed; empty when it is not a write.
  var resources: [String] = []

  /// Whether it changes what servers share besides the data.
  var changesState = false

  /// Whether the request is carried out only when no other server can write.
  var awaitsTurn = false

  var isWrite: Bool { !resources.isEmpty || changesState || awaitsTurn }
}

/// The responses that wait for one commit.
struct Batch {
  var responses: [PendingResponse] = []
  /// The places of the resources that were changed.
  var resources: Set<Int> = []
  /// Whether a change of it took long.
  var isLarge = false

  var isEmpty: Bool { responses.isEmpty }
  /// Whether the commit only takes the turn, and its requests are carried out after that.
  var takesTurn: Bool { responses.contains(where: \.awaitsTurn) }
}

/// The writes that are not on disk yet: the batch that is being written, and the next one (group commit).
struct CommitQueue {
  private(set) var inFlight: Batch?
  private(set) var open = Batch()
  /// Whether a commit is about to start: more writes may join it until then.
  private(set) var isScheduled = false
  /// How long the last commit took.
  private(set) var lastDuration = Duration.zero
  private var startTime = Duration.zero

  /// Whether everything is on disk.
  var isIdle: Bool { inFlight == nil && open.isEmpty }

  /// Adds a write that was applied, and returns whether the caller has to schedule a commit.
  mutating func add(_ response: PendingResponse, changing resources: Set<Int>) -> Bool {
    open.responses.append(response)
    open.resources.formUnion(resources)
    return schedule()
  }

  /// Records that a change took long that waits for the next commit, if there is one.
  mutating func markLarge() { open.isLarge = !open.isEmpty }

  /// Makes a response wait for the newest commit that holds a change of a resource (of any, when it is `nil`).
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

  /// How long a commit waits for writes to join it.
  ///
  /// The clients that the last commit served write again immediately; without them every second commit would be nearly
  /// empty. A short commit need not wait, since they come soon enough for the next.
  var gatheringTime: Duration {
    lastDuration < .milliseconds(32) ? .zero : min(lastDuration / 16, .milliseconds(10))
  }

  /// Moves the gathered batch into flight.
  ///
  /// - Parameter now: The system's uptime.
  /// - Returns: Whether there is one, and none was in flight.
  mutating func start(isAllowed: Bool = true, now: Duration = System.uptime) -> Bool {
    isScheduled = false
    guard isAllowed, inFlight == nil, !open.isEmpty else { return false }
    startTime = now
    inFlight = open
    open = Batch()
    return true
  }

  /// Returns whether a batch waits for which no commit is scheduled, and records that one will be.
  mutating func schedule() -> Bool {
    guard inFlight == nil, !isScheduled, !open.isEmpty else { return false }
    isScheduled = true
    return true
  }

  /// Ends the commit in flight, and returns what waited for it.
  mutating func finish(now: Duration = System.uptime) -> [PendingResponse] {
    lastDuration = now - startTime
    defer { inFlight = nil }
    return inFlight?.responses ?? []
  }

  /// Takes everything out, the batch in flight first.
  mutating func takeAll() -> (inFlight: Batch, open: Batch) {
    defer {
      inFlight = nil
      open = Batch()
    }
    return (inFlight ?? Batch(), open)
  }
}

/// Numbers the versions of the data, for validators of bodies that are too large to be read for one.
///
/// A number is never given twice: what the data was changed back to is a version of its own.
struct Revisions {
  private var latest: UInt64 = 0
  /// The newest version in which all resources may have changed.
  private var all: UInt64 = 0
  private var changed: [Int: UInt64] = [:]
  /// Whether nothing has changed since the start.
  var isEmpty: Bool { latest == 0 }
  /// Tells the versions of this server from those of all others, also of itself before a restart.
  private let origin = UInt64.random(in: .min ... .max)

  /// Records that resources have changed, by their positions.
  mutating func change(_ positions: Set<Int>) {
    latest += 1
    for position in positions { changed[position] = latest }
  }

  /// Records that anything may have changed.
  mutating func changeAll() {
    latest += 1
    all = latest
    changed = [:]
  }

  /// The validator of what a request shows of the data now.
  ///
  /// - Parameters:
  ///   - position: The one resource that the response depends on; `nil` when it may be several.
  ///   - representation: All that the response depends on besides the data.
  func validator(of position: Int?, as representation: [String]) -> EntityTag {
    let number = position.map { max(changed[$0] ?? 0, all) } ?? latest
    var bytes = withUnsafeBytes(of: origin) { Array($0) }
    for text in representation { bytes += Array(text.utf8) + [0xFF] }
    return EntityTag(version: number, of: bytes)
  }
}
