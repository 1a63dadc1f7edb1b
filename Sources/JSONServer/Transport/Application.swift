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
  ///   - proceed: Reports that the request has taken effect, and so has read or changed all that it ever will, though
  ///     its response is not due yet; called on the event loop, if at all. The response implies it.
  ///   - reply: Sends the response; called once, immediately or later, on the event loop. The transport sends the
  ///     responses of one connection in the order of its requests.
  func respond(
    to request: Request, proceed: @escaping @Sendable () -> Void, reply: @escaping @Sendable (PreparedResponse) -> Void)
}
