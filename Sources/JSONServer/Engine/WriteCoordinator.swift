import JSONDatabase
import JSONServerResources
import JSONServerValues
import JSONStorage

/// Owns the data: makes writes durable, in groups, and loads edits of the source.
///
/// It belongs to one engine, runs on its event loop, and lets that engine respond. Its scheduler decides the order of what
/// happens.
final class WriteCoordinator {
  /// A version of the data, with what belongs to it.
  private struct Version {
    var database: Database
    /// The deletions that can be undone.
    var deletions = Deletions()
    /// The server's state in addition to the data.
    var state: ServerState
    /// The number of tokens that the version's unsaved deletions of users have voided.
    var voidCount = 0
  }

  /// The current data, including unsaved changes.
  private(set) var database: Database { didSet { reads.forget() } }
  /// The responses to reads of ``database``.
  var reads = KeptReads()
  /// The deletions that can be undone.
  var deletions = Deletions()
  /// The server's state in addition to the data.
  private(set) var state: ServerState
  /// The tokens that unsaved deletions of users have voided. A rollback of the data makes these tokens valid again.
  private var voidedTokens: [ServerState.Row] = []
  /// The saved version. Changes that cannot be saved are rolled back to it. Where nothing is saved, the current version.
  private var saved: Version
  /// The version that the store writes.
  private var committed: Version?
  private(set) var scheduler = WriteScheduler()
  private var slowCommitNotice: EventLoopExecutor.ScheduledTask?
  /// The number of the version on which the commit in flight is based.
  private var commitBase = 0
  /// Ends the wait of reads for the commit in flight.
  private var readTimeout: EventLoopExecutor.ScheduledTask?
  /// Whether reads show the saved data instead of waiting for the commit of later data.
  private var readsSaved = false
  /// The last version of other servers that has arrived. Reads show it while a commit keeps it from being applied.
  private var ahead: NewerVersion?
  /// Whether no read waits for a commit.
  private let readsAreLocal: Bool
  /// The longest time that reads wait for a commit in flight: longer than nearly all commits take.
  private static let readPatience = Duration.milliseconds(500)
  let ids: IDGenerator
  /// The store; `nil` for data in memory.
  let store: (any Store)?
  /// The requests that wait for the number of the newest version.
  let readIndex: ReadIndex
  /// The error of the file, while the last valid version is served; `nil` for none.
  private(set) var invalidSource: String?
  /// The data that was last loaded from the source: a reset restores it, and an edit can lose only later writes.
  private(set) var initial: Database
  /// Whether a copy is kept of data that an edit, a reset or a snapshot removes.
  let hasHistory: Bool
  /// Whether responses show only saved data.
  private let showsOnlySaved: Bool
  private(set) var revisions = Revisions()
  /// What has changed, for clients that ask for it.
  var deltas = Deltas()
  /// The number of times that unsaved changes were rolled back.
  private(set) var retractions = 0
  /// The generation of each file on which the data is based, by resource.
  private var generations: [String: Int] = [:]

  init(
    _ source: OpenedSource, initial: Database, ids: IDGenerator, durability: Server.Configuration.Durability,
    reads: Reads = .linearizable
  ) {
    database = source.database
    state = source.state.map { ServerState(saved: $0) } ?? ServerState()
    saved = Version(database: database, state: state)
    self.initial = initial
    store = source.store
    readIndex = ReadIndex(source.store)
    readsAreLocal = reads == .local
    self.ids = ids
    hasHistory = store?.hasHistory == true && durability != .ephemeral
    // Other servers show and keep only committed data.
    showsOnlySaved = store?.isShared == true || durability == .full
  }

  // MARK: Versions

  /// Whether everything is on disk.
  var isSaved: Bool { scheduler.commits.isIdle }

  /// The number of the version on which the next commit is based; negative when that is unknown.
  private var baseVersion: Int { store?.version ?? 0 }

  /// The number of the version that ``database`` is based on: only what the event loop knows to be committed.
  var dataVersion: Int { scheduler.commits.isCommitting ? min(commitBase, baseVersion) : baseVersion }

  /// The number of the version that reads show.
  var shownVersion: Int { max(dataVersion, ahead?.number ?? dataVersion) }

  /// Whether reads show a version of other servers that is not applied yet.
  private var showsAhead: Bool { ahead.map { $0.number > dataVersion } ?? false }

