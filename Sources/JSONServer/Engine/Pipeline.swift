import HTTPTypes
import JSONDatabase
import NIOConcurrencyHelpers

/// The way of a request, from top to bottom: preprocess, sign-in, simulate, route, perform or proxy, finalize.
///
/// Each step ends the way with a response, or hands the request on to the next one; every way ends in `finalize`.
extension Engine {
  nonisolated func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    assumeIsolated { $0.begin(request, progress: progress, reply: reply) }
  }

  /// Responds to a request, immediately or later.
  private func begin(
    _ original: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    let started = System.uptime
    var (request, mountedTarget) = (original, original.target)
    do throws(RequestError) {
      // preprocess: mount path · session · host · origin · method override · rewrite rules
      mountedTarget = try enterMount(&request)
      let session = configuration.hasSessions ? try SessionName.take(from: &request) : nil
      if session != nil { mountedTarget = request.target }
      let preflight = try policies.preprocess(&request)
      let rule = preflight == nil ? policies.rewrite(&request) : nil
      let context = RequestContext(
        original, preprocessed: request, target: preflight == nil ? try ParsedTarget(request.target) : .none,
        mountedTarget: mountedTarget, ignoresCase: ignoresCase, started: started,
        notes: rule.map { NIOLockedValueBox(MatchNotes(rule: $0)) }, progress: progress, reply: reply)
      if let session {
        if preflight == nil, !sessions.has(session) { try policies.checkBeginning(of: session, by: request) }
        return sessions.engine(of: session, on: self).assumeIsolated { $0.begin(context, preflight) }
      }
      begin(context, preflight)
    } catch {
      let context = RequestContext(
        original, preprocessed: request, target: .none, mountedTarget: mountedTarget, ignoresCase: ignoresCase,
        started: started, progress: progress, reply: reply)
      finalize(context, error.response())
    }
  }

  private func begin(_ context: RequestContext, _ preflight: PreparedResponse?) {
    if let preflight { return finalize(context, preflight) }
    // Middleware surrounds all that follows except `finalize`, and sees responses as they are before that.
    if !configuration.middleware.isEmpty { return passThroughMiddleware(context) }
    authorize(context)
  }

  /// sign-in, then simulate
  func authorize(_ context: RequestContext) {
    do throws(RequestError) {
      if hasUnparsedBody(context) { return try parseAside(context) }
      guard let signIn, !context.isAdministrative else { return simulate(context) }
      if context.isHidden {
        guard CrossOriginPolicy.isOwn(context.original) else {
          throw RequestError(.forbidden, "X-JSON-Server-Page is for the server's own page; leave it out, and sign in.")
        }
        return simulate(context)
      }
      if awaitToken(of: context, signIn, { $0.authorize(context) }) { return }
      simulate(try authorize(context, signIn))
    } catch {
      finalize(context, error.response())
    }
  }

  /// route, then perform; what leads nowhere is asked of another server, if there is one
  func perform(_ context: RequestContext) {
    do throws(RequestError) {
      perform(try route(context), context)
    } catch {
      if let response = methods(of: context, refusedWith: error) { return finalize(context, response) }
      if let calls = upstream(for: context, refusedWith: error) { return proxy(context, to: calls) }
      if configuration.isStrict, !context.isHidden, error.saysNothingIsThere {
        refuseUnexpected(context, error.message)
      } else {
        finalize(context, error.response())
      }
    }
  }

  /// perform: a built-in response · admin · events · a resource, read immediately or written
  ///
  /// A write that collided with an edit of the file comes here again, with its route as parsed the first time.
  func perform(_ route: Route, _ context: RequestContext) {
    do throws(RequestError) {
      switch route {
      case .builtIn(let response): finalize(context, response)
      case .admin(let route): try route.respond(self, AdminCall(route: route, context: context))
      case .signIn(let signIn): try perform(signIn, context)
      case .changes(let resource, let lastEventID):
        let ignored = IgnoredParameter.besideWatch(in: context.target.parameters)
        if configuration.isStrict, !ignored.isEmpty { return refuse(context, ignored) }
        var response = watch(resource, lastEventID: lastEventID, context)
        if !ignored.isEmpty { report(ignored, of: context, in: &response) }
        finalize(context, response)
      case .resource(let endpoint): try perform(endpoint, context)
      }
    } catch {
      finalize(context, error.response())
    }
  }

  /// perform: a request for data
  func perform(_ endpoint: Endpoint, _ context: RequestContext) throws(RequestError) {
    if endpoint.isWrite {
      let requester = Requester.client(context, .resource(endpoint))
      guard try mayBegin(context.request.method.rawValue, for: requester) else { return }
    }
    let shape = try shape(of: context)
    let ignored = endpoint.ignoredParameters(context.target.parameters, of: context.request)
    let operation: ShapedOperation
    do throws(RequestError) {
      operation = ShapedOperation(
        operation: try self.operation(for: endpoint, context), endpoint: endpoint, shape: shape,
        precondition: endpoint.isWrite ? try precondition(of: context, endpoint) : nil, ignored: ignored,
        refusesIgnored: refusesIgnored(endpoint))
    } catch {
      if refusesIgnored(endpoint), !ignored.isEmpty { return refuse(context, ignored) }
      return respond(to: context, endpoint, error.response(), nil, ignored: ignored, isSaved: writes.isSaved)
    }
    if endpoint.isWrite { change(operation, context) } else { try read(operation, context) }
  }

  /// Whether parameters without an effect are an error: a change of many records does not go by half of its filters.
  func refusesIgnored(_ endpoint: Endpoint) -> Bool { configuration.isStrict || endpoint.changesMany }

  /// perform: what was read or written as a response
  ///
  /// - Parameters:
  ///   - isSaved: Whether all that it shows was saved when it was read.
  ///   - validator: The validator of a large body; `nil` for that of the data as it is now.
  ///   - base: The version before a change.
  func respond(
    to context: RequestContext, _ operation: ShapedOperation,
    with outcome: Result<ShapedOperation.Success, ShapedOperation.Refusal>, isSaved: Bool,
    validator: EntityTag? = nil, since base: Database? = nil
  ) {
    let endpoint = operation.endpoint
    switch outcome {
    case .failure(.ignored(let ignored)): refuse(context, ignored)
    case .failure(.failed(let error, let ignored)):
      respond(to: context, endpoint, error.response(), nil, ignored: ignored, isSaved: isSaved)
    case .success(let success):
      let result = success.result
      report(result, of: context)
      // Middleware sees responses without what `finalize` adds to them.
      var response = result.response(to: context.request, context.isInner ? nil : policies.commonFields)
      if case .slices = response.body, !endpoint.isWrite, !context.isInner {
        response.validator = validator ?? self.validator(of: endpoint, context)
      }
      respond(
        to: context, endpoint, response, result.change, ignored: success.ignored + result.ignored, isSaved: isSaved,
        since: base)
    }
  }

  /// perform: a response, when what it shows is saved
  func respond(
    to context: RequestContext, _ endpoint: Endpoint, _ response: consuming PreparedResponse, _ change: DataChange?,
    ignored: [IgnoredParameter], isSaved: Bool, since base: Database? = nil
  ) {
    if !ignored.isEmpty {
      // Only the data tells these, and only to requests that have changed nothing.
      if refusesIgnored(endpoint) { return refuse(context, ignored) }
      report(ignored, of: context, in: &response)
    }
    if isSession { boundIndexes(hasChanged: change != nil) }
    // What nearly all reads meet: nothing waits for the disk.
    if !endpoint.isWrite, isSaved { return finalize(context, consume response) }
    let pending = PendingResponse(
      requester: .client(context, .resource(endpoint)), response: response, change: change)
    if let base, change != nil {
      writes.enqueueCommit(pending, since: base, on: self)
    } else {
      writes.respondWhenDurable(pending, showing: endpoint.onlyResource, on: self)
    }
  }

  /// finalize: JSONP · validator · compression · CORS · journal
  func finalize(_ context: RequestContext, _ response: consuming PreparedResponse) {
    guard !context.isInner else { return context.reply(response) }
    let body = policies.finalize(&response, for: context)
    if let origin = response.refusedOrigin, let hint = hints.hint(forRefused: origin) {
      configuration.onEvent(.hint(hint))
    }
    record(context, response, body: body)
    context.reply(response)
  }
}
