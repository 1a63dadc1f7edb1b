import JSONDatabase
import JSONStorage

/// Decides when writes are committed, and when other data takes the place of the data.
///
/// A state machine without effects: the owner of the data reports events, and carries out the actions that an event
/// returns, in order. A commit and other work go on at the same time:
///
///     commits  idle → scheduled → committing → idle
///     work     idle → applying → idle                  a change that takes long, on another thread
///              idle → preparing (→ copying) → idle     an edit, a reset or a snapshot takes over
///                     copying → blocked → idle         no copy of the replaced data could be made
///
/// Other data never takes over during a commit: a commit that meets an edit ends with this edit.
struct WriteScheduler {
  /// The work that all new writes wait for.
  enum Work {
    case idle
    /// Another thread applies a change that takes long.
    case applying(Requester)
    /// Other data takes the place of the data.
    case takingOver(Takeover)
  }

  enum Event {
    /// The time for writes to join a commit is over.
    case commitDue
    case commitEnded(CommitResult)
    /// An edit of a file, or writes of other servers, have arrived.
    case arrived(LoadedSource)
    /// Another thread has applied the change that takes long. It is entered before the actions.
    case applied
    /// The data of a takeover is ready.
    case prepared(Takeover.Effect)
    /// The copy of the data that a takeover replaces is durable, or could not be made.
    case copied(Result<String, StorageError>)
    /// Some time has passed since no copy could be made.
    case retryDue
    /// The actions of an event are carried out.
    case goOn
  }

  enum Action {
    /// Report `commitDue` after a time in which more writes may join the commit.
    case schedule(after: Duration)
    case commit(Batch)
    /// Keep the committed version, and respond. The error says why it may not survive a power cut.
    case finish(Batch, StorageError?)
    /// Go back to the saved version.
    case rollBack
    /// Refuse writes that could not be saved.
    case refuse([PendingResponse], RequestError)
    /// Apply writes of other servers.
    case apply(NewerVersion)
    /// Make the data of a takeover, and report `prepared`.
    case prepare(Takeover)
    /// Copy the data that a takeover replaces, and report `copied`.
    case copy(Takeover)
    /// Report `retryDue` after a while.
    case retryLater
    case adopt(LoadedFile, Database)
    case replaceAll(Database, PendingResponse)
    case warn(String)
    /// Let requesters make their changes and reads, perhaps once more.
    case resume([Requester])
    /// Let other servers write.
    case releaseTurn
    /// Report `goOn`.
    case goOn
  }

  private(set) var work = Work.idle
  var commits = CommitQueue()
  private var lastNumber = 0
  /// The writes that wait for the work to end, in order.
  private(set) var waiting: [Requester] = []
  /// The edits that wait for a commit or for the work to end, in order.
  private var edits: [LoadedFile] = []
  /// The versions of other servers that wait for a commit or for a takeover, in order.
  private var versions: [NewerVersion] = []
  /// Whether nobody else can write until this server's next commit.
  private var hasTurn = false
  /// The last warning of a takeover that is tried again.
  private var lastWarning: String?

  /// The number of the work in progress. The results of other work come too late.
  var workNumber: Int? { isIdle ? nil : lastNumber }

  /// The effect of a takeover that waits until a copy can be made.
  var blockedEffect: Takeover.Effect? {
    if case .takingOver(let takeover) = work, case .blocked(let effect, _) = takeover.phase { effect } else { nil }
  }

  private var isIdle: Bool { if case .idle = work { true } else { false } }

  private var isApplying: Bool { if case .applying = work { true } else { false } }

  // MARK: Writes

  /// Returns whether a write begins now; otherwise it waits for the work in progress.
  ///
  /// - Throws: 503 while no copy can be made of data that an edit removes.
  mutating func admit(_ requester: Requester) throws(RequestError) -> Bool {
    switch work {
    case .idle: return true
    case .takingOver(let takeover):
      if case .blocked(_, let message) = takeover.phase { throw RequestError(.unavailable, message) }
    case .applying: break
    }
    waiting.append(requester)
    return false
  }

  /// Begins a change that takes long, for a write that was admitted.
  mutating func beginApplying(for requester: Requester) { begin(.applying(requester)) }

  /// Begins the replacement of all data, for a write that was admitted.
  mutating func beginTakeover(by database: Database, _ pending: PendingResponse, removesUnseenEdit: Bool) -> [Action] {
    begin(Takeover(replacement: .all(database, pending), removesUnseenEdit: removesUnseenEdit))
  }

