/// A hook around the handling of requests.
///
/// It may change the request before it goes on, respond to it itself, or change the response. Delays, faults, holds and stubs
/// are within: what it responds to itself meets none of them.
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
