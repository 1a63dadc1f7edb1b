import Dispatch
import HTTPTypes
import JSONDatabase
import JSONServerValues
import JSONStorage

/// The one owner of a server's state.
///
/// The actor lives on the event loop of the server's connections, so that a connection calls it without a hop, and
/// nothing else runs while it responds: a reader sees whole versions. The way of a request is in Pipeline.swift.
actor Engine: Application {
  nonisolated let loop: EventLoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  let configuration: Server.Configuration
  /// The rules for every request and response.
  let policies: HTTPPolicies
  /// The data, and what makes changes of it durable.
  let writes: WriteCoordinator
  /// What is prepared for requests: faults, holds and stubs.
  let rules: Rules
  let journal: Journal
  let events = EventFeed()
  let snapshots = Snapshots()
  var settings: Settings
  /// Who has signed in; `nil` when nobody has to.
  let signIn: SignInState?
  /// The sessions of the server.
  let sessions: Sessions
  /// Whether it is one of them.
  let isSession: Bool
  /// Whether other servers write the data, too.
  nonisolated let isShared: Bool
  /// The calls to another server; `nil` when there is none.
  let upstreamCalls: UpstreamCalls?
  var hints = Hints()
  /// How the server's addresses begin.
  let mount: Mount
  /// Whether they begin in another way than a request's does by itself.
  private let isMounted: Bool
  private let mountSegments: [String]
  /// Whether letter case makes no difference in the paths that patterns are compared with.
  let ignoresCase: Bool
  /// The system's uptime when it began.
  let started = System.uptime
  private(set) var outstanding = OutstandingWork()
  /// The time for what is done on the loop, while other requests wait.
  let haste = Patience(isShort: true)
  /// How many reads make, or wait for, an index, by what that is called.
  var indexing: [String: Int] = [:]
  /// Whether the server is stopping: then nothing is delayed deliberately any more.
  private(set) var isStopping = false
  private(set) var isClosed = false

  init(
    _ configuration: Server.Configuration, _ source: OpenedSource, policies: HTTPPolicies, stubs: RuleTable,
    ids: IDGenerator, loop: EventLoopExecutor
  ) {
    self.configuration = configuration
    self.loop = loop
    self.policies = policies
    // The data at start is read beside the data now, by sessions and where an edit is compared with both.
    writes = WriteCoordinator(
      source, initial: source.database.separated(), ids: ids, durability: configuration.durability)
    rules = Rules(startingWith: stubs)
    journal = Journal(capacity: configuration.journalCapacity, byteCapacity: configuration.journalByteCapacity)
    settings = Settings(configuration)
    signIn = SignInState(configuration)
    sessions = Sessions(areAllowed: configuration.hasSessions)
    isSession = false
    isShared = source.store is any SharedStore
    upstreamCalls = configuration.upstream.map { UpstreamCalls($0, random: configuration.random()) }
    mount = Mount(isSecure: configuration.tlsIdentity != nil, path: configuration.mountPath)
    isMounted = mount != Mount()
    mountSegments = configuration.mountSegments
    ignoresCase = configuration.dialect == .classic
  }

  /// Creates the engine of a session: with the data that a server had at its start, and nothing else of it.
  ///
  /// - Parameter server: The server's engine.
  init(sessionOf server: isolated Engine) {
    configuration = server.configuration
    loop = server.loop
    policies = server.policies
    let initial = server.writes.initial
    let source = OpenedSource(store: nil, database: initial.forked(), warnings: [])
    writes = WriteCoordinator(source, initial: initial, ids: server.writes.ids, durability: .ephemeral)
    rules = Rules(startingWith: server.rules.startStubs)
    journal = Journal(capacity: configuration.journalCapacity, byteCapacity: configuration.journalByteCapacity)
    settings = Settings(server.configuration)
    signIn = SignInState(server.configuration)
    sessions = server.sessions
    isSession = true
    isShared = false
    upstreamCalls = server.upstreamCalls
    mount = server.mount
    isMounted = server.isMounted
    mountSegments = server.mountSegments
    ignoresCase = server.ignoresCase
  }

  var store: (any Store)? { writes.store }

  /// The data as it is now.
  var database: Database { writes.database }

  /// Who may do what now; `nil` when nobody has to sign in.
  var authorization: Authorization? { signIn?.authorization(on: self) }

  /// Removes the path under which the server is mounted from a request's target.
  ///
  /// - Returns: The target below it.
  func enterMount(_ request: inout Request) throws(RequestError) -> String {
    guard isMounted else { return request.target }
    guard let rest = Self.rest(of: request.target, below: mountSegments) else {
      throw RequestError(.notFound, "The server is mounted under \(mount.path); \(request.target) is not below it.")
    }
    request.mount = mount
    guard !mount.path.isEmpty else { return request.target }
    request.target = rest.first == "/" ? String(rest) : "/" + rest
    return request.target
  }

  /// What follows the segments of a path in a target, however those are escaped; `nil` when they do not begin it.
  private static func rest(of target: String, below segments: [String]) -> Substring? {
    var rest = target[...]
    for segment in segments {
      guard rest.first == "/" else { return nil }
      let name = rest.dropFirst().prefix { $0 != "/" && $0 != "?" }
      guard PercentEncoding.decode(name.utf8, plusIsSpace: false) == segment else { return nil }
      rest = rest[name.endIndex...]
    }
    return rest.isEmpty || rest.first == "/" || rest.first == "?" ? rest : nil
  }

  /// - Throws: 403 when changes are refused.
  ///
  /// - Parameter change: What is refused then, such as a method.
  func allowWriting(_ change: String) throws(RequestError) {
    guard settings.isReadOnly else { return }
    throw RequestError(
      .forbidden, "The server is read-only (Server.Configuration.isReadOnly, or the settings); \(change) is refused.")
  }

  /// Names parameters that have no effect in the response, and reports each once.
  func report(_ ignored: [IgnoredParameter], of context: RequestContext, in response: inout PreparedResponse) {
    response.headerFields[.xIgnoredParameters] = IgnoredParameter.fieldValue(ignored, in: context.target.parameters)
    for parameter in ignored {
      let hint = hints.hint(for: parameter, of: context.request) { self.writes.database.memberNames(of: $0) }
      if let hint { configuration.onEvent(.hint(hint)) }
    }
  }

  /// Refuses a request that a strict server did not expect, and marks it in the journal.
  func refuseUnexpected(_ context: RequestContext, _ message: String) {
    finalize(context.noting { $0.isUnexpected = true }, RequestError(.malformed, message).response())
  }

  /// Refuses a request with parameters that have no effect, and says what was probably meant; a strict server did not
  /// expect it.
  func refuse(_ context: RequestContext, _ ignored: [IgnoredParameter]) {
    let sentences = ignored.map { parameter in
      Hints.text(for: parameter, of: context.request) { self.writes.database.memberNames(of: $0) }
    }
    let message = sentences.joined(separator: " ")
    if configuration.isStrict { return refuseUnexpected(context, message) }
    finalize(context, RequestError(.malformed, "\(message) Nothing was changed.").response())
  }

  /// Reports what a person should know about a request, and what else a deletion removed.
  func report(_ result: EndpointResult, of context: RequestContext) {
    for note in result.notes {
      if let hint = hints.hint(for: note, path: context.request.path) { configuration.onEvent(.hint(hint)) }
    }
    let (deleted, dependents): (String, [String: Int])
    switch result.change {
    case .deleted(let name, let id, let counts)?: (deleted, dependents) = ("/\(name)/\(id)", counts)
    case .deletedMany(let name, let ids, let counts)?: (deleted, dependents) = ("\(ids.count) of /\(name)", counts)
    case .created?, .updated?, .updatedMany?, .reloaded?, .replaced?, nil: return
    }
    if !dependents.isEmpty {
      let list = dependents.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
      configuration.onEvent(.warning("Deleting \(deleted) also removed the records that depend on it: \(list)."))
    }
  }

  /// Rewrites targets by other rules from now on.
  ///
  /// - Throws: ``ServerError`` for the first rule that cannot be used; the rules before stay in force.
  func setRoutes(_ rules: JSONObject) throws(ServerError) {
    try policies.setRules(rules, allowGuards: configuration.signIn != nil)
  }

  // MARK: Requesters

  /// Responds to the requester.
  func respond(to requester: Requester, with response: PreparedResponse) {
    switch requester {
    case .client(let context, _): finalize(context, response)
    case .code(let call): call.completion(nil)
    }
  }

  /// Refuses what was asked for.
  func refuse(_ requester: Requester, because error: RequestError) {
    switch requester {
    case .client(let context, _): finalize(context, error.response())
    case .code(let call): call.completion(error)
    }
  }

  /// Does what was asked for, perhaps once more.
  func carryOut(_ requester: Requester) {
    switch requester {
    case .client(let context, let route): carryOut(route, context)
    case .code(let call):
      do throws(RequestError) {
        try call.perform(self, call)
      } catch {
        call.completion(error)
      }
    }
  }

  // MARK: Deferred work

  /// Does work on the loop, after what waits there.
  nonisolated func execute(_ work: @escaping @Sendable (isolated Engine) -> Void) {
    loop.execute { self.assumeIsolated { work($0) } }
  }

  /// Does work on the loop, and returns what comes of it.
  func run<Result: Sendable>(_ work: @Sendable (isolated Engine) async -> Result) async -> Result { await work(self) }

  /// Does work when a time has passed, or when the server stops.
  func schedule(after wait: Duration, _ work: @escaping @Sendable (isolated Engine) -> Void) {
    let number = outstanding.nextNumber()
    let task = loop.schedule(after: wait) {
      self.assumeIsolated { engine in engine.outstanding.takeDelayed(number)?(engine) }
    }
    outstanding.addDelayed(number, task, work)
  }

  /// Keeps a task until it ends, to cancel it when the server closes.
  ///
  /// - Returns: The task's number.
  @discardableResult
  func keep(_ operation: @escaping @Sendable (isolated Engine) async -> Void) -> Int {
    let number = outstanding.nextNumber()
    outstanding.tasks[number] = Task {
      await operation(self)
      outstanding.tasks[number] = nil
    }
    return number
  }

  /// Cancels a task that is kept; does nothing when it has ended.
  func cancel(_ number: Int) {
    outstanding.tasks[number]?.cancel()
  }

  /// A number that no task, subscriber or waiter has.
  func nextNumber() -> Int { outstanding.nextNumber() }

  /// Does immediately what was only delayed deliberately: a server that stops does not wait for it.
  func releaseDelayed() {
    isStopping = true
    if !isSession { sessions.removeAll() }
    rules.remove(.hold, on: self) { _, _ in }
    for work in outstanding.takeAllDelayed() { work(self) }
    events.end()
    journal.endWaiting()
  }

  /// Ends all streams and waits.
  func end() {
    isClosed = true
    releaseDelayed()
    for task in outstanding.tasks.values { task.cancel() }
  }

  /// Ends all streams and waits, saves what is in progress, keeps what only memory has, and closes the files.
  func close() async {
    end()
    guard let store else { return }
    await keepUnseen(store)
    await blocking { store.close() }
  }
}

