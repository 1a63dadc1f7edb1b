import HTTPTypes
import JSONDatabase
import JSONStorage

/// A replacement of data that waits until a copy of the acknowledged writes it removes is durable.
///
/// Until then readers see the version before, and writes wait.
struct Takeover {
  enum Replacement {
    /// An edit from outside.
    case edit(LoadedSource)
    /// Other data that a client asked for: a reset, a snapshot.
    case all(Database, PendingResponse)
  }

  /// The result of a replacement.
  struct Effect: Sendable {
    let data: Database
    /// The records that it removes or reverts although nobody who made it had seen them.
    let lost: [String]

    /// - Parameter base: The data as it was last read from outside; `nil` where nothing is kept of what is lost.
    init(_ data: Database, of version: Database, since base: Database?) {
      self.data = data
      lost = base.map { version.lostUpdates(by: data, since: $0) } ?? []
    }
  }

  let replacement: Replacement
  /// Tells it from one that was begun again since.
  var number = 0
  /// Whether it removes an edit of the file that who asked for it cannot have seen.
  var removesUnseenEdit = false
  /// The result; `nil` until it is known.
  var effect: Effect?
  /// The requests that are carried out when it is done.
  var waiting: [Requester] = []
  /// Why no copy has been made so far.
  var failure: String?

  private var lost: [String] { effect?.lost ?? [] }

  /// Whether a copy of the version before has to be durable first.
  var needsCopy: Bool { !lost.isEmpty || removesUnseenEdit }

  /// The first of the records that it removes, for a message.
  var list: String {
    guard !lost.isEmpty else { return "an edit of the file" }
    return lost.prefix(5).joined(separator: ", ") + (lost.count > 5 ? ", …" : "")
  }
}

extension WriteCoordinator {
  /// Whether a copy is kept of what an edit, a reset or a snapshot removes.
  var hasHistory: Bool { store != nil && shared == nil && durability != .ephemeral }

  /// Takes over what happened to the source.
  func receive(_ edit: SourceEdit, on engine: isolated Engine) {
    let onEvent = engine.configuration.onEvent
    switch edit {
    case .changed(let source):
      invalidSource = nil
      delayedEdits.append(source)
      takeDelayedEdits(on: engine)
    case .invalid(let error):
      let message = ServerError(error).description
      invalidSource = message
      onEvent(.invalid(message: message))
    case .restored(let path):
      invalidSource = nil
      onEvent(.restored(path: path))
    case .deleted(let path): onEvent(.deleted(path: path))
    case .conflict(let path):
      onEvent(.warning("An editor saved a version that had been replaced before; its text is kept as '\(path)'."))
    case .conflictLost(let error): onEvent(.warning(error.message))
    }
  }

  /// Takes over the edits that have arrived, unless something must end first.
  ///
  /// A commit in flight was built on the version before: it ends with the same edit, unless it is of other files.
  func takeDelayedEdits(on engine: isolated Engine) {
    if let shared { return takeForeignChanges(shared, on: engine) }
    while commits.inFlight == nil, takeover == nil, largeWrite == nil, !delayedEdits.isEmpty {
      let source = delayedEdits.removeFirst()
      // What was opened at the start is generation 0; a file that came later brings its own.
      let known = generations[source.name] ?? (database.resource(named: source.name) == nil ? -1 : 0)
      if source.generation > known { takeOver(source, on: engine) }
    }
  }

  /// Takes an edited source as the base, and carries out again what was not saved.
  ///
  /// When the edit removes or reverts acknowledged writes, a copy of them is made durable first (R2).
  func takeOver(_ source: LoadedSource, on engine: isolated Engine) {
    if let shared { return takeOver(source, from: shared, on: engine) }
    let waiting = takeBackUnsavedRequests(on: engine)
    guard takeover == nil else {
      takeover?.waiting += waiting
      delayedEdits.append(source)
      return
    }
    begin(Takeover(replacement: .edit(source), waiting: waiting), on: engine)
  }