  /// The data that reads show.
  var shown: Database {
    if showsAhead, let ahead { return ahead.database }
    return showsSaved ? saved.database : database
  }

  /// Whether all data that reads show is saved.
  var isShownSaved: Bool { isSaved || showsSaved || showsAhead }

  /// Whether reads show ``database``, and all of it is saved.
  var showsSavedDatabase: Bool { isSaved && ahead == nil }

  /// Whether reads show other data than writes change.
  var showsOther: Bool { showsSaved || showsAhead }

  private var showsSaved: Bool { !isSaved && store?.isShared == true && (readsSaved || readsAreLocal) }

  /// Replaces the data with a changed version.
  func take(_ changed: Database) {
    Self.replace(&database, with: changed)
  }

  /// Replaces the data with a loaded version; nothing is left to save.
  ///
  /// - Parameter positions: The positions of the resources that differ; `nil` for all.
  private func adopt(_ read: Database, changing positions: Set<Int>? = nil) {
    take(read)
    deletions.kept = [:]
    recordSaved(database, deletions)
    if let positions { revisions.change(positions) } else { revisions.changeAll() }
  }

  /// Replaces the state with what the store holds.
  ///
  /// - Parameter isWhole: Whether this is the complete state.
  private func takeState(_ rows: [ServerState.Row], isWhole: Bool, on engine: isolated Engine) {
    let keys = (isWhole ? state.keys : []) + rows.map(\.key)
    if isWhole { state = ServerState(saved: rows) } else { state.apply(rows) }
    saved.state = state
    engine.follow(keys)
  }

  /// Changes the state, and returns the places of the changes.
  func changeState<Success, Failure: Error>(
    _ change: (inout ServerState) throws(Failure) -> Success
  ) throws(Failure) -> (Success, [ServerState.Key]) {
    let mark = state.mark
    let success = try change(&state)
    return (success, state.keys(changedSince: mark))
  }

  /// Voids tokens whose users are gone from the current data; a rollback of the data makes the tokens valid again.
  func voidTokens(where isGone: (_ holder: Tokens.Holder) -> Bool) {
    let before = state
    let (_, keys) = changeState { Tokens.revoke(in: &$0, where: isGone) }
    voidedTokens += keys.map { ServerState.Row($0, before[$0.kind, $0.name]) }
  }

  /// - Parameter voidCount: The number of tokens that deletions up to this version have voided; `nil` for all.
  private func recordSaved(_ version: Database, _ deletions: Deletions, voidCount: Int? = nil) {
    voidedTokens.removeFirst(voidCount ?? voidedTokens.count)
    Self.replace(&saved.database, with: version)
    saved.deletions = deletions
  }

  /// Replaces a version; another thread frees the old version where that takes long.
  private static func replace(_ version: inout Database, with next: Database) {
    if version.isSmall { version = next } else { WorkerThreads.release(&version, leaving: next) }
  }

  /// Brings the history up to date, if a client asks for it.
  private func follow(_ record: (inout ChangeHistory) -> Void) {
    if deltas.history.isActive { record(&deltas.history) }
  }

  /// Goes back to the saved version.
  private func rollBack(on engine: isolated Engine) {
    let lost = state.rows(since: saved.state.mark).map(\.key)
    if !lost.isEmpty {
      state = saved.state
      engine.follow(lost)
    }
    if !database.isIdentical(to: saved.database) {
      revisions.changeAll()
      retractions += 1
      follow { $0.record(saved.database.changes(since: database)) }
      take(saved.database)
      deletions.goBack(to: saved.deletions)
      state.apply(voidedTokens)
      voidedTokens = []
      engine.signIn?.forgetUsers(on: engine)
    }
  }

  /// Removes the empty slots of deleted records, if there are many and no kept deletion can fill them.
  private func compact(since base: Database, on engine: isolated Engine) {
    if database.compact(since: base, except: Set(deletions.kept.values.flatMap(\.positions))) { engine.readAhead() }
  }

