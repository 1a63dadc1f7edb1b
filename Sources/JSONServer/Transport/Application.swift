/// Responds to the requests that a transport reads.
package protocol Application: Sendable {
  /// Responds to a request.
  ///
  /// Called on the server's event loop, and must not block it.
  ///
  /// - Parameters:
  ///   - request: The request, read whole.
  ///   - reply: Sends the response; called once, at once or later, on the event loop. The transport sends the responses
  ///     of one connection in the order of its requests.
  func respond(to request: Request, reply: @escaping @Sendable (Response) -> Void)
}