/// The work that an engine does later, and the tasks that run beside the loop.
struct OutstandingWork {
  private struct Delayed {
    let task: EventLoopExecutor.ScheduledTask
    let work: @Sendable (isolated Engine) -> Void
  }

  /// The requests that are with middleware.
  var tasks: [Int: Task<Void, Never>] = [:]
  private var delayed: [Int: Delayed] = [:]
  private var lastNumber = 0

  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  mutating func addDelayed(
    _ number: Int, _ task: EventLoopExecutor.ScheduledTask, _ work: @escaping @Sendable (isolated Engine) -> Void
  ) {
    delayed[number] = Delayed(task: task, work: work)
  }

  mutating func takeDelayed(_ number: Int) -> (@Sendable (isolated Engine) -> Void)? {
    delayed.removeValue(forKey: number)?.work
  }

  mutating func takeAllDelayed() -> [@Sendable (isolated Engine) -> Void] {
    defer { delayed = [:] }
    for delayed in delayed.values { delayed.task.cancel() }
    return delayed.sorted { $0.key < $1.key }.map(\.value.work)
  }
}

extension Engine {
  /// Takes over edits that nobody has noticed yet, as any other (R2), and keeps a copy of what only memory has: what is
  /// served while its file is missing or invalid.
  func keepUnseen(_ store: any Store) async {
    guard writes.hasHistory else { return }
    await settle()
    let faults = await blocking { store.look() }
    await settle()
    if let takeover = writes.takeover {
      configuration.onEvent(
        .warning("The server stops, and \(takeover.list), written over HTTP, is lost: no copy could be kept."))
    }
    for (name, fault) in faults.sorted(by: { $0.key < $1.key }) {
      let copy = await withCheckedContinuation { continuation in
        store.saveHistory(of: database, part: name.isEmpty ? nil : name) { continuation.resume(returning: $0) }
      }
      let outcome =
        switch copy {
        case .success(let path): "What was served is kept as '\(path)'."
        case .failure(let error): "What was served is lost, since no copy could be kept: \(error.message)"
        }
      configuration.onEvent(.warning("\(fault) \(outcome)"))
    }
  }

