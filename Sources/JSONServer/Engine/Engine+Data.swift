import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues

// Reads and changes the data: on the engine's event loop, or on another thread when that takes long. Every operation
// starts on the event loop; one that would take long stops early, and begins again on another thread.

extension Engine {
  /// The largest number of long reads that a server and its sessions run or keep waiting.
  static let maximumLargeReads = 64

  // MARK: Reading

  /// Reads the data, and responds.
  ///
  /// - Throws: 503 when too many reads that take long are under way.
  func read(_ operation: ShapedOperation, _ context: RequestContext) throws(RequestError) {
    // A list of changes shows what later writes add, and waits for these.
    let isOther = writes.showsOther && operation.endpoint.list?.delta == nil
    let shown = isOther ? writes.shown : writes.database
    let isSaved = isOther || writes.isSaved
    var version = shown
    let outcome = version.attempt(within: haste) { version throws(ShapedOperation.Refusal) in
      try operation.perform(on: &version)
    }
    if let outcome { return respond(to: context, operation, with: outcome, isSaved: isSaved, isCurrent: !isOther) }
    let retractions = writes.retractions
    let validator =
      isOther ? nil : writes.revisions.validator(of: operation.endpoint, context, in: database, authorization)
    try calculate(from: shown, for: context, haste.refusedWork, isFixed: isSaved) { version in
      Result { () throws(ShapedOperation.Refusal) in
        var result = try operation.perform(on: &version)
        // On the thread that has read the record.
        result.joinLargeRecord()
        return result
      }
    } then: { engine, outcome in
      // The response shows data that was rolled back: the file could not be written, or was edited.
      if !isSaved, retractions != engine.writes.retractions {
        return engine.carryOut(.resource(operation.endpoint), context)
      }
      engine.respond(
        to: context, operation, with: outcome, isSaved: isSaved, isCurrent: !isOther, validator: validator)
    }
  }

  /// Calculates something from the data on another thread, and continues on the event loop.
  ///
  /// - Parameters:
  ///   - version: The version of the data; `nil` for the current one.
  ///   - work: The work for which there was no time on the event loop; `nil` when nothing was tried.
  ///   - isFixed: Whether the calculation uses the current version, regardless of later requests on the connection.
  /// - Throws: 503 when too many calculations wait.
  func calculate<Outcome: Sendable>(
    from version: Database? = nil, for context: RequestContext, _ work: Patience.Work? = nil, isFixed: Bool = true,
    _ calculation: @escaping @Sendable (inout Database) -> Outcome,
    then goOn: @escaping @Sendable (isolated Engine, Outcome) -> Void
  ) throws(RequestError) {
    // The version before any later request on the connection.
    let database = version ?? writes.database
    // Waiting for an index that another request makes does not count as a calculation.
    let name = work?.name
    let isWaiting = work?.isUnderWay == true || name.map { indexing[$0] != nil } == true
    let number = isWaiting ? 0 : 1
    guard sessions.largeReads + number <= Self.maximumLargeReads else {
      throw RequestError(
        .busy, "The server is busy with \(Self.maximumLargeReads) large reads; repeat this request in a second.")
    }
    sessions.largeReads += number
    if let name { indexing[name, default: 0] += 1 }
    let patience = Patience(sharing: WorkerThreads.calculations.share)
    context.progress(.calculating { patience.end() })
    // A read that may begin again, since its data may be rolled back, must not see a later write of its connection.
    if isFixed { context.progress(.tookEffect) }
    let notice = scheduleNotice(work?.name, or: "reading much", for: context)
    WorkerThreads.calculations.run {
      var version = database
      let outcome = version.attempt(within: patience, calculation)
      self.execute { [outcome] engine in
        notice.cancel()
        engine.sessions.largeReads -= number
        if let name { engine.indexing[name] = engine.indexing[name].flatMap { $0 > 1 ? $0 - 1 : nil } }
        if let outcome { return goOn(engine, outcome.get()) }
        let abandoned = RequestError(.unavailable, "The client went away before its response was there.")
        engine.finalize(context.noting { $0.hasLeft = true }, abandoned.response())
      }
    }
  }

  /// Responds to the page with the numbers of records that a write would add and change, without carrying it out.
  func preview(_ operation: ShapedOperation, _ context: RequestContext) throws(RequestError) {
    try calculate(for: context) { base in
      var version = base.forked()
      return Result { () throws(ShapedOperation.Refusal) in
        _ = try operation.perform(on: &version)
        let effects = Reversal(between: base, and: version)
        return JSONObject([
          ("added", Reversal.object(effects.added)), ("changed", Reversal.object(effects.changed)),
        ])
      }
    } then: { engine, outcome in
      switch outcome {
      case .success(let effects): engine.finalize(context, .json(.object(effects)))
      case .failure(let refusal):
        engine.respond(to: context, operation, with: .failure(refusal), isSaved: engine.writes.isSaved)
      }
    }
  }

  /// Reads the ids and members of large collections on another thread, so that no request has to wait for that.
  func readAhead() {
    let start = configuration.hasSessions ? writes.initial : nil
    WorkerThreads.calculations.run { [database = writes.database, users = signIn?.users] in
      for version in [database, start].compactMap(\.self) {
        version.readLargeCollections()
        if let users { version.hiding(DataOperation.hiddenName, of: users).readLargeCollections() }
      }
    }
  }

  // MARK: Changing