  // MARK: Pending responses

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
    pending.owners = engine.signIn?.ownersOfDeleted(pending.change, in: base) ?? [:]
    revisions.change(resources)
    follow { $0.record(database.changes(since: base)) }
    guard store != nil else {
      compact(since: base, on: engine)
      recordSaved(database, deletions)
      return acknowledge(pending, on: engine)
    }
    commit(pending, changing: resources, on: engine)
  }

  /// Adds a response to the next commit. Its change is applied, and later requests on its connection may join the
  /// commit.
  private func commit(_ pending: PendingResponse, changing resources: Set<Int>, on engine: isolated Engine) {
    scheduler.commits.add(pending, changing: resources)
    perform(scheduler.scheduleCommit(), on: engine)
    pending.requester.proceed()
  }

  /// Sends a response when a crash can no longer undo the data that it shows.
  ///
  /// - Parameter resource: The only resource that the response shows; `nil` when there may be several.
  func respondWhenDurable(
    _ pending: PendingResponse, showing resource: @autoclosure () -> String?, on engine: isolated Engine
  ) {
    // A read that took long began before reads stopped waiting.
    if pending.isRead, showsOther { return pending.requester.resume(on: engine) }
    if !isSaved, showsOnlySaved,
      scheduler.commits.wait(pending, for: resource().flatMap { try? database.position(of: $0) })
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
    commit(pending, changing: [], on: engine)
  }

  /// Responds when all changes are in the file, even where readers do not wait for that.
  func respondWhenSaved(_ pending: PendingResponse, on engine: isolated Engine) {
    if scheduler.commits.wait(pending, for: nil) { return pending.requester.proceed() }
    pending.requester.completion(engine, .success(pending.response))
  }

  /// Does work when all earlier writes are saved and visible in the database.
  ///
  /// - Parameter other: The work when a write was rolled back instead.
  func whenSaved(
    on engine: isolated Engine, _ work: @escaping @Sendable (isolated Engine) -> Void,
    orElse other: @escaping @Sendable (isolated Engine) -> Void
  ) {
    let requester = Requester { engine, _ in
      other(engine)
    } completion: { engine, _ in
      engine.execute(work)
    }
    respondWhenSaved(PendingResponse(requester: requester), on: engine)
  }

  /// Publishes the change of a request, and sends its response.
  ///
  /// - Parameter error: The response of a write in place of its own.
  private func acknowledge(_ pending: PendingResponse, or error: StorageError? = nil, on engine: isolated Engine) {
    if let change = pending.change {
      engine.reportDependents(of: change)
      engine.events.endVoidWatches(on: engine)
      engine.events.publish(
        change, resources: pending.resources, owners: pending.owners, users: engine.authorization?.users)
    }
    let failure = pending.isWrite ? error.map(RequestError.init) : nil
    pending.requester.completion(engine, failure.map(Result.failure) ?? .success(pending.response))
  }

  // MARK: Changes that take long

  /// Returns whether a write begins now; otherwise it waits for other work.
  ///
  /// - Throws: 503 while no copy can be made of data that an edit removes.
  func admit(_ requester: Requester) throws(RequestError) -> Bool { try scheduler.admit(requester) }

  /// Begins a change that takes long, and returns its number.
  func beginApplying(for requester: Requester) -> Int? {
    scheduler.beginApplying(for: requester)
    return scheduler.workNumber
  }

  /// Ends a change that takes long, unless the change was canceled.
  ///
  /// - Parameters:
  ///   - number: The number of the change.
  ///   - enter: Enters the result.
  func endApplying(_ number: Int?, on engine: isolated Engine, enter: () -> Void) {
    guard scheduler.workNumber == number else { return }
    let actions = scheduler.handle(.applied, isNews: isNews)
    enter()
    scheduler.commits.markLarge()
    perform(actions, on: engine)
  }

  /// Replaces all data, and responds when the new data is saved.
  ///
  /// Acknowledged writes that this removes, and an edit that was loaded while the request waited, get a durable copy
  /// first.
  ///
  /// - Throws: 403, 409 or 503, when the replacement is refused; nothing is changed then.
  func replaceAll(
    with other: Database, for requester: Requester, _ response: PreparedResponse, on engine: isolated Engine
  ) throws(RequestError) {
    guard try engine.beginOrQueue("replacing all data", for: requester) else { return }
    if store?.hasFixedResources == true { try database.requireFiles(of: other, all: true) }
    let pending = PendingResponse(requester: requester, response: response)
    let removesUnseenEdit = hasHistory && requester.editEffects.hidesEdit
    perform(scheduler.beginTakeover(by: other, pending, removesUnseenEdit: removesUnseenEdit), on: engine)
  }

  // MARK: What happens

  /// Processes a change of the source.
  func receive(_ edit: SourceEdit, on engine: isolated Engine) {
    let onEvent = engine.configuration.onEvent
    switch edit {
    case .changed(let source):
      invalidSource = nil
      if case .newer(let version) = source, scheduler.commits.isCommitting { ahead = version }
      handle(.arrived(source), on: engine)
    case .invalid(let error):
      let message = ServerError(error).description
      invalidSource = message
      onEvent(.invalid(message: message))
    case .restored(let path):
      invalidSource = nil
      onEvent(.restored(path: path))
    case .deleted(let path): onEvent(.deleted(path: path))
    case .conflict(let path):
      onEvent(.warning("A program wrote into a version that had already been replaced; the text is kept as '\(path)'."))
    case .conflictLost(let error): onEvent(.warning(error.message))
    case .warned(let warning, let path): onEvent(.warning(warning.message(path)))
    }
  }

  /// Processes a result of work, unless the work was canceled.
  ///
  /// - Parameter number: The number of the work.
  func handle(_ event: WriteScheduler.Event, ofWork number: Int?, on engine: isolated Engine) {
    if scheduler.workNumber == number { handle(event, on: engine) }
  }

  func handle(_ event: WriteScheduler.Event, on engine: isolated Engine) {
    perform(scheduler.handle(event, isNews: isNews), on: engine)
  }

  private func isNews(_ source: LoadedSource) -> Bool {
    switch source {
    case .newer(let version): return version.number > baseVersion
    case .file(let file):
      // Opened files begin with generation 0; a later file brings its own generation.
      let known = generations[file.name] ?? (database.resource(named: file.name) == nil ? -1 : 0)
      return file.generation > known
    }
  }

  private func perform(_ actions: [WriteScheduler.Action], on engine: isolated Engine) {
    for action in actions {
      switch action {
      case .schedule(after: .zero): engine.execute { $0.writes.handle(.commitDue, on: $0) }
      case .schedule(after: let wait): engine.execute(after: wait) { $0.writes.handle(.commitDue, on: $0) }
      case .commit(let batch): start(batch, on: engine)
      case .finish(let batch, let error): finish(batch, error, on: engine)
      case .rollBack: rollBack(on: engine)
      case .refuse(let writes, let error):
        for pending in writes { pending.requester.completion(engine, .failure(error)) }
      case .apply(let version): apply(version, on: engine)
      case .prepare(let takeover): prepare(takeover, on: engine)
      case .copy(let takeover): saveHistory(of: takeover, on: engine)
      case .retryLater:
        let number = scheduler.workNumber
        engine.execute(after: .seconds(1)) { engine in
          if engine.phase != .closed { engine.writes.handle(.retryDue, ofWork: number, on: engine) }
        }
      case .adopt(let file, let edited): adopt(file, edited, on: engine)
      case .replaceAll(let other, let pending): replaceAll(with: other, pending, on: engine)
      case .warn(let message): engine.configuration.onEvent(.warning(message))
      case .resume(let requesters): resume(requesters, on: engine)
      case .releaseTurn: store?.releaseTurn()
      case .goOn:
        handle(.goOn, on: engine)
        readIndex.release(on: engine)
      }
    }
  }

  private func resume(_ requesters: [Requester], on engine: isolated Engine) {
    for requester in requesters {
      if requester.editEffects.collisions >= 3 {
        let message = "The file is being edited again and again; the write was not saved. Try again."
        requester.completion(engine, .failure(RequestError(.unavailable, message)))
      } else {
        requester.resume(on: engine)
      }
    }
  }

  // MARK: Commits

  private func start(_ batch: Batch, on engine: isolated Engine) {
    guard let store else { return }
    let version = Version(
      database: database, deletions: deletions, state: state, voidCount: voidedTokens.count)
    committed = version
    commitBase = store.version
    if store.isShared {
      readTimeout = engine.execute(after: Self.readPatience) { $0.writes.showSaved(on: $0) }
    }
    watchSlowCommit(of: version.database, on: engine)
    let completion: @Sendable (CommitResult) -> Void = { result in
      engine.execute { $0.writes.endCommit(result, on: $0) }
    }
    guard !batch.takesTurn else { return store.takeTurn(age: batch.age(), completion: completion) }
    store.commit(
      version.database, after: saved.database, writing: batch.resources, state.rows(since: saved.state.mark),
      age: batch.age(), completion: completion)
  }

  /// Carries out waiting reads with the saved data: the commit in flight waits for somebody, or takes long.
  private func showSaved(on engine: isolated Engine) {
    readsSaved = true
    resume(scheduler.commits.takeReads().map(\.requester), on: engine)
  }

  private func endCommit(_ result: CommitResult, on engine: isolated Engine) {
    slowCommitNotice?.cancel()
    readTimeout?.cancel()
    if case .done = result { readsSaved = false }
    handle(.commitEnded(result), on: engine)
    committed = nil
    if shownVersion == dataVersion { ahead = nil }
    // The failed commit does not bring the version for which others wait.
    if case .failed = result { readIndex.retry(on: engine) }
  }

  /// Records that the committed version is in the file, and responds.
  private func finish(_ batch: Batch, _ error: StorageError?, on engine: isolated Engine) {
    guard let version = committed else { return }
    let base = saved.database
    recordSaved(version.database, version.deletions, voidCount: version.voidCount)
    saved.state = version.state
    saved.state.forgetChanges(upTo: version.state.mark)
    state.forgetChanges(upTo: version.state.mark)
    // A change on another thread is based on the old slots.
    if scheduler.workNumber == nil {
      compact(since: base, on: engine)
      if isSaved { recordSaved(database, deletions) }
    }
    if error == nil { reportSlowCommit(of: version.database, on: engine) }
    for pending in batch.responses { acknowledge(pending, or: error, on: engine) }
  }

  /// Logs a notice when a commit takes long. After a fast commit, the next one will be fast.
  private func watchSlowCommit(of version: Database, on engine: isolated Engine) {
    let lastDuration = scheduler.commits.lastDuration
    guard lastDuration == .zero || lastDuration > ServerEvent.slowDuration / 2 else { return }
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
    let duration = scheduler.commits.lastDuration
    guard duration > ServerEvent.slowDuration else { return }
    let title = engine.configuration.title
    let message = "wrote \(title), \(Self.size(of: version)), in \(LogText.seconds(duration))"
    engine.configuration.onEvent(.working(message))
  }

  // MARK: Newer data of the source

  /// Applies the writes of other servers. These are the next version: unlike people who edit a file, other servers knew the
  /// version before. The scheduler then carries out unsaved writes again, without a limit: each conflict is the success of
  /// another server.
  private func apply(_ newer: NewerVersion, on engine: isolated Engine) {
    let (base, version) = (database, baseVersion)
    if let since = newer.since {
      // After a commit with an unknown outcome, and after a failover, only the whole database is reliable.
      guard since <= version else { return readIndex.retry(on: engine) }
      let positions = newer.database.changedPositions(since: base)
      follow { $0.record(newer.database.changes(since: base)) }
      // Other servers may have written to the slots of removed records.
      if !positions.isEmpty || newer.problem != nil { adopt(newer.database, changing: positions) }
    } else {
      if version < 0 { readIndex.retry(on: engine) }
      let names = database.resourceNames(andOf: newer.database)
      deltas.restart()
      adopt(newer.database)
      engine.readAhead()
      engine.events.publishReload(of: names)
      engine.configuration.onEvent(.reloaded(resources: database.resourceNames))
    }
    if let problem = newer.problem {
      invalidSource = problem
      engine.configuration.onEvent(.invalid(message: "The database holds data that cannot be served: \(problem)."))
    }
    takeState(newer.state, isWhole: newer.since == nil, on: engine)
    engine.signIn?.forgetUsers(on: engine)
    // After clients with void tokens have stopped watching.
    if newer.since != nil { engine.events.publish(database, since: base, on: engine) }
    store?.adopt(.newer(newer))
    if newer.since == nil || shownVersion == dataVersion { ahead = nil }
  }

  /// Serves an edit of a file, after its takeover was prepared.
  private func adopt(_ file: LoadedFile, _ edited: Database, on engine: isolated Engine) {
    if let part = file.part {
      initial.replace(with: part.taken(from: edited.separated()), ids: ids)
      // A resource with a new file is added to the snapshots.
      engine.keptSnapshots.add(part)
    } else {
      initial = file.applied(to: initial, ids: ids).separated()
    }
    let (base, names) = (database, database.resourceNames(andOf: edited))
    follow { $0.recordEdit(from: base, to: edited) }
    adopt(edited)
    engine.readAhead()
    generations[file.name] = file.generation
    store?.adopt(.file(file))
    engine.signIn?.forgetUsers(replacing: base, on: engine)
    // The edit is saved.
    voidedTokens = []
    engine.events.publishReload(of: names)
    if engine.phase != .closed { engine.configuration.onEvent(.reloaded(resources: database.resourceNames)) }
  }
}
