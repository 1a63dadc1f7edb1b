/// Responds to the requests that a transport reads.
protocol Application: Sendable {
  /// Responds to one request.
  ///
  /// Called on the server's event loop, and must not block it. The requests of one connection begin in their order, and
  /// take effect in it: until an unsafe request (RFC 9110, section 9.2.1) has taken effect, none after it begins; an
  /// unsafe one begins only when all before it have (RFC 9112, section 9.3.2). Safe ones may be under way together.
  ///
  /// - Parameters:
  ///   - request: The request, read to its end.
  ///   - progress: Reports what becomes of the request before its response is due; called on the event loop, if at all.
  ///   - reply: Sends the response; called once, immediately or later, on the event loop. The transport sends the
  ///     responses of one connection in the order of its requests.
  func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping @Sendable (PreparedResponse) -> Void)
}

/// What becomes of a request before its response is due.
enum RequestProgress: Sendable {
  /// It has read or changed all that it ever will. The response implies it.
  case tookEffect
  /// It waits for something else than its client, perhaps for long. The closure is called on the event loop if the client
  /// goes away, or closes its side of the connection, before the response is there.
  case held(onDisconnect: @Sendable () -> Void)
  /// Its response is being calculated. The closure is called on the event loop if the connection ends before that is there.
  case calculating(onEnd: @Sendable () -> Void)
}
