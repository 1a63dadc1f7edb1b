/// A hook for the handling of requests.
///
/// A middleware may change the request, respond to it, or change the response. Delays, faults, holds and stubs come
/// later, and do not affect a request to which the middleware responds itself.
public protocol Middleware: Sendable {
  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request from the middleware before this one.
  ///   - next: Continues with the inner middleware and the server; may be called once, or not at all.
  /// - Throws: Any error; the response is then a 500 with the error's description.
  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response
}
