/// A hook around the handling of requests.
///
/// It may change the request before it goes on, respond to it itself, or change the response.
public protocol Middleware: Sendable {
  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: The request as the middleware before this one passed it on.
  ///   - next: Lets the inner middleware and the server respond; may be called once, or not at all.
  /// - Throws: For whatever is thrown, the response is 500 and the error's description.
  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response
}
