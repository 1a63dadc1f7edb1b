import HTTPTypes
import JSONDatabase
import OrderedJSON

/// A call whose answer was put off.
private struct Delayed {
  let appointment: EventLoopExecutor.ScheduledTask
  let work: @Sendable (isolated Engine) -> Void
}

/// The one owner of a server's state: its database, its commits, its journal.
///
/// The actor lives on the event loop of the server's connections, so that a connection calls it without a hop, and
/// nothing else runs while it answers: a reader sees whole versions.
actor Engine: Application {
  nonisolated let loop: EventLoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  let configuration: Server.Configuration
  let ids: IDGenerator
  let gate: Gate
  let persistence: (any Persistence)?
  var database: Database
  /// The generation of each file, by its resource, that the database is built on.
  var generations: [String: Int] = [:]
  /// Edits of files that came while a commit was under way.
  var delayedEdits: [LoadedSource] = []
  var commits = CommitQueue()
  var acknowledged = LostUpdateDetector()
  var hints = Hints()

  /// The path under which the server is mounted: empty, or with a slash before each segment and none at the end.
  let mountPath: String
  /// The database at start.
  var initial: Database
  /// The system's uptime when it began.
  let started = System.uptime
  var settings: Settings
  var faults = Faults()
  var stubs: Stubs
  var snapshots = Snapshots()
  var journal: Journal
  var exchangeCount = 0
  /// Its run is named by the time at which it began: no other of the same data began then.
  var events = EventFeed(run: String(Int(System.now * 1000), radix: 36))
  var heartbeat: EventLoopExecutor.ScheduledTask?
  /// The calls that are with middleware.
  var tasks: [Int: Task<Void, Never>] = [:]
  /// The calls that wait for their time.
  private var delayed: [Int: Delayed] = [:]
  /// The last number given to a task, a subscriber or one who waits.
  var lastNumber = 0
  var isClosed = false
  /// Whether the server stops: then nothing waits because it was told to.
  private var isStopping = false

  init(
    _ configuration: Server.Configuration, _ source: OpenedSource, gate: Gate, ids: IDGenerator, loop: EventLoopExecutor
  ) {
    self.configuration = configuration
    self.ids = ids
    self.loop = loop
    self.gate = gate
    persistence = source.persistence
    database = source.database
    mountPath = configuration.pathPrefix.split(separator: "/").map { "/" + $0 }.joined()
    initial = source.database
    settings = Settings(configuration)
    stubs = Stubs(configuration.stubs)
    journal = Journal(capacity: configuration.journalCapacity, byteCapacity: configuration.journalByteCapacity)
  }

  nonisolated func respond(
    to request: Request, proceed: @escaping @Sendable () -> Void, reply: @escaping @Sendable (Response) -> Void
  ) {
    assumeIsolated { $0.begin(request, proceed: proceed, reply: reply) }
  }

  /// Answers a request, at once or later.
  private func begin(
    _ original: Request, proceed: @escaping @Sendable () -> Void, reply: @escaping @Sendable (Response) -> Void
  ) {
    let started = System.uptime
    var request = original
    var mountedTarget = original.target
    var refusal: Response?
    do throws(HTTPError) {
      if !mountPath.isEmpty {
        mountedTarget = try target(belowMount: original.target)
        request.mountPath = mountPath
        request.target = mountedTarget
      }
      refusal = try gate.admit(&request)
    } catch {
      refusal = error.response()
    }
    let call = RequestContext(
      original, answeredAs: request, mountedTarget: mountedTarget, started: started, proceed: proceed,
      reply: reply)
    if let refusal {
      finish(call, refusal)
    } else if configuration.middleware.isEmpty {
      carryOut(call)
    } else {
      passThroughMiddleware(call)
    }
  }

  /// A target without the path under which the server is mounted.
  private func target(belowMount target: String) throws(HTTPError) -> String {
    let rest = target.dropFirst(mountPath.count)
    guard target.hasPrefix(mountPath), rest.isEmpty || rest.first == "/" || rest.first == "?" else {
      throw HTTPError(.notFound, "The server is mounted under \(mountPath); \(target) is not below it.")
    }
    return rest.first == "/" ? String(rest) : "/" + rest
  }

  /// Answers a call that has been let in: with a fault that it meets, or after the delay in its own way.
  func carryOut(_ call: RequestContext) {
    do throws(HTTPError) {
      let parameters = try QueryParameters(target: call.request.target)
      guard !AdminRoute.isAddressed(by: call.request) else { return route(call, parameters) }
      let fault = faults.next(for: call)
      let wait = if let delay = fault?.delay(configuration.random) { delay } else { try delay(parameters) }
      guard wait > .zero, !isStopping else { return meet(fault, call, parameters) }
      delay(by: wait) { $0.meet(fault, call, parameters) }
    } catch {
      finish(call, error.response())
    }
  }

  private func delay(by wait: Duration, _ work: @escaping @Sendable (isolated Engine) -> Void) {
    lastNumber += 1
    let number = lastNumber
    let appointment = loop.schedule(after: wait) { self.assumeIsolated { $0.carryOutDelayed(number) } }
    delayed[number] = Delayed(appointment: appointment, work: work)
  }

  private func carryOutDelayed(_ number: Int) {
    delayed.removeValue(forKey: number)?.work(self)
  }

  /// Answers at once what waits only because it was told to: a server that stops does not wait for it.
  func releaseDelayed() {
    isStopping = true
    for (number, delayed) in delayed {
      delayed.appointment.cancel()
      carryOutDelayed(number)
    }
    events.end()
    journal.endWaiting()
  }

  private func meet(_ fault: Fault?, _ call: RequestContext, _ parameters: QueryParameters) {
    if let response = fault?.response { finish(call, response) } else { route(call, parameters) }
  }

  /// The delay of all answers, or the request's own `_delay` in milliseconds, up to a minute.
  private func delay(_ parameters: QueryParameters) throws(HTTPError) -> Duration {
    guard let milliseconds = try ListParameters.number("_delay", parameters) else { return settings.delay }
    return .milliseconds(min(max(milliseconds, 0), 60_000))
  }

  /// Answers a call by what it asks for.
  func route(_ call: RequestContext, _ parameters: QueryParameters) {
    do throws(HTTPError) {
      let path = try Path(target: call.request.target)
      if let location = pageLocation(path, call) {
        return finish(call, Response(status: .found, headerFields: [.location: location]))
      }
      if let response = gate.special(call.request, path) { return finish(call, response) }
      if path.segments.first == AdminRoute.root {
        return administer(try AdminRoute(call.request, path.segments.dropFirst(), parameters), call)
      }
      if let response = stubs.response(to: call) { return finish(call, response) }
      if configuration.hasResetRoutes, let route = AdminRoute(reset: call.request, path.segments) {
        return administer(route, call)
      }
      let endpoint = try Endpoint(call.request, path: path, parameters: parameters, &database)
      if path.segments.count == 1, parameters.first("_watch") != nil, let name = endpoint.watchedResource {
        let filter = EventFilter(types: [.change], resource: name)
        return finish(call, subscribe(filter, lastEventID: AdminRoute.lastEventID(call.request, parameters)))
      }
      if endpoint.isWrite {
        try allowWriting(call.request)
        try requireMatch(call.request, endpoint)
      }
      perform(endpoint, call)
    } catch {
      let methods = call.request.method == .options ? methods(of: call.request, refusedWith: error) : nil
      finish(call, methods ?? error.response())
    }
  }

  /// Lets a change of what the client has not seen as it is now go no further (RFC 9110, section 13.1.1).
  ///
  /// - Throws: 412, when the request has an `If-Match` that does not name what a GET would be answered with.
  private func requireMatch(_ request: Request, _ endpoint: Endpoint) throws(HTTPError) {
    guard let field = request.headerFields[.ifMatch], let seen = endpoint.target else { return }
    let response = try seen.answer(request, from: &database, ids: ids).response(to: request)
    guard case .bytes(let body) = response.body, EntityTagList(field).names(EntityTag(of: body).fieldValue) else {
      throw HTTPError(
        .preconditionFailed, "\(request.path) is not as If-Match says any more; get it again and repeat the change.")
    }
  }

  private func perform(_ endpoint: Endpoint, _ call: RequestContext) {
    do throws(HTTPError) {
      let answer = try endpoint.answer(call.request, from: &database, ids: ids)
      note(answer, call)
      // Middleware sees answers as they are without what the gate adds to them.
      let response = answer.response(to: call.request, call.isInner ? nil : gate.commonFields)
      guard endpoint.isWrite else { return answerWhenDurable(call, response, endpoint.onlyResource) }
      let names = database.changedResourceNames
      settle(
        PendingResponse(
          call: call, response: response, change: answer.change, resources: names, isWrite: !names.isEmpty))
    } catch {
      answerWhenDurable(call, error.response(), endpoint.onlyResource)
    }
  }

  /// Answers when what was changed is saved, or at once when there is nothing to save.
  func settle(_ answer: PendingResponse) {
    let changes = database.takeChanges()
    if changes.isEmpty {
      answerWhenDurable(answer.call, answer.response, nil)
    } else if persistence == nil {
      acknowledge(answer)
    } else {
      if commits.add(answer, changes) { startCommitSoon() }
      // It is applied, and what comes after it on its connection may join its commit.
      answer.call.proceed()
    }
  }

  /// Sends an answer that shows nothing a crash could take back: it waits for the commit of what it shows.
  ///
  /// - Parameter resource: The one resource that it shows; `nil` when it may be several.
  private func answerWhenDurable(
    _ call: RequestContext, _ response: Response, _ resource: @autoclosure () -> String?
  ) {
    if !commits.isIdle, configuration.durability == .full {
      let pending = PendingResponse(call: call, response: response, change: nil, resources: [], isWrite: false)
      if commits.wait(pending, for: resource().flatMap { try? database.position(of: $0) }) {
        call.proceed()
        return
      }
    }
    finish(call, response)
  }

  /// Tells of parameters that have no effect, once for each.
  private func note(_ answer: EndpointResult, _ call: RequestContext) {
    for name in answer.unknownParameters {
      let members = { self.database.memberNames(of: answer.collection ?? "") }
      if let hint = hints.hint(for: name, path: call.request.path, members: members) {
        configuration.onEvent(.hint(hint))
      }
    }
    for parameter in answer.idleParameters {
      if let hint = hints.hint(for: parameter, path: call.request.path) { configuration.onEvent(.hint(hint)) }
    }
    if case .deleted(let name, let id, let dependents)? = answer.change, !dependents.isEmpty {
      let list = dependents.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
      configuration.onEvent(.warning("Deleting /\(name)/\(id) also removed the records that depend on it: \(list)."))
    }
  }

  /// Sends an answer.
  func finish(_ call: RequestContext, _ response: consuming Response) {
    guard !call.isInner else { return call.reply(response) }
    let body = gate.dress(&response, for: call.original)
    record(call, response, body: body)
    call.reply(response)
  }
}
