import HTTPTypes

/// A request on its way to its response, with what was parsed of it.
///
/// A class, because it is passed on at each step, where a copy would cost a dozen reference counts.
final class RequestContext: Sendable {
  /// The request as the transport read it.
  let original: Request
  /// The request as it is carried out: its method overridden, its target rewritten.
  let request: Request
  /// The path and the query of ``request``, parsed once; empty when the request was refused before that.
  let target: ParsedTarget
  /// The target below the path under which the server is mounted, before it was rewritten.
  let mountedTarget: String
  /// The system's uptime when the request arrived.
  let started: Duration
  /// Whether the request addresses the admin interface.
  ///
  /// Decided here alone, by the decoded path.
  let isAdministrative: Bool
  /// Whether nobody is to see the request: it meets no delay, fault or stub, and leaves no trace in journal, events or log.
  ///
  /// The admin interface's are, and what the page at `/` asks for itself. Found out once: looking a field up costs as much
  /// as a step of the pipeline.
  let isHidden: Bool
  /// The user whose records alone the request is to see; `nil` when it may see all.
  let owner: String?
  /// How many commits of the request collided with an edit of the file.
  let attempts: Int
  /// Whether an edit of the file was taken over while the request waited, so that its client cannot have seen that.
  let isOvertaken: Bool
  /// Whether the response goes back to middleware, or to Swift code, instead of to a client.
  let isInner: Bool
  /// Allows the requests after it on its connection to begin: it has taken effect, though its response has to wait.
  let proceed: @Sendable () -> Void
  let reply: @Sendable (PreparedResponse) -> Void

  init(
    _ original: Request, preprocessed request: Request, target: ParsedTarget, mountedTarget: String,
    started: Duration = System.uptime, owner: String? = nil, attempts: Int = 0, isOvertaken: Bool = false,
    isInner: Bool = false,
    proceed: @escaping @Sendable () -> Void = {}, reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    self.original = original
    self.request = request
    self.target = target
    isAdministrative = target.path.segments.first == AdminRoute.root
    isHidden = isAdministrative || original.headerFields.contains(.page)
    self.mountedTarget = mountedTarget
    self.started = started
    self.owner = owner
    self.attempts = attempts
    self.isOvertaken = isOvertaken
    self.isInner = isInner
    self.proceed = proceed
    self.reply = reply
  }

  /// The same request after a commit of it collided with an edit of the file.
  var nextAttempt: RequestContext { copy(attempts: attempts + 1, isOvertaken: isOvertaken) }

  /// The same request after an edit of the file was taken over while it waited.
  var overtaken: RequestContext { isOvertaken ? self : copy(attempts: attempts, isOvertaken: true) }

  private func copy(attempts: Int, isOvertaken: Bool) -> RequestContext {
    RequestContext(
      original, preprocessed: request, target: target, mountedTarget: mountedTarget, started: started, owner: owner,
      attempts: attempts, isOvertaken: isOvertaken, isInner: isInner, proceed: proceed, reply: reply)
  }

  /// The same request for another target.
  ///
  /// - Throws: 400, when that cannot be read.
  func retargeted(_ target: String) throws(RequestError) -> RequestContext {
    var request = request
    request.target = target
    return RequestContext(
      original, preprocessed: request, target: try ParsedTarget(target), mountedTarget: mountedTarget, started: started,
      owner: owner, attempts: attempts, isOvertaken: isOvertaken, isInner: isInner, proceed: proceed, reply: reply)
  }

  /// The same request, to see only what belongs to a user.
  func limited(to owner: String) -> RequestContext {
    RequestContext(
      original, preprocessed: request, target: target, mountedTarget: mountedTarget, started: started, owner: owner,
      attempts: attempts, isOvertaken: isOvertaken, isInner: isInner, proceed: proceed, reply: reply)
  }

  /// What faults, stubs and expectations match.
  var route: EffectiveRoute {
    EffectiveRoute(method: request.method, path: target.path, mountedTarget: mountedTarget)
  }
}

/// The path and the query of a target, decoded.
struct ParsedTarget: Sendable {
  let path: Path
  let parameters: QueryParameters

  /// - Throws: 400, when an escape is bad or there are too many parameters.
  init(_ target: String) throws(RequestError) {
    path = try Path(target: target)
    parameters = try QueryParameters(target: target)
  }

  /// The target of a request that was refused before its target was parsed.
  static let none = ParsedTarget()

  private init() {
    path = Path()
    parameters = QueryParameters()
  }
}