  /// Replaces all data, and responds when that is saved.
  ///
  /// When that removes acknowledged writes, or an edit that was taken over while the request waited, a copy of them is
  /// made durable first.
  ///
  /// - Throws: 403, 409 or 503, when that is not allowed; nothing is changed then.
  func replaceAll(
    with other: Database, for requester: Requester, _ response: PreparedResponse, on engine: isolated Engine
  ) throws(RequestError) {
    guard try engine.mayBegin("replacing all data", for: requester) else { return }
    if store?.hasFixedResources == true { try database.requireFiles(of: other, all: true) }
    let pending = PendingResponse(requester: requester, response: response)
    begin(Takeover(replacement: .all(other, pending), removesUnseenEdit: requester.isOvertaken), on: engine)
  }

  /// - Parameter failed: The same takeover, as far as no copy could be made for it.
  private func begin(_ new: Takeover, after failed: Takeover? = nil, on engine: isolated Engine) {
    let number = engine.nextNumber()
    takeover = new
    takeover?.number = number
    let (version, base) = (database, hasHistory ? initial : nil)
    let replace = new.replacement.applied(by: ids)
    let goOn: @Sendable (isolated Engine, Takeover.Effect) -> Void = { engine, effect in
      guard engine.writes.takeover?.number == number else { return }
      engine.writes.goOn(with: effect, after: failed, on: engine)
    }
    guard !version.isSmall || new.replacement.isLarge else {
      return goOn(engine, Takeover.Effect(replace(version), of: version, since: base))
    }
    WorkerThreads.changes.run { [loop = engine.loop] in
      let data = replace(version)
      // Its first readers find the records at once.
      data.readLargeCollections()
      let effect = Takeover.Effect(data, of: version, since: base)
      loop.execute { engine.assumeIsolated { goOn($0, effect) } }
    }
  }

  private func goOn(with effect: Takeover.Effect, after failed: Takeover?, on engine: isolated Engine) {
    guard var takeover else { return }
    takeover.effect = effect
    if let failed, failed.effect?.lost == effect.lost { takeover.failure = failed.failure }
    self.takeover = takeover
    if !takeover.needsCopy || !hasHistory {
      complete(on: engine)
    } else {
      saveHistory(of: takeover, on: engine)
    }
  }

  private func saveHistory(of takeover: Takeover, on engine: isolated Engine) {
    let part: String? =
      if case .edit(let source) = takeover.replacement, !source.name.isEmpty { source.name } else { nil }
    let number = takeover.number
    store?.saveHistory(of: database, part: part) { result in
      engine.loop.execute {
        engine.assumeIsolated { engine in
          guard engine.writes.takeover?.number == number else { return }
          engine.writes.endSavingHistory(result, on: engine)
        }
      }
    }
  }

  /// Cancels a replacement of all data that is not done yet; earlier requests are carried out again.
  ///
  /// - Returns: What is to be carried out again, in order.
  func abandonReplacement() -> [Requester] {
    guard let takeover, case .all(_, let pending) = takeover.replacement else { return [] }
    self.takeover = nil
    return [pending.requester] + takeover.waiting
  }

  private func endSavingHistory(_ result: Result<String, StorageError>, on engine: isolated Engine) {
    guard let takeover else { return }
    switch (result, takeover.replacement) {
    case (.success(let path), .edit):
      engine.configuration.onEvent(
        .warning(
          "The edit removed or reverted \(takeover.list), written over HTTP; the version before is kept as '\(path)'."))
      complete(on: engine)
    case (.success(let path), .all):
      if takeover.removesUnseenEdit {
        engine.configuration.onEvent(
          .warning("All data was replaced while the file was edited; the edited version is kept as '\(path)'."))
      }
      complete(on: engine)
    case (.failure(let error), .edit): postponeTakeover(because: error, on: engine)
    case (.failure(let error), .all(_, let pending)):
      self.takeover = nil
      let message = "The data was not replaced, since no copy of \(takeover.list) could be kept: \(error.message)"
      engine.refuse(pending.requester, because: RequestError(.unavailable, message))
      resume(takeover.waiting, on: engine)
      takeDelayedEdits(on: engine)
    }
  }

