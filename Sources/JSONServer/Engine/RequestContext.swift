/// A request on its way to its answer.
///
/// A class, because it is handed on at each step, where a copy would cost a dozen reference counts.
final class RequestContext: Sendable {
  /// The request as the transport read it.
  let original: Request
  /// The request as it is answered: its method overridden, its target rewritten.
  let request: Request
  /// The target below the path under which the server is mounted, before it was rewritten.
  let mountedTarget: String
  /// The system's uptime when it came.
  let started: Duration
  /// How often a commit of the request met an edit of the file.
  let attempts: Int
  /// Whether the answer goes back to middleware, or to Swift code, instead of to a client.
  let isInner: Bool
  /// Lets the requests after it on its connection begin: it has taken effect, though its response has to wait.
  let proceed: @Sendable () -> Void
  let reply: @Sendable (Response) -> Void

  init(
    _ original: Request, answeredAs request: Request, mountedTarget: String, started: Duration = System.uptime,
    attempts: Int = 0, isInner: Bool = false, proceed: @escaping @Sendable () -> Void = {},
    reply: @escaping @Sendable (Response) -> Void
  ) {
    self.original = original
    self.request = request
    self.mountedTarget = mountedTarget
    self.started = started
    self.attempts = attempts
    self.isInner = isInner
    self.proceed = proceed
    self.reply = reply
  }

  /// The same call after a commit of it met an edit of the file.
  var nextAttempt: RequestContext {
    RequestContext(
      original, answeredAs: request, mountedTarget: mountedTarget, started: started, attempts: attempts + 1,
      isInner: isInner, proceed: proceed, reply: reply)
  }
}
