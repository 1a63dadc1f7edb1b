/// A request on its way to its response, and what was understood of it.
///
/// A class, because it is handed on at each step, where a copy would cost a dozen reference counts.
final class RequestContext: Sendable {
  /// The request as the transport read it.
  let original: Request
  /// The request as it is carried out: its method overridden, its target rewritten.
  let request: Request
  /// The path and the query of ``request``, parsed once; empty when the request was refused before.
  let target: ParsedTarget
  /// The target below the path under which the server is mounted, before it was rewritten.
  let mountedTarget: String
  /// The system's uptime when it came.
  let started: Duration
  /// How often a commit of the request met an edit of the file.
  let attempts: Int
  /// Whether an edit of the file was taken over while the request waited, so that its client cannot have seen that.
  let isOvertaken: Bool
  /// Whether the response goes back to middleware, or to Swift code, instead of to a client.
  let isInner: Bool
  /// Lets the requests after it on its connection begin: it has taken effect, though its response has to wait.
  let proceed: @Sendable () -> Void
  let reply: @Sendable (PreparedResponse) -> Void

  init(
    _ original: Request, preprocessed request: Request, target: ParsedTarget, mountedTarget: String,
    started: Duration = System.uptime, attempts: Int = 0, isOvertaken: Bool = false,
    isInner: Bool = false,
    proceed: @escaping @Sendable () -> Void = {}, reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    self.original = original
    self.request = request
    self.target = target
    self.mountedTarget = mountedTarget
    self.started = started
    self.attempts = attempts
    self.isOvertaken = isOvertaken
    self.isInner = isInner
    self.proceed = proceed
    self.reply = reply
  }

  /// The same request after a commit of it met an edit of the file.
  var nextAttempt: RequestContext { copy(attempts: attempts + 1, isOvertaken: isOvertaken) }

  /// The same request after an edit of the file was taken over while it waited.
  var overtaken: RequestContext { isOvertaken ? self : copy(attempts: attempts, isOvertaken: true) }

  private func copy(attempts: Int, isOvertaken: Bool) -> RequestContext {
    RequestContext(
      original, preprocessed: request, target: target, mountedTarget: mountedTarget, started: started,
      attempts: attempts, isOvertaken: isOvertaken, isInner: isInner, proceed: proceed, reply: reply)
  }

  /// Whether the request addresses the admin interface: it meets no fault, and leaves no trace in the journal.
  ///
  /// Decided here alone, by the decoded path.
  var isAdministrative: Bool { target.path.segments.first == AdminRoute.root }

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
  init(_ target: String) throws(HTTPError) {
    path = try Path(target: target)
    parameters = try QueryParameters(target: target)
  }

  /// That of a request which was refused before anyone looked at its target.
  static let none = ParsedTarget()

  private init() {
    path = Path()
    parameters = QueryParameters()
  }
}
