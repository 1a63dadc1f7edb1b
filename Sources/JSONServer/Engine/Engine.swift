import HTTPTypes
import JSONDatabase
import JSONServerResources
import JSONServerValues
import JSONStorage

/// The owner of a server's state.
///
/// The actor runs on the event loop of the server's connections. So a connection calls it without a context switch, and
/// nothing else runs while it responds: a reader never sees half of a change. Pipeline.swift has the steps of a
/// request.
actor Engine: Application {
  nonisolated let loop: EventLoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  let configuration: Server.Configuration
  /// The rules for every request and response.
  let policies: HTTPPolicies
  /// The rewrite rules and the guards of the routes file.
  var routes: Routes
  /// The data, and the durability of its changes.
  let writes: WriteCoordinator
  /// Whether requests wait for what other servers have committed.
  let waitsForOthers: Bool
  /// The faults, holds and stubs.
  let rules: Rules
  let journal: Journal
  let events: EventFeed
  let repetitions = Repetitions()
  let snapshots: Snapshots
  var keptSnapshots = KeptSnapshots()
  var settings: Settings
  /// The sign-in; `nil` for a server without sign-in.
  let signIn: SignInState?
  /// The sessions of the server.
  let sessions: Sessions
  /// Whether this engine belongs to a session.
  let isSession: Bool
  /// The calls to another server; `nil` for none.
  let upstreamCalls: UpstreamCalls?
  var hints = Hints()
  /// The beginning of the server's addresses.
  let mount: Mount
  /// Whether the server has a path prefix or speaks HTTPS.
  private let isMounted: Bool
  private let mountSegments: [String]
  /// Whether patterns compare paths without letter case.
  let ignoresCase: Bool
  /// The system's uptime at the start.
  let started = System.uptime
  /// The tasks outside of the event loop, such as requests in middleware.
  private(set) var tasks: [Int: Task<Void, Never>] = [:]
  /// The work that is done later.
  private var delayed: [Int: (task: EventLoopExecutor.ScheduledTask, work: @Sendable (isolated Engine) -> Void)] = [:]
  private var lastNumber = 0
  /// The time limit of work on the event loop, while other requests wait.
  let haste = Patience(isShort: true)
  /// The number of reads that make an index, or wait for it, by the name of the work.
  var indexing: [String: Int] = [:]
  /// The life of an engine.
  enum Phase {
    case running
    /// The server takes no new connections, and delays nothing any more.
    case stopping
    /// Streams and waits have ended, and no others begin.
    case closed
  }

  private(set) var phase = Phase.running

  init(
    _ configuration: Server.Configuration, _ source: OpenedSource, policies: HTTPPolicies, routes: Routes,
    stubs: RuleTable, ids: IDGenerator, loop: EventLoopExecutor
  ) {
    // Sessions and comparisons with edits read the initial data together with the current data.
    let writes = WriteCoordinator(
      source, initial: source.database.separated(), ids: ids, durability: configuration.durability,
      reads: configuration.reads)
    self.init(
      configuration, policies, routes, writes, stubs, loop, sessions: Sessions(areAllowed: configuration.hasSessions),
      upstreamCalls: configuration.upstream.map { UpstreamCalls($0, random: configuration.random()) })
  }

  /// Creates the engine of a session, with only the initial data of a server, and its routes.
  ///
  /// - Parameter server: The server's engine.
  package init(sessionOf server: isolated Engine) {
    let initial = server.writes.initial
    let source = OpenedSource(store: nil, database: initial.forked(), warnings: [])
    let writes = WriteCoordinator(source, initial: initial, ids: server.writes.ids, durability: .ephemeral)
    self.init(
      server.configuration, server.policies, server.routes, writes, server.rules.startStubs, server.loop,
      isSession: true,
      sessions: server.sessions, upstreamCalls: server.upstreamCalls)
  }

  private init(
    _ configuration: Server.Configuration, _ policies: HTTPPolicies, _ routes: Routes, _ writes: WriteCoordinator,
    _ stubs: RuleTable, _ loop: EventLoopExecutor, isSession: Bool = false, sessions: Sessions,
    upstreamCalls: UpstreamCalls?
  ) {
    (self.configuration, self.policies, self.routes) = (configuration, policies, routes)
    (self.writes, self.loop) = (writes, loop)
    (self.isSession, self.sessions, self.upstreamCalls) = (isSession, sessions, upstreamCalls)
    waitsForOthers = writes.store?.isShared == true && configuration.reads == .linearizable
    rules = Rules(startingWith: stubs)
    let logCapacity = configuration.journalByteCapacity / (configuration.hasSessions ? 2 : 1)
    journal = Journal(capacity: configuration.journalCapacity, byteCapacity: logCapacity)
    events = EventFeed(byteCapacity: logCapacity / 4)
    if configuration.hasSessions { repetitions.byteCapacity /= 2 }
    settings = Settings(configuration)
    signIn = SignInState(configuration)
    snapshots = Snapshots(store: writes.store as? any SnapshotStore)
    mount = Mount(isSecure: configuration.tlsIdentity != nil, path: configuration.mountPath)
    isMounted = mount != Mount()
    mountSegments = configuration.mountSegments
    ignoresCase = configuration.dialect == .classic
  }

  var store: (any Store)? { writes.store }

  /// The number of bytes of the exchanges, events and responses to repeated requests that the engine keeps.
  var logBytes: Int { journal.byteCount + events.byteCount + repetitions.byteCount }
  /// The largest ``logBytes``.
  var logLimit: Int {
    isSession
      ? journal.byteCapacity + repetitions.byteCapacity
      : configuration.journalByteCapacity + Repetitions.byteCapacity
  }

  /// Limits ``logBytes`` to a part of what the server and its sessions may keep.
  func limitLog(to part: Double) {
    let byteCapacity = Int(Double(configuration.journalByteCapacity) * part)
    journal.byteCapacity = byteCapacity
    events.limit(to: byteCapacity / 4)
    repetitions.byteCapacity = Int(Double(Repetitions.byteCapacity) * part)
  }

  /// The time in seconds since 1970, as a test may have set it.
  var now: Double { settings.now }

  /// The current data.
  var database: Database { writes.database }

  /// The current rights; `nil` for a server without sign-in.
  var authorization: Authorization? { signIn?.authorization(on: self) }

  /// Removes the path prefix from a request's target.
  ///
  /// - Throws: 404 for a path that is not below it.
  func enterMount(_ target: inout RequestTarget, of request: inout Request) throws(RequestError) {
    guard isMounted else { return }
    guard target.segments.starts(with: mountSegments) else {
      throw RequestError(.notFound, "The server is mounted under \(mount.path); \(request.target) is not below it.")
    }
    request.mount = mount
    if !mountSegments.isEmpty { target = target.dropping(mountSegments.count) }
  }

  /// - Parameter change: The name of the change for the message, such as a method.
  ///
  /// - Throws: 403 when changes are refused.
  func allowWriting(_ change: String) throws(RequestError) {
    guard settings.isReadOnly else { return }
    throw RequestError(
      .forbidden, "The server is read-only (Server.Configuration.isReadOnly, or the settings); \(change) is refused.")
  }

  /// Names parameters without effect in the response, and logs each of them once.
  func report(_ ignored: [IgnoredParameter], of context: RequestContext, in response: inout PreparedResponse) {
    response.headerFields[.xIgnoredParameters] = IgnoredParameter.fieldValue(ignored, in: context.target.parameters)
    for parameter in ignored where hints.isNew(context.request.path + "?" + parameter.name) {
      configuration.onEvent(.hint(Hints.text(for: parameter, of: context.request, in: database)))
    }
  }

  /// Refuses an unexpected request of a strict server, names the stub that it resembles, and marks it in the journal.
  func refuseUnexpected(_ context: RequestContext, _ message: String) {
    let nearest =
      rules.table.nearestStub(to: context.matchable, context.request.method).map { " The nearest stub is for \($0)." }
      ?? ""
    finalize(context.noting { $0.isUnexpected = true }, RequestError(.malformed, message + nearest).response())
  }

  /// Refuses a request with parameters without effect, and suggests names. For a strict server, the request is
  /// unexpected.
  func refuse(_ context: RequestContext, _ ignored: [IgnoredParameter]) {
    let message = ignored.map { Hints.text(for: $0, of: context.request, in: database) }.joined(separator: " ")
    if configuration.isStrict { return refuseUnexpected(context, message) }
    finalize(context, RequestError(.malformed, "\(message) Nothing was changed.").response())
  }

  /// Logs the hints about a request.
  func report(_ result: EndpointResult, of context: RequestContext) {
    for note in result.notes where hints.isNew(context.request.path + "?" + note) {
      configuration.onEvent(.hint("\(context.request.path): \(note)."))
    }
  }

  /// Logs the dependent records that a saved deletion has removed.
  func reportDependents(of change: DataChange) {
    guard case .deleted(let name, let ids, let dependents) = change, !dependents.isEmpty else { return }
    let deleted = ids.count == 1 ? "/\(name)/\(ids[0])" : "\(ids.count) of /\(name)"
    let list = dependents.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
    configuration.onEvent(.warning("Deleting \(deleted) also removed the records that depend on it: \(list)."))
  }

  /// Sets other rewrite rules, also in the sessions of a server.
  ///
  /// - Throws: ``ServerError`` for the first invalid rule; the old rules stay then.
  func setRoutes(_ rules: JSONObject) throws(ServerError) {
    let routes = try Routes(rules, allowsGuards: configuration.signIn != nil)
    try database.checkNames(of: routes.guards)
    self.routes = routes
    if !isSession { sessions.setRoutes(routes) }
  }

  // MARK: Deferred work

  /// Does work on the event loop, after waiting work.
  nonisolated func execute(_ work: @escaping @Sendable (isolated Engine) -> Void) {
    loop.execute { self.assumeIsolated { work($0) } }
  }

  /// Does work on the event loop after some time.
  ///
  /// - Returns: The task, for canceling the work before it begins.
  @discardableResult
  nonisolated func execute(
    after wait: Duration, _ work: @escaping @Sendable (isolated Engine) -> Void
  ) -> EventLoopExecutor.ScheduledTask {
    loop.schedule(after: wait) { self.assumeIsolated { work($0) } }
  }

  /// Does work on another thread, and continues on the event loop.
  func aside<Outcome: Sendable>(
    _ work: @escaping @Sendable () -> Outcome, then goOn: @escaping @Sendable (isolated Engine, Outcome) -> Void
  ) {
    WorkerThreads.changes.run {
      let outcome = work()
      self.execute { goOn($0, outcome) }
    }
  }

  /// Does work on the event loop, and returns its result.
  func run<Result: Sendable>(_ work: @Sendable (isolated Engine) async -> Result) async -> Result { await work(self) }

  /// Does work after some time, or when the server stops.
  func schedule(after wait: Duration, _ work: @escaping @Sendable (isolated Engine) -> Void) {
    let number = nextNumber()
    let task = execute(after: wait) { $0.delayed.removeValue(forKey: number)?.work($0) }
    delayed[number] = (task, work)
  }

  /// Starts a task, and cancels it when the server closes.
  ///
  /// - Returns: The task's number.
  @discardableResult
  func startTask(_ operation: @escaping @Sendable (isolated Engine) async -> Void) -> Int {
    let number = nextNumber()
    tasks[number] = Task {
      await operation(self)
      tasks[number] = nil
    }
    return number
  }

  /// A number that no task, subscriber or waiting caller has.
  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Does all delayed work immediately, since a stopping server does not wait.
  func releaseDelayed() {
    if phase == .running { phase = .stopping }
    if !isSession { sessions.removeAll() }
    rules.remove(.hold, on: self) { _, _ in }
    let early = delayed.sorted { $0.key < $1.key }.map(\.value)
    delayed = [:]
    for (task, work) in early {
      task.cancel()
      work(self)
    }
    events.end()
    journal.endWaiting()
  }

  /// Ends all streams and waits.
  func end() {
    phase = .closed
    releaseDelayed()
  }

  /// Cancels all tasks of the engine and of its ended sessions.
  func cancelTasks() {
    for task in tasks.values { task.cancel() }
    if !isSession { sessions.cancelTasks() }
  }

  /// Ends all streams and waits, saves the work in progress, keeps data that only memory has, and closes the files.
  func close() async {
    end()
    cancelTasks()
    guard let store else { return }
    await keepUnseen(store)
    await loop.blocking { store.close() }
  }
}

