/// What answers the requests that a transport reads.
protocol Application: Sendable {
  /// Answers a request.
  ///
  /// Called on the server's event loop, and must not block it.
  ///
  /// - Parameters:
  ///   - request: The request, read whole.
  ///   - reply: Sends the answer; called once, at once or later, on the event loop. The transport keeps the answers of
  ///     one connection in the order of its requests.
  func respond(to request: Request, reply: @escaping @Sendable (PreparedResponse) -> Void)
}
