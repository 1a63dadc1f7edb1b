import JSONDatabase
import JSONStorage

/// A replacement of data that waits until the acknowledged writes which it removes have a durable copy.
///
/// Until then readers see the old version, and writes wait.
struct Takeover {
  enum Replacement {
    /// An edit of the source.
    case edit(LoadedSource)
    /// Other data that a client has requested: a reset, a snapshot.
    case all(Database, PendingResponse)
  }

  /// The result of a replacement.
  struct Effect: Sendable {
    let data: Database
    /// The lost records: those that the replacement removes or reverts, although its author had not seen them.
    let lost: [String]

    /// - Parameter base: The data that was last loaded from the source; `nil` where no copies are kept.
    init(_ data: Database, of version: Database, since base: Database?) {
      self.data = data
      lost = base.map { version.lostUpdates(by: data, since: $0) } ?? []
    }
  }

  let replacement: Replacement
  /// Distinguishes this takeover from its repetition.
  var number = 0
  /// Whether the replacement removes an edit of the file that its requester cannot have seen.
  var removesUnseenEdit = false
  /// The result; `nil` until it is known.
  var effect: Effect?
  /// The requests to carry out afterwards.
  var waiting: [Requester] = []
  /// The reason why no copy has been made so far.
  var failure: String?

  private var lost: [String] { effect?.lost ?? [] }

  /// Whether the old version must have a durable copy first.
  var needsCopy: Bool { !lost.isEmpty || removesUnseenEdit }

  /// The first of the lost records, for a message.
  var list: String {
    guard !lost.isEmpty else { return "an edit of the file" }
    return lost.prefix(5).joined(separator: ", ") + (lost.count > 5 ? ", …" : "")
  }
}

extension WriteCoordinator {
  /// Whether a copy is kept of data that an edit, a reset or a snapshot removes.
  var hasHistory: Bool { store?.isShared == false && durability != .ephemeral }