extension Engine {
  /// Loads edits that were not noticed yet (R2), and copies data that only memory has: the served data of a missing or
  /// invalid file.
  func keepUnseen(_ store: any Store) async {
    guard writes.hasHistory else { return }
    await settle()
    let faults = await loop.blocking { store.look() }
    await settle()
    if let effect = writes.scheduler.blockedEffect {
      configuration.onEvent(
        .warning("The server stops, and \(effect.list), written over HTTP, is lost: no copy could be kept."))
    }
    for (name, fault) in faults.sorted(by: { $0.key < $1.key }) {
      let copy = await withCheckedContinuation { continuation in
        store.saveHistory(of: database, part: name.isEmpty ? nil : name) { continuation.resume(returning: $0) }
      }
      let outcome =
        switch copy {
        case .success(let path): "The served data is kept as '\(path)'."
        case .failure(let error): "The served data is lost, since no copy could be written: \(error.message)"
        }
      configuration.onEvent(.warning("\(fault) \(outcome)"))
    }
  }

  /// Waits until all writes are saved, and no replacement of the data waits for a copy that can be made.
  private func settle() async {
    await withCheckedContinuation { continuation in
      let requester = Requester { engine, requester throws(RequestError) in
        guard try engine.writes.admit(requester) else { return }
        engine.writes.respondWhenSaved(PendingResponse(requester: requester), on: engine)
      } completion: { _, _ in
        continuation.resume()
      }
      requester.resume(on: self)
    }
  }
}

