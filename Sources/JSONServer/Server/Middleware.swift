/// A hook around the handling of requests.
///
/// A middleware may change the request, respond to the request itself, or change the response. Delays, faults, holds and
/// stubs come after it: a request that it responds to meets none of them.
public protocol Middleware: Sendable {
  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request as the middleware before this one passed it on.
  ///   - next: Lets the inner middleware and the server respond; may be called once, or not at all.
  /// - Throws: Any error; the response is then a 500 with the error's description.
  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response
}