  /// Processes a change of the source.
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
      onEvent(.warning("A program saved over a version that had already been replaced; its text is kept as '\(path)'."))
    case .conflictLost(let error): onEvent(.warning(error.message))
    }
  }

  /// Loads the edits, and the writes of other servers, that have arrived, unless other work must end first.
  ///
  /// A commit in flight is based on the old version: it ends with the same edit, unless the edit is in another file.
  ///
  /// A large write waits for the turn after writes of other servers. Otherwise these would overtake it again and again,
  /// and no read would be served before it ended. A write that waits for its commit is not rolled back: a commit that
  /// collides takes the turn.
  func takeDelayedEdits(on engine: isolated Engine) {
    var overtaken: [Requester] = []
    while commits.inFlight == nil, takeover == nil, let source = delayedEdits.first,
      source.isOfServers ? !commits.open.isLarge : largeWrite == nil
    {
      delayedEdits.removeFirst()
      guard isNews(source) else { continue }
      if source.isOfServers { overtaken += abandonLargeWrite() }
      takeOver(source, on: engine)
    }
    releaseReads(on: engine)
    for requester in overtaken {
      let pending = PendingResponse(requester: requester, awaitsTurn: true)
      if commits.add(pending, changing: []) { startCommitSoon(on: engine) }
    }
  }

  private func isNews(_ source: LoadedSource) -> Bool {
    if source.isOfServers { return source.generation > baseVersion }
    // Opened files begin with generation 0; a later file brings its own generation.
    let known = generations[source.name] ?? (database.resource(named: source.name) == nil ? -1 : 0)
    return source.generation > known
  }

  /// Replaces the data with an edited source, and carries out unsaved changes again.
  ///
  /// When the edit removes or reverts acknowledged writes, these get a durable copy first (R2).
  func takeOver(_ source: LoadedSource, on engine: isolated Engine) {
    if case .newer(let newer, let since) = source.content { return apply(newer, since, source, on: engine) }
    let waiting = takeBackUnsavedRequests(on: engine)
    guard takeover == nil else {
      takeover?.waiting += waiting
      delayedEdits.append(source)
      return
    }
    begin(Takeover(replacement: .edit(source), waiting: waiting), on: engine)
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
    begin(Takeover(replacement: .all(other, pending), removesUnseenEdit: requester.delays.hidesEdit), on: engine)
  }

  /// - Parameter failed: The same takeover, if no copy could be made for it.
  private func begin(_ new: Takeover, after failed: Takeover? = nil, on engine: isolated Engine) {
    let number = engine.nextNumber()
    takeover = new
    takeover?.number = number
    let (version, base) = (database, hasHistory ? initial : nil)
    let (isLarge, replace): (Bool, @Sendable (Database) -> Database) =
      switch new.replacement {
      case .edit(let source): (source.isLarge, { [ids] in source.applied(to: $0, ids: ids) })
      case .all(let other, _): (!other.isSmall, { _ in other })
      }
    let goOn: @Sendable (isolated Engine, Takeover.Effect) -> Void = { engine, effect in
      guard engine.writes.takeover?.number == number else { return }
      engine.writes.goOn(with: effect, after: failed, on: engine)
    }
    guard !version.isSmall || isLarge else {
      return goOn(engine, Takeover.Effect(replace(version), of: version, since: base))
    }
    WorkerThreads.changes.run {
      let data = replace(version)
      // So the first readers find the records immediately.
      data.readLargeCollections()
      let effect = Takeover.Effect(data, of: version, since: base)
      engine.execute { goOn($0, effect) }
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
      engine.execute { engine in
        guard engine.writes.takeover?.number == number else { return }
        engine.writes.endSavingHistory(result, on: engine)
      }
    }
  }

  /// Cancels an unfinished replacement of all data; earlier requests are carried out again.
  ///
  /// - Returns: The requests to carry out again, in order.
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
          "The edit removed or reverted \(takeover.list), written over HTTP; the old version is kept as '\(path)'."))
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
      pending.requester.completion(engine, .failure(RequestError(.unavailable, message)))
      resume(takeover.waiting, on: engine)
      takeDelayedEdits(on: engine)
    }
  }

  /// Keeps serving the version before an edit, the only one with the acknowledged writes, and tries again later.
  private func postponeTakeover(because error: StorageError, on engine: isolated Engine) {
    guard let takeover else { return }
    let message = """
      The edit would remove or revert \(takeover.list), written over HTTP, and no copy of the version before can be kept: \
      \(error.message) That version is still served, and nothing is written; correct that, and the edit is served.
      """
    if takeover.failure != message { engine.configuration.onEvent(.warning(message)) }
    self.takeover?.failure = message
    self.takeover?.waiting = []
    for requester in takeover.waiting { requester.carryOut(on: engine) }
    let number = takeover.number
    engine.execute(after: .seconds(1)) { engine in
      // A newer edit may have begun a takeover of its own, which must not begin again.
      if engine.writes.takeover?.number == number { engine.writes.retryTakeover(on: engine) }
    }
  }

  /// Loads the newest edit instead of the one for which no copy could be made.
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
      waiting = waiting.map { $0.delayed { $0.hidesEdit = true } }
    case .all(_, var pending):
      pending.change = .replaced(database.resourceNames(andOf: effect.data))
      let base = database
      var changed = base
      changed.restore(from: effect.data)
      take(changed)
      // The records have other places now.
      deletions.kept = [:]
      enqueueCommit(pending, since: base, replacingAll: true, on: engine)
    }
    resume(waiting, on: engine)
    takeDelayedEdits(on: engine)
  }

  private func resume(_ waiting: [Requester], on engine: isolated Engine) {
    for requester in waiting {
      if requester.delays.collisions >= 3 {
        let message = "The file is being edited again and again; the write was not saved. Try again."
        requester.completion(engine, .failure(RequestError(.unavailable, message)))
      } else {
        requester.carryOut(on: engine)
      }
    }
  }

  private func adopt(_ source: LoadedSource, _ edited: Database, on engine: isolated Engine) {
    if case .part(let part) = source.content {
      initial.replace(with: part.taken(from: edited.separated()), ids: ids)
      // A resource with a new file is added to the snapshots.
      engine.keptSnapshots.add(part)
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
