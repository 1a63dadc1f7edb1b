import HTTPTypes
import JSONDatabase
import JSONDescription
import JSONServerResources
import NIOConcurrencyHelpers

/// The steps of a request, from top to bottom. Each step responds, or passes the request to the next step:
///
/// 1. preprocess: target, path prefix, session (whose own engine goes on), host, origin, method override, rewrite rules.
/// 2. Where servers share the data, the request waits for what the others have committed.
/// 3. middleware, which encloses the steps 4 to 8.
/// 4. A large body is parsed on another thread.
/// 5. sign-in: who asks, and what this user may do.
/// 6. simulate: delay, fault, hold, the response to an earlier request with the same key, stub.
/// 7. route: a page or a file, the admin interface, sign-in, a stream of changes, a resource, or another server.
/// 8. carry out: a read at once or on a worker thread, a write when it is saved. A read that equals an earlier one has its
///    response, unless the data has changed since.
/// 9. finalize: spelling of errors, JSONP, validator, compression, CORS, hint, journal.
///
/// Every response passes through `finalize`; with middleware, once the middleware has returned it.
extension Engine {
  nonisolated func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping Reply
  ) {
    // A function: a closure would check again at run time that it runs on the event loop, which takes as long as
    // finding a resource.
    func begin(_ engine: isolated Engine) { engine.begin(request, progress: progress, reply: reply) }
    assumeIsolated(begin)
  }

  nonisolated func refuse(_ request: Request, with error: RequestError, reply: @escaping Reply) {
    assumeIsolated { $0.begin(request, refusedWith: error, progress: { _ in }, reply: reply) }
  }

  /// Responds to a request, immediately or later.
  ///
  /// - Parameter refusal: The error with which the transport refuses the request; `nil` for none.
  private func begin(
    _ original: Request, refusedWith refusal: RequestError? = nil,
    progress: @escaping @Sendable (RequestProgress) -> Void, reply: @escaping Reply
  ) {
    let started = System.uptime
    var (request, sent, target) = (original, RequestTarget.none, RequestTarget.none)
    do throws(RequestError) {
      // preprocess: target · path prefix · session · host · origin · method override
      // A request that equals an earlier one has its target, and passed the same checks.
      let known = writes.reads.read(equalTo: original)
      sent = if let target = known?.target { target } else { try RequestTarget(original.target) }
      target = sent
      try enterMount(&target, of: &request)
      let session = configuration.hasSessions ? try SessionName.take(from: &target, of: &request) : nil
      if let refusal { throw refusal }
      let preflight = known == nil ? try policies.preprocess(&request) : nil
      // A preflight begins no session: any page may send one.
      let entered = session.flatMap { preflight == nil || sessions.has($0) ? $0 : nil }
      let isSame = preflight == nil && target.segments.count == sent.segments.count
      let context = RequestContext(
        original, preprocessed: request, target: preflight == nil ? target : .none,
        earlierTargets: isSame ? [] : [sent, target], ignoresCase: ignoresCase, started: started,
        number: entered == nil ? journal.nextID() : 0, known: known, progress: progress, reply: reply)
      guard let entered else { return begin(context, preflight) }
      if !sessions.has(entered) { try policies.origins.checkBeginning(of: entered.text, by: request) }
      sessions.enter(entered, on: self).assumeIsolated {
        $0.begin(context.with(number: $0.journal.nextID()), preflight)
      }
    } catch {
      // The journal has no requests for the admin interface.
      let context = RequestContext(
        original, preprocessed: request, target: refusal == nil ? .none : target, earlierTargets: [sent, target],
        ignoresCase: ignoresCase, started: started, number: journal.nextID(), progress: progress, reply: reply)
      // The developer who reads the log does not see the response.
      if error.code == .forbidden, policies.refusesHost(of: request), hints.isNew(error.message) {
        configuration.onEvent(.hint(error.message.respelled(configuration.spellings)))
      }
      finalize(context, (refusal ?? error).response())
    }
  }

  /// Whether a request is for the admin interface of the server or of a session, for the transport, which decides before
  /// the first step.
  nonisolated func isAdministrative(_ request: Request) -> Bool {
    assumeIsolated { engine in
      var request = request
      guard var target = try? RequestTarget(request.target), (try? engine.enterMount(&target, of: &request)) != nil
      else { return false }
      let session = engine.configuration.hasSessions ? try? SessionName.take(from: &target, of: &request) : nil
      let routes = session.flatMap(engine.sessions.begun)?.assumeIsolated { $0.routes } ?? engine.routes
      return ((try? routes.rules?.rewrite(target))?.target ?? target).isAdministrative
    }
  }

  private func begin(_ context: RequestContext, _ preflight: PreparedResponse?) {
    if let preflight { return finalize(context, preflight) }
    do throws(RequestError) {
      let context = routes.rules == nil && signIn == nil ? context : try rewriting(context)
      // The admin interface needs no database.
      guard waitsForOthers, !context.isAdministrative else { return enclose(context) }
      // Rights and rules are those of the data that writes change.
      let isRead = context.request.isSafe && signIn == nil
      writes.readIndex.whenCurrent(on: self, since: context.started, isRead: isRead) { engine, failure in
        if let failure { return engine.finalize(context, RequestError(failure).response()) }
        engine.enclose(context)
      }
    } catch {
      finalize(context, error.response())
    }
  }

  /// preprocess: guard at the start of the path · rewrite rules
  ///
  /// No rewrite rule sees the guard that a client writes before a path, which only takes rights away.
  private func rewriting(_ context: RequestContext) throws(RequestError) -> RequestContext {
    var context = context
    if signIn != nil, let prefix = database.guardPrefix(of: context.target) {
      context = context.with(nil, context.target.dropping(1), guards: PathGuards(prefix: prefix))
    }
    guard !isPageRequestForData(context), let rewriting = try routes.rules?.rewrite(context.target) else {
      return context
    }
    var (request, guards) = (context.request, context.guards)
    // The beginning that a rule has removed stays in the server's addresses: a client that requests `/api/posts` finds
    // the next page below `/api`.
    request.mount.path += context.target.beginning(before: rewriting.target)
    guards.written = rewriting.firstSegment.flatMap(Guard.init)
    return context.with(request, rewriting.target, guards: guards).noting { $0.rewriteRule = rewriting.firstRule }
  }

  /// Whether the server's page asks for a resource by its name, which a rule may lead elsewhere: with
  /// `"/posts/:category": "/posts?category=:category"`, an edit of one record would change many.
  private func isPageRequestForData(_ context: RequestContext) -> Bool {
    context.original.has(.page) && context.target.segments.first.flatMap(database.resource(named:)) != nil
  }

  private func enclose(_ context: RequestContext) {
    // Middleware encloses all later steps except `finalize`, and sees responses as they are before it.
    if !configuration.middleware.isEmpty { return passThroughMiddleware(context) }
    authorize(context)
  }

  /// sign-in, then simulate
  func authorize(_ context: RequestContext) {
    do throws(RequestError) {
      if context.request.bytes.count > RequestBody.largestQuick, context.parsed == nil, !context.isAdministrative {
        return parseAside(context)
      }
      guard let signIn, !context.isAdministrative else { return simulate(context) }
      try signIn.authorize(context, on: self) { $0.simulate($1) }
    } catch {
      finalize(context, error.response())
    }
  }

  /// simulate: delay · fault · hold · repetition · stub; then route
  private func simulate(_ context: RequestContext) {
    if context.isSimulated { rules.simulate(context, on: self) } else { serve(context) }
  }

  /// route, then carry out; or proxy, when this server has nothing at the path
  func serve(_ context: RequestContext) {
    if let response = keptResponse(to: context) { return finalize(context, response) }
    do throws(RequestError) {
      carryOut(try route(context), context)
    } catch {
      if let response = methods(of: context, refusedWith: error) { return finalize(context, response) }
      if let calls = upstreamCalls, calls.takes(context, refusedWith: error, database) {
        return calls.proxy(context, on: self)
      }
      if configuration.isStrict, context.isJournaled, error.saysNothingIsThere {
        refuseUnexpected(context, error.message)
      } else {
        finalize(context, error.response())
      }
    }
  }

  /// carry out: a built-in response · admin · events · a resource, read immediately or written
  ///
  /// A write that collided with an edit of the file is carried out again, with its parsed route.
  func carryOut(_ route: Route, _ context: RequestContext) {
    do throws(RequestError) {
      switch route {
      case .builtIn(let response): finalize(context, response)
      case .admin(let route): try route.respond(to: context, on: self)
      case .signIn(let route): try signIn?.respond(to: route, context, on: self)
      case .changes(let resource, let owner):
        let ignored = context.target.parameters.ignored(by: .watch)
        if configuration.isStrict, !ignored.isEmpty { return refuse(context, ignored) }
        var response = events.watch(resource, of: owner, context, on: self)
        if !ignored.isEmpty { report(ignored, of: context, in: &response) }
        finalize(context, response)
      case .resource(let endpoint): try carryOut(endpoint, context)
      }
    } catch {
      finalize(context, error.response())
    }
  }

  /// carry out: a request for data
  func carryOut(_ endpoint: Endpoint, _ context: RequestContext) throws(RequestError) {
    let isPreview = endpoint.isWrite && context.pageIntent == .preview
    if endpoint.isWrite, !isPreview {
      let requester = Requester(context, .resource(endpoint))
      guard try beginOrQueue(context.request.method.rawValue, for: requester) else { return }
      if let known = repetitions.response(toAgain: context, on: self) { return finalize(context, known) }
    }
    let endpoint = try resolvingDelta(endpoint, context)
    let parameters = endpoint.parameters(of: context.target)
    let shape = try ResponseShape(
      parameters, wrapName: configuration.wrapName(for: context),
      pages: context.isWrapped ? configuration.cursorPages : nil)
    let ignored = parameters.items.isEmpty ? [] : endpoint.ignoredParameters(parameters, of: context.request)
    let operation: ShapedOperation
    do throws(RequestError) {
      let authorization = authorization
      operation = ShapedOperation(
        operation: try DataOperation(endpoint, context, ids: writes.ids, authorization, settings.clockOffset),
        endpoint: endpoint,
        shape: shape,
        precondition: endpoint.isWrite
          ? try Precondition(endpoint, context, configuration, writes, authorization) : nil,
        ignored: ignored, refusesIgnored: refusesIgnored(endpoint))
    } catch {
      if refusesIgnored(endpoint), !ignored.isEmpty { return refuse(context, ignored) }
      return respond(to: context, endpoint, error.response(), nil, ignored: ignored, isSaved: writes.isShownSaved)
    }
    if isPreview { return try preview(operation, context) }
    if endpoint.isWrite { change(operation, context) } else { try read(operation, context) }
  }

  /// Whether parameters without effect are an error, as for changes of many records, which must not ignore a filter.
  func refusesIgnored(_ endpoint: Endpoint) -> Bool { configuration.isStrict || endpoint.changesMany }

  /// carry out: the response to a read or a write
  ///
  /// - Parameters:
  ///   - isSaved: Whether all data that the response shows was saved when it was read.
  ///   - isCurrent: Whether a read shows the current data, whose revisions have numbers.
  ///   - validator: The validator of a large body; `nil` for that of the current data.
  ///   - base: The version before a change.
  func respond(
    to context: RequestContext, _ operation: ShapedOperation,
    with outcome: Result<EndpointResult, ShapedOperation.Refusal>, isSaved: Bool, isCurrent: Bool = true,
    validator: EntityTag? = nil, since base: Database? = nil
  ) {
    let endpoint = operation.endpoint
    switch outcome {
    case .failure(.ignored(let ignored)): refuse(context, ignored)
    case .failure(.failed(let error, let ignored)):
      respond(to: context, endpoint, error.response(), nil, ignored: ignored, isSaved: isSaved)
    case .success(let result):
      report(result, of: context)
      // Middleware sees responses without the parts that `finalize` adds.
      var response = result.response(to: context.request, context.isInner ? nil : policies.commonFields(of: result))
      if case .slices = response.body, !endpoint.isWrite, isCurrent, !context.isInner {
        response.validator = validator ?? writes.revisions.validator(of: endpoint, context, in: database, authorization)
      }
      if isSaved, isCurrent, validator == nil, !endpoint.isWrite {
        keep(&response, with: result, of: endpoint, to: context)
      }
      // As 0.17 does, and for If-Match after a write: the record's tag is that of its GET.
      if endpoint.isWrite, result.isRecord, operation.shape?.isPartial != true, context.request.method != .delete,
        case .bytes(let body) = response.body
      {
        response.validator = EntityTag(of: body)
      }
      respond(
        to: context, endpoint, consume response, result.change, ignored: result.ignored, isSaved: isSaved, since: base)
    }
  }

  /// carry out: a response, when the data that it shows is saved
  func respond(
    to context: RequestContext, _ endpoint: Endpoint, _ response: consuming PreparedResponse, _ change: DataChange?,
    ignored: [IgnoredParameter], isSaved: Bool, since base: Database? = nil
  ) {
    if !ignored.isEmpty {
      // The data decides which parameters have no effect, and the request has changed nothing yet.
      if refusesIgnored(endpoint) { return refuse(context, ignored) }
      report(ignored, of: context, in: &response)
    }
    if isSession { sessions.boundIndexes(of: self, hasChanged: change != nil) }
    // The usual case for reads: nothing waits for the disk.
    if !endpoint.isWrite, isSaved { return finalize(context, consume response) }
    if let base, change != nil {
      keepUndo(of: context, since: base, in: &response)
      repetitions.keep(response, to: context, withItsChangeOn: self)
    }
    var pending = PendingResponse(
      requester: Requester(context, .resource(endpoint)), response: response, change: change)
    pending.isRead = !endpoint.isWrite && endpoint.list?.delta == nil
    if let base, change != nil {
      writes.enqueueCommit(pending, since: base, on: self)
    } else {
      writes.respondWhenDurable(pending, showing: endpoint.onlyResource, on: self)
    }
  }

  /// finalize: JSONP · validator · compression · CORS · journal
  func finalize(_ context: RequestContext, _ response: consuming PreparedResponse) {
    let met = context.met
    if let turn = met?.repetition { repetitions.end(turn, with: response, on: self) }
    guard !context.isInner else { return context.reply(response) }
    if response.errorMessage != nil { response.respell(configuration.spellings) }
    if case .events(let list) = response.body { response.continueEvents(list, of: context.request) }
    response.bytesPerSecond = bytesPerSecond(of: context)
    if let date = settings.date { response.headerFields[.date] = date }
    let body = policies.finalize(&response, for: context)
    if let fields = met?.addedFields, !fields.isEmpty { response.headerFields.replace(with: fields) }
    switch met?.delivery {
    case .lost?: response.delivery = .lost
    case .truncated? where response.delivery == .normal: response.cut()
    case .truncated?, .normal?, .hang?, .reset?, nil: break
    }
    if let origin = response.refusedOrigin, hints.isNew(origin) {
      configuration.onEvent(.hint(Hints.text(forRefused: origin).respelled(configuration.spellings)))
    }
    journal.record(context, copy response, body: body, on: self)
    let onSending = response.onSending
    context.reply(response)
    onSending?()
  }
}