  /// Whether a change begins now; otherwise it is queued, and carried out later.
  ///
  /// - Parameter change: The name of the change for messages, such as a method.
  /// - Throws: 403 when changes are refused, and 503 while no copy can be made of data that is replaced.
  func beginOrQueue(_ change: String, for requester: Requester) throws(RequestError) -> Bool {
    try allowWriting(change)
    return try writes.admit(requester)
  }

  /// Changes the data, on the event loop or on another thread, and continues when the change is made.
  ///
  /// A change is a function of a version. On another thread, it makes a new version that shares unchanged rows with the
  /// data and then replaces the data. Until then reads show the old version, and other changes wait.
  ///
  /// - Parameters:
  ///   - isLarge: Whether the change is sure to take long.
  ///   - change: The change; called again when it takes long. When it throws, the data stays as it is.
  ///   - goOn: Called with the version before the change.
  func change<Success: Sendable, Failure: Error>(
    for requester: Requester, isLarge: Bool = false,
    _ change: @escaping @Sendable (inout Database) throws(Failure) -> Success,
    then goOn: @escaping @Sendable (isolated Engine, Result<Success, Failure>, _ base: Database) -> Void
  ) {
    let base = writes.database
    if !isLarge {
      var changed = base
      if let outcome = changed.attempt(within: haste, change) {
        if case .success = outcome { writes.take(changed) }
        return goOn(self, outcome, base)
      }
    }
    let number = writes.beginApplying(for: requester)
    let notice = requester.context.map { scheduleNotice(or: "changing much", for: $0) }
    WorkerThreads.changes.run {
      var changed = base.forked()
      let outcome = Result { () throws(Failure) in try change(&changed) }
      if case .success = outcome { changed.catchUp(since: base) }
      self.execute { [changed, outcome] engine in
        notice?.cancel()
        engine.writes.endApplying(number, on: engine) {
          if case .success = outcome { engine.writes.take(changed) }
          goOn(engine, outcome, base)
        }
      }
    }
  }

  /// Changes the data as a request demands, and responds.
  func change(_ operation: ShapedOperation, _ context: RequestContext) {
    let isLarge = context.request.bytes.count > RequestBody.largestQuick
    let requester = Requester(context, .resource(operation.endpoint))
    change(for: requester, isLarge: isLarge) { database throws(ShapedOperation.Refusal) in
      try operation.perform(on: &database)
    } then: { engine, outcome, base in
      if case .success(let result) = outcome { engine.signIn?.forgetDeletedUsers(by: result.change, on: engine) }
      engine.respond(to: context, operation, with: outcome, isSaved: engine.writes.isSaved, since: base)
    }
  }

  /// Keeps a change that can be undone, and returns its number; `nil` when it is too large.
  func keepForUndo(_ change: Reversal) -> Int? {
    let number = writes.deletions.keep(change)
    if let number { schedule(after: Deletions.lifetime) { $0.writes.deletions.kept[number] = nil } }
    return number
  }

  /// Adds the number for undoing a write to the response to the page.
  func keepUndo(of context: RequestContext, since base: Database, in response: inout PreparedResponse) {
    guard context.pageIntent == .undo, let number = keepForUndo(Reversal(between: base, and: database)) else { return }
    response.headerFields[.undo] = String(number)
  }

  // MARK: The state

  /// Called with a result that may have needed the shared database.
  typealias Completion<Success> = @Sendable (isolated Engine, Result<Success, RequestError>) -> Void

  /// Changes the server's state, and updates everything that is derived from it, before the change is saved.
  @discardableResult
  func changeStateNow<Success, Failure: Error>(
    _ change: (inout ServerState) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    let (success, keys) = try writes.changeState(change)
    follow(keys)
    return success
  }

  /// Changes the server's state, and continues when the change is saved, where a store saves the state.
  ///
  /// - Parameter change: Called again when another server was first. When it throws, nothing is changed.
  func changeState<Success: Sendable>(
    _ change: @escaping @Sendable (inout ServerState) throws(RequestError) -> Success,
    then completion: @escaping Completion<Success>
  ) {
    let outcome = Result { () throws(RequestError) in try changeStateNow(change) }
    guard case .success = outcome else { return completion(self, outcome) }
    let requester = Requester { engine, _ throws(RequestError) in
      engine.changeState(change, then: completion)
    } completion: { engine, result in
      engine.execute { completion($0, result.flatMap { _ in outcome }) }
    }
    writes.respondWhenStateSaved(PendingResponse(requester: requester), showing: nil, on: self)
  }

  /// Updates everything that is derived from the state.
  func follow(_ keys: [ServerState.Key]) {
    rules.follow(keys, on: self)
    repetitions.follow(keys, in: writes.state)
    let kinds = Set(keys.map(\.kind))
    if kinds.contains(.setting) {
      settings = settings.changed(by: JSONObject(writes.state[.setting].map { ($0, $1) }))
    }
    if kinds.contains(.token) { events.endVoidWatches(on: self) }
  }

  /// Logs a notice about work that takes long, or about the request that needs it.
  private func scheduleNotice(
    _ work: String? = nil, or action: String, for context: RequestContext
  ) -> EventLoopExecutor.ScheduledTask {
    let work = work ?? "\(action) for \(context.original.method.rawValue) \(context.original.target)"
    return execute(after: ServerEvent.slowDuration) { $0.configuration.onEvent(.working("\(work) …")) }
  }
}