  private mutating func begin(_ takeover: Takeover) -> [Action] {
    begin(.takingOver(takeover))
    return [.prepare(takeover)]
  }

  private mutating func begin(_ work: Work) {
    self.work = work
    lastNumber += 1
  }

  // MARK: Events

  /// Changes the state, and returns what to do.
  ///
  /// Actions that change the data come before those that carry out requests, and these may report events of their own.
  ///
  /// - Parameter isNews: Whether a loaded source is newer than the served data.
  mutating func handle(_ event: Event, isNews: (LoadedSource) -> Bool) -> [Action] {
    switch (event, work) {
    case (.commitDue, _):
      // A commit gives up the turn, and without the turn a large write may begin again and again. A change of the state
      // alone waits for the turn as other writes do.
      guard let batch = commits.start(isAllowed: isIdle || !commits.open.changesOnlyState) else { return [] }
      hasTurn = false
      return [.commit(batch)]
    case (.commitEnded(.done), _): return [.finish(commits.finish(), nil), .goOn]
    case (.commitEnded(.uncertain(let error)), _): return [.finish(commits.finish(), error), .goOn]
    case (.commitEnded(.failed(let error)), _):
      let (failed, others) = takeUnsaved()
      let reads = failed.filter { !$0.isWrite }.map(\.requester)
      return [.rollBack, .refuse(failed.filter(\.isWrite), RequestError(error)), .resume(reads + others), .goOn]
    case (.commitEnded(.moved(to: .file(let edit))), _): return takeOver(edit)
    case (.commitEnded(.moved(to: .newer(let version))), _):
      hasTurn = true
      return apply(version, overtaking: [])
    case (.arrived(.file(let edit)), _):
      edits.append(edit)
      return [.goOn]
    case (.arrived(.newer(let version)), _):
      versions.append(version)
      return [.goOn]
    case (.applied, .applying): return [.resume(endWork()), .goOn]
    case (.prepared(let effect), .takingOver(var takeover)):
      guard takeover.removesUnseenEdit || !effect.lost.isEmpty else { return complete(takeover, effect) }
      takeover.phase = .copying(effect)
      work = .takingOver(takeover)
      return [.copy(takeover)]
    case (.copied(let result), .takingOver(let takeover)):
      guard case .copying(let effect) = takeover.phase else { return [] }
      return endCopying(result, for: takeover, effect)
    case (.retryDue, .takingOver(let takeover)):
      guard case .blocked = takeover.phase else { return [] }
      return [.resume(interrupt()), .goOn]
    case (.goOn, _): return next(isNews)
    case (.applied, _), (.prepared, _), (.copied, _), (.retryDue, _): return []
    }
  }

  /// Loads what others wrote, or schedules the next commit.
  private mutating func next(_ isNews: (LoadedSource) -> Bool) -> [Action] {
    while let version = takeNewer() {
      // A long change first gets the sole right to commit (the turn). Otherwise commits of other servers would cancel it each time.
      if isNews(.newer(version)) { return apply(version, overtaking: interrupt()) }
    }
    while let edit = takeEdit() {
      if isNews(.file(edit)) { return takeOver(edit) }
    }
    if hasTurn, isIdle, commits.isIdle {
      hasTurn = false
      return [.releaseTurn]
    }
    return scheduleCommit()
  }

  /// Schedules a commit for waiting writes, unless one is scheduled or in flight.
  mutating func scheduleCommit() -> [Action] { commits.schedule() ? [.schedule(after: commits.gatheringTime)] : [] }

  /// Removes the edits of the next file that can be loaded now, and returns the newest of these edits.
  ///
  /// A commit in flight is based on the old version: it ends with the same edit, unless the edit is in another file. A
  /// change that took long is committed first: the commit counts the attempts.
  private mutating func takeEdit() -> LoadedFile? {
    guard canReplaceData, isIdle, let first = edits.first else { return nil }
    defer { edits.removeAll { $0.name == first.name } }
    return edits.filter { $0.name == first.name }.max { $0.generation < $1.generation }
  }

  /// Removes the next writes of other servers that can be applied now, and returns these writes.
  ///
  /// They do not wait for a change that takes long, or no read would be served before it ends.
  private mutating func takeNewer() -> NewerVersion? {
    canReplaceData && (isIdle || isApplying) && !versions.isEmpty ? versions.removeFirst() : nil
  }

  /// Whether no commit, and no large change that waits for one, needs the version that it is based on.
  private var canReplaceData: Bool { !commits.isCommitting && !commits.open.isLarge }

