/// A hook around the answering of requests.
///
/// It may change the request before it goes on, answer it itself, or change the answer.
public protocol Middleware: Sendable {
  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: The request as the middleware before this one passed it on.
  ///   - next: Answers the request further in; may be called once, or not at all.
  /// - Throws: Whatever is thrown is answered with 500 and the error's description.
  func respond(
    to request: Request, next: @Sendable (Request) async throws -> Response
  ) async throws -> Response
}