extension PreparedResponse {
  /// Leaves out the events that the client has got before it lost the connection; without any left, 204 ends its attempts.
  fileprivate mutating func continueEvents(_ list: EventList, of request: Request) {
    guard let id = request.headerFields[.lastEventID] else { return }
    if let rest = list.after(id) {
      body = .events(rest)
    } else {
      (status, body, delivery) = (.noContent, .bytes([]), .normal)
      headerFields[.contentType] = nil
    }
  }
}

/// The target of a request, decided once.
enum Route {
  /// A response that does not depend on the data: a page, a static file, the rewrite rules, a redirection.
  case builtIn(PreparedResponse)
  case admin(AdminRoute)
  case signIn(SignInRoute)
  /// A stream of the changes of a resource, perhaps only of a user's own records.
  case changes(of: String, by: String?)
  /// The data.
  case resource(Endpoint)
}

extension Engine {
  /// Determines the target of a request; the first match counts.
  ///
  /// - Throws: 404 for an unknown path, 405 with `Allow` for a method that the path lacks, 400 that names the error.
  func route(_ context: RequestContext) throws(RequestError) -> Route {
    let (request, segments, parameters) = (context.request, context.target.segments, context.target.parameters)
    if let location = pageLocation(context) {
      return .builtIn(PreparedResponse(status: .found, headerFields: [.location: location]))
    }
    if let response = policies.builtInResponse(to: request, context.target, routes.rules) {
      return .builtIn(response)
    }
    if context.isAdministrative { return .admin(try AdminRoute.route(of: request, segments.dropFirst())) }
    let authorization = context.isGuarded ? authorization : nil
    if configuration.hasResetRoutes, let route = AdminRoute.resetRoute(of: request, segments) {
      try authorization?.requireAllResources(context)
      return .admin(route)
    }
    let endpoint: Endpoint
    do throws(RequestError) {
      if let users = authorization?.users,
        let route = try SignInRoute(request, segments, wrapName: configuration.wrapName, users)
      {
        return .signIn(route)
      }
      if let parsed = context.parsed {
        endpoint = try parsed.unwrapped.get()
      } else {
        let shown = request.isSafe ? writes.shown : database
        let plain = try context.endpoint(in: shown, by: configuration.contract)
        endpoint = try plain.unwrapping(configuration.wrapName(for: context), writes.database.dialect)
      }
    } catch {
      // The data comes first: a file `posts.html` does not hide the posts. Signing in is a POST; a GET of `/login` may be
      // a page.
      guard error.code == .notFound || error.allowedMethods != nil,
        let response = policies.staticPage(for: request, context.target)
      else { throw error }
      return .builtIn(response)
    }
    if segments.count == 1, let name = endpoint.watchedResource, ListParameters.isWatch(parameters) {
      return .changes(of: name, by: try authorization?.owner(in: endpoint, context))
    }
    return .resource(endpoint)
  }

