/// A request on its way to its answer.
struct Call: Sendable {
  /// The request as the transport read it.
  let original: Request
  /// The request as it is answered: its method overridden, its target rewritten.
  var request: Request
  /// The target below the path under which the server is mounted, before it was rewritten.
  var mountedTarget: String
  /// The system's uptime when it came.
  let started: Duration
  /// How often a commit of the request met an edit of the file.
  var attempts = 0
  /// Whether the answer goes back to middleware, or to Swift code, instead of to a client.
  let isInner: Bool
  let reply: @Sendable (Response) -> Void

  init(_ request: Request, isInner: Bool = false, reply: @escaping @Sendable (Response) -> Void) {
    original = request
    self.request = request
    mountedTarget = request.target
    started = System.uptime
    self.isInner = isInner
    self.reply = reply
  }
}