  /// Applies writes of other servers, and carries out unsaved changes again.
  ///
  /// - Parameter overtaken: The requests that wait for the turn first.
  private mutating func apply(_ version: NewerVersion, overtaking overtaken: [Requester]) -> [Action] {
    let (failed, others) = takeUnsaved()
    for requester in overtaken { commits.add(PendingResponse(requester: requester, awaitsTurn: true), changing: []) }
    return [.rollBack, .apply(version), .resume(failed.map(\.requester) + others), .goOn]
  }

  /// Replaces the data with an edit, and carries out unsaved changes again.
  private mutating func takeOver(_ edit: LoadedFile) -> [Action] {
    let (failed, others) = takeUnsaved()
    waiting = failed.map { $0.isWrite ? $0.requester.affected { $0.collisions += 1 } : $0.requester } + others
    return [.rollBack] + begin(Takeover(replacement: .edit(edit)))
  }

  /// Takes out all requests whose effects are rolled back: those of the commit that has ended, and all others in order.
  private mutating func takeUnsaved() -> (failed: [PendingResponse], others: [Requester]) {
    let (failed, later) = commits.takeAll()
    return (failed.responses, later.responses.map(\.requester) + interrupt())
  }

  /// Cancels the work in progress. An edit is loaded again later.
  ///
  /// - Returns: The requests to carry out again, in order.
  private mutating func interrupt() -> [Requester] {
    switch work {
    case .idle: break
    case .applying(let requester): waiting.insert(requester, at: 0)
    case .takingOver(let takeover):
      switch takeover.replacement {
      case .edit(let edit): edits.insert(edit, at: 0)
      case .all(_, let pending): waiting.insert(pending.requester, at: 0)
      }
    }
    return endWork()
  }

  private mutating func endWork() -> [Requester] {
    defer { waiting = [] }
    work = .idle
    return waiting
  }

  // MARK: Takeovers

  private mutating func complete(_ takeover: Takeover, _ effect: Takeover.Effect) -> [Action] {
    let waiting = endWork()
    lastWarning = nil
    switch takeover.replacement {
    case .edit(let edit):
      return [.adopt(edit, effect.data), .resume(waiting.map { $0.affected { $0.hidesEdit = true } }), .goOn]
    case .all(_, let pending): return [.replaceAll(effect.data, pending), .resume(waiting), .goOn]
    }
  }

  private mutating func endCopying(
    _ result: Result<String, StorageError>, for takeover: Takeover, _ effect: Takeover.Effect
  ) -> [Action] {
    switch (result, takeover.replacement) {
    case (.success(let path), .edit):
      let message =
        "The edit removed or changed \(effect.list), written over HTTP; the old version is kept as '\(path)'."
      return [.warn(message)] + complete(takeover, effect)
    case (.success(let path), .all):
      let message = "All data was replaced while the file was edited; the edited version is kept as '\(path)'."
      return (takeover.removesUnseenEdit ? [.warn(message)] : []) + complete(takeover, effect)
    case (.failure(let error), .edit):
      // The version before the edit is the only one with the acknowledged writes.
      let message = """
        The edit would remove or change \(effect.list), written over HTTP, and the old version cannot be copied: \
        \(error.message) Until you correct this, the server serves the old version and writes nothing.
        """
      var takeover = takeover
      takeover.phase = .blocked(effect, message)
      let waiting = endWork()
      work = .takingOver(takeover)
      defer { lastWarning = message }
      return (message == lastWarning ? [] : [.warn(message)]) + [.retryLater, .resume(waiting)]
    case (.failure(let error), .all(_, let pending)):
      let waiting = endWork()
      let message = "The data was not replaced, since no copy of \(effect.list) could be kept: \(error.message)"
      return [.refuse([pending], RequestError(.unavailable, message)), .resume(waiting), .goOn]
    }
  }
}

/// A replacement of the data, which waits until the acknowledged writes that it removes have a durable copy.
///
/// Until then readers see the old version, and writes wait.
struct Takeover {
  enum Replacement {
    /// An edit of a file.
    case edit(LoadedFile)
    /// Other data that a client has requested: a reset, a snapshot.
    case all(Database, PendingResponse)
  }

  enum Phase {
    /// The new data is made.
    case preparing
    /// The old version is copied.
    case copying(Effect)
    /// No copy could be made, as the message says; the takeover is tried again later.
    case blocked(Effect, String)
  }