  /// Does work that blocks on another thread; what that has handed to the loop is done when this returns.
  func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { [loop] continuation in
      DispatchQueue(label: "swift-json-server.close").async {
        let result = work()
        loop.execute { continuation.resume(returning: result) }
      }
    }
  }

  /// Waits until nothing is on its way to the files, and no replacement of the data waits for a copy that can be made.
  private func settle() async {
    await withCheckedContinuation { continuation in
      let call = SwiftCall(
        perform: { engine, call throws(RequestError) in
          guard try !engine.writes.postpone(.code(call)) else { return }
          engine.writes.respondWhenSaved(PendingResponse(requester: .code(call), response: .json([:])), on: engine)
        },
        completion: { _ in continuation.resume() })
      carryOut(.code(call))
    }
  }
}

extension Engine {
  /// Passes a request through the middleware, outermost first, and then carries it out.
  func passThroughMiddleware(_ context: RequestContext) {
    let context = context.notes == nil ? context.withNotes : context
    let next = middlewareChain(around: context)
    keep { engine in
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
        self.loop.execute { [inner] in
          self.assumeIsolated { $0.serve(inner, within: context) { continuation.resume(returning: $0) } }
        }
      }
      // A large body is made whole here, not on the loop.
      return response.response
    }
    for middleware in configuration.middleware.reversed() {
      let next = chain
      chain = { request in try await middleware.respond(to: request, next: next) }
    }
    return chain
  }

  /// Carries out a request that the innermost middleware passed on.
  private func serve(
    _ request: Request, within outer: RequestContext, reply: @escaping Reply
  ) {
    do throws(RequestError) {
      let isSame = request.target == outer.request.target
      let target = isSame ? outer.target : try ParsedTarget(request.target)
      authorize(
        RequestContext(
          request, preprocessed: request, target: target, mountedTarget: outer.mountedTarget, ignoresCase: ignoresCase,
          isInner: true, notes: outer.notes,
          progress: { progress in
            // Whether the request has taken effect is the middleware's to say, by responding.
            if case .tookEffect = progress { return }
            outer.progress(progress)
          }, reply: reply))
    } catch {
      reply(error.response())
    }
  }
}