  /// Goes on serving the version before an edit, which is the only one with the acknowledged writes, and tries again.
  private func postponeTakeover(because error: StorageError, on engine: isolated Engine) {
    guard let takeover else { return }
    let message = """
      The edit would remove or revert \(takeover.list), written over HTTP, and no copy of the version before can be kept: \
      \(error.message) That version is still served, and nothing is written; correct that, and the edit is served.
      """
    if takeover.failure != message { engine.configuration.onEvent(.warning(message)) }
    self.takeover?.failure = message
    self.takeover?.waiting = []
    for requester in takeover.waiting { engine.carryOut(requester) }
    let number = takeover.number
    engine.loop.schedule(after: .seconds(1)) {
      engine.assumeIsolated { engine in
        // A newer edit has begun a takeover of its own, which is not to begin again.
        if engine.writes.takeover?.number == number { engine.writes.retryTakeover(on: engine) }
      }
    }
  }

  /// Takes over the newest edit instead of the one for which no copy could be made.
  func retryTakeover(on engine: isolated Engine) {
    guard !engine.isClosed, let failed = takeover, case .edit(let source) = failed.replacement else { return }
    takeover = nil
    let newest = delayedEdits.last { $0.name == source.name } ?? source
    delayedEdits.removeAll { $0.name == source.name }
    begin(Takeover(replacement: .edit(newest), waiting: takeBackUnsavedRequests(on: engine)), after: failed, on: engine)
    takeDelayedEdits(on: engine)
  }

  private func complete(on engine: isolated Engine) {
    guard let takeover, let effect = takeover.effect else { return }
    self.takeover = nil
    var waiting = takeover.waiting
    switch takeover.replacement {
    case .edit(let source):
      adopt(source, effect.data, on: engine)
      waiting = waiting.map(\.overtaken)
    case .all(_, var pending):
      pending.change = .replaced(database.resourceNames(andOf: effect.data))
      let base = database
      var changed = base
      changed.restore(from: effect.data)
      take(changed)
      deletions.removeAll()
      enqueueCommit(pending, since: base, always: true, on: engine)
    }
    resume(waiting, on: engine)
    takeDelayedEdits(on: engine)
  }

  func resume(_ waiting: [Requester], on engine: isolated Engine) {
    for requester in waiting {
      // Where servers share a database, each conflict is another one's success.
      if requester.attempts >= 3, shared == nil {
        let message = "The file is being edited again and again; the write was not saved. Try again."
        engine.refuse(requester, because: RequestError(.unavailable, message))
      } else {
        engine.carryOut(requester)
      }
    }
  }

  private func adopt(_ source: LoadedSource, _ edited: Database, on engine: isolated Engine) {
    if case .part(let part) = source.content {
      initial.replace(with: part.taken(from: edited.separated()), ids: ids)
      // A resource whose file is new joins what the snapshots go back to.
      engine.snapshots.add(part)
    } else {
      initial = source.applied(to: initial, ids: ids).separated()
    }
    let names = database.resourceNames(andOf: edited)
    adopt(edited)
    engine.readAhead()
    generations[source.name] = source.generation
    store?.adopt(source)
    engine.events.publishReload(of: names)
    if !engine.isClosed { engine.configuration.onEvent(.reloaded(resources: database.resourceNames)) }
  }
}

extension Takeover.Replacement {
  /// Whether taking it over takes noticeably long.
  var isLarge: Bool {
    switch self {
    case .edit(let source): source.isLarge
    case .all(let other, _): !other.isSmall
    }
  }

  /// Makes the data of it.
  fileprivate func applied(by ids: IDGenerator) -> @Sendable (Database) -> Database {
    switch self {
    case .edit(let source): { source.applied(to: $0, ids: ids) }
    case .all(let other, _): { _ in other }
    }
  }
}