  /// The result of a replacement.
  struct Effect: Sendable {
    let data: Database
    /// The lost records: those that the replacement removes or changes, whose author may not have seen them.
    let lost: [String]

    /// The first of the lost records, for a message.
    var list: String {
      guard !lost.isEmpty else { return "an edit of the file" }
      return lost.prefix(5).joined(separator: ", ") + (lost.count > 5 ? ", …" : "")
    }
  }

  let replacement: Replacement
  /// Whether the replacement removes an edit of the file that its requester cannot have seen.
  var removesUnseenEdit = false
  var phase = Phase.preparing
}

/// The responses that wait for one commit.
struct Batch {
  var responses: [PendingResponse] = []
  /// The positions of the changed resources.
  var resources: Set<Int> = []
  /// Whether one of the changes took long.
  var isLarge = false

  var isEmpty: Bool { responses.isEmpty }
  /// Takes out the reads that wait for the commit.
  mutating func takeReads() -> [PendingResponse] {
    defer { responses.removeAll(where: \.isRead) }
    return responses.filter(\.isRead)
  }

  /// How long the oldest of the writes has waited.
  func age(now: Duration = System.uptime) -> Duration {
    now - (responses.lazy.filter(\.isWrite).compactMap(\.requester.context?.started).min() ?? now)
  }

  /// Whether the commit changes the state, and no data.
  var changesOnlyState: Bool { resources.isEmpty && responses.contains(where: \.isWrite) }
  /// Whether the commit only takes the turn, and its requests are carried out after that.
  var takesTurn: Bool { responses.contains(where: \.awaitsTurn) }
}

/// The writes that are not on disk yet: the batch that is being written, and the next batch (group commit).
struct CommitQueue {
  enum State {
    case idle
    /// A commit begins soon: more writes may join it until then.
    case scheduled
    /// The store writes a batch.
    case committing(Batch)
  }

  private(set) var state = State.idle
  private(set) var open = Batch()
  /// The duration of the last commit.
  private(set) var lastDuration = Duration.zero
  private var startTime = Duration.zero

  var isCommitting: Bool { inFlight != nil }

  /// Whether everything is on disk.
  var isIdle: Bool { !isCommitting && open.isEmpty }

  private var inFlight: Batch? { if case .committing(let batch) = state { batch } else { nil } }

  /// Adds an applied write to the next commit.
  mutating func add(_ response: PendingResponse, changing resources: Set<Int>) {
    open.responses.append(response)
    open.resources.formUnion(resources)
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
    if case .committing(var batch) = state, resource.map(batch.resources.contains) ?? true {
      state = .idle
      batch.responses.append(response)
      state = .committing(batch)
      return true
    }
    return false
  }

  /// Takes out the reads that wait for the commit in flight, or for the next one.
  mutating func takeReads() -> [PendingResponse] {
    let later = open.takeReads()
    guard case .committing(var batch) = state else { return later }
    defer { state = .committing(batch) }
    return batch.takeReads() + later
  }

  /// The time that a commit waits for writes to join it.
  ///
  /// The clients of the last commit write again immediately; without waiting, every second commit would be nearly
  /// empty. After a short commit these writes come soon enough for the next one.
  var gatheringTime: Duration {
    lastDuration < .milliseconds(32) ? .zero : min(lastDuration / 16, .milliseconds(10))
  }

  /// Returns whether a batch needs a scheduled commit, and records that it will be scheduled.
  mutating func schedule() -> Bool {
    guard case .idle = state, !open.isEmpty else { return false }
    state = .scheduled
    return true
  }

  /// Starts the scheduled commit, and returns its batch; `nil` when nothing is left to commit, or the commit must wait.
  ///
  /// - Parameter now: The system's uptime.
  mutating func start(isAllowed: Bool = true, now: Duration = System.uptime) -> Batch? {
    guard case .scheduled = state else { return nil }
    state = .idle
    guard isAllowed, !open.isEmpty else { return nil }
    defer { open = Batch() }
    startTime = now
    state = .committing(open)
    return open
  }

  /// Ends the commit in flight, and returns its batch.
  mutating func finish(now: Duration = System.uptime) -> Batch {
    lastDuration = now - startTime
    defer { state = .idle }
    return inFlight ?? Batch()
  }

  /// Takes all batches out, the one in flight first.
  mutating func takeAll() -> (inFlight: Batch, open: Batch) {
    defer { open = Batch() }
    guard let batch = inFlight else { return (Batch(), open) }
    state = .idle
    return (batch, open)
  }
}