extension Engine {
  /// Passes a request through the middleware, the outermost first, and then carries it out.
  func passThroughMiddleware(_ context: RequestContext) {
    let context = context.withNotes
    let next = middlewareChain(around: context)
    startTask { engine in
      let response: PreparedResponse
      do {
        response = PreparedResponse(try await next(context.request))
      } catch {
        response = RequestError(.failed, "\(error)").response()
      }
      engine.finalize(context, response)
    }
  }

  private func middlewareChain(around context: RequestContext) -> @Sendable (Request) async throws -> Response {
    let mount = context.request.mount
    var chain: @Sendable (Request) async throws -> Response = { request in
      let response: PreparedResponse = await withCheckedContinuation { continuation in
        var inner = request
        inner.mount = mount
        self.execute { [inner] in $0.receive(inner, within: context) { continuation.resume(returning: $0) } }
      }
      // A large body is made here, not on the event loop.
      return response.response
    }
    for middleware in configuration.middleware.reversed() {
      let next = chain
      chain = { request in try await middleware.respond(to: request, next: next) }
    }
    return chain
  }

  /// Goes on with a request that the innermost middleware has passed on.
  private func receive(
    _ request: Request, within outer: RequestContext, reply: @escaping Reply
  ) {
    do throws(RequestError) {
      let isSame = request.target == outer.request.target
      let target = isSame ? outer.target : try RequestTarget(request.target)
      authorize(
        RequestContext(
          request, target: target, earlierTargets: outer.earlierTargets + (isSame ? [] : [outer.target]),
          ignoresCase: ignoresCase, number: outer.number, guards: outer.guards, isInner: true, notes: outer.notes,
          progress: { progress in
            // The response of the middleware shows that the request has taken effect.
            if case .tookEffect = progress { return }
            outer.progress(progress)
          }, reply: reply))
    } catch {
      reply(error.response())
    }
  }
}
