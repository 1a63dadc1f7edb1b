/// A request on its way to its answer.
struct Call: Sendable {
  /// The request as the transport read it.
  let original: Request
  /// The request as it is answered: its method overridden, its target rewritten.
  var request: Request
  let started: ContinuousClock.Instant
  /// How often a commit of the request met an edit of the file.
  var attempts = 0
  let reply: @Sendable (Response) -> Void

  init(_ request: Request, reply: @escaping @Sendable (Response) -> Void) {
    original = request
    self.request = request
    started = .now
    self.reply = reply
  }
}