  /// Whether this server responds to a request by itself, even if with an error.
  func leadsSomewhere(_ context: RequestContext) -> Bool {
    do throws(RequestError) {
      _ = try route(context)
      return true
    } catch {
      return error.code != .notFound
    }
  }

  /// The path of a page that was requested with a slash too many or too few; `nil` for every other path.
  ///
  /// The page's files have relative addresses, which a browser resolves by this slash.
  private func pageLocation(_ context: RequestContext) -> String? {
    let (request, target, mount) = (context.request, context.target, context.request.mount)
    guard request.method == .get || request.method == .head else { return nil }
    if target.segments.isEmpty { return target.endsWithSlash || mount.path.isEmpty ? nil : mount.path + "/" }
    guard context.isAdministrative, target.endsWithSlash else { return nil }
    return switch target.segments.dropFirst() {
    case [], ["docs"]: mount.path + "/" + target.segments.joined(separator: "/")
    default: nil
    }
  }

  /// The response to OPTIONS, which no route accepts: the route's error names its methods.
  ///
  /// - Returns: `nil` for another method, and for an unknown path.
  func methods(of context: RequestContext, refusedWith error: RequestError) -> PreparedResponse? {
    guard context.request.method == .options else { return nil }
    let methods: String
    if let allowed = error.allowedMethods {
      methods = allowed
    } else if context.original.target == "*" {
      methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    } else if isBuiltIn(context) {
      methods = "GET, HEAD, OPTIONS"
    } else {
      return nil
    }
    var fields: HTTPFields = [.allow: methods]
    if !context.isAdministrative, error.allowedMethods?.contains("PATCH") == true {
      fields[.acceptPatch] = RequestBody.patchTypes
    }
    return PreparedResponse(status: .noContent, headerFields: fields)
  }

  /// Whether the response to a GET of the target is not a resource.
  private func isBuiltIn(_ context: RequestContext) -> Bool {
    var request = context.request
    request.method = .get
    return policies.builtInResponse(to: request, context.target, routes.rules) != nil
      || policies.staticPage(for: request, context.target) != nil
  }
}
