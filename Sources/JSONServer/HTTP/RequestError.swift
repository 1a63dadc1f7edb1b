/// Why a request is not carried out.
///
/// Rooms that read requests throw this; what it means in HTTP is said in one file, RequestError+Response.swift.
package struct RequestError: Error {
  /// What kind of failure it is.
  package enum Code: Sendable, Hashable {
    /// The request makes no sense: its framing, its target, a parameter or its body.
    case malformed
    /// Only a client that has signed in may do that.
    case unauthorized
    /// The client, or the page that sends the request, may not do that.
    case forbidden
    /// Nothing is there.
    case notFound
    /// The route takes only certain methods; their names.
    case methodNotAllowed([String])
    /// The request did not come in time.
    case timeout
    /// The request contradicts what the data holds now.
    case conflict
    /// What the request is to change is not as the client has seen it.
    case preconditionFailed
    case bodyTooLarge
    case targetTooLong
    case unsupportedMediaType
    /// The same, for a PATCH.
    case unsupportedPatch
    /// The body has a content coding that the server does not read.
    case unsupportedCoding
    case unmetExpectation
    /// The line and the fields are too long, or the fields too many.
    case headTooLarge
    /// Middleware failed.
    case failed
    case notImplemented
    /// The request may be repeated later.
    case unavailable
    /// So many requests wait already that this one must be repeated.
    case busy
    /// The disk or a quota is full.
    case noSpace
    /// A write may or may not survive a power cut.
    case durabilityUnknown
    /// The other server cannot be asked.
    case badGateway
    /// The other server does not respond in time.
    case gatewayTimeout
    /// The other server is this one.
    case loop
  }

  package let code: Code

  /// What is wrong and what to do, in a sentence for the person who sent the request.
  package let message: String

  /// The member of a JSON body that is at fault, outermost name or position first; empty when it is none.
  package let place: [String]

  package init(_ code: Code, _ message: String, at place: [String] = []) {
    self.code = code
    self.message = message
    self.place = place
  }

  /// Whether it is about the route: nothing is at the path, or the method does not apply there.
  var saysNothingIsThere: Bool {
    switch code {
    case .notFound, .methodNotAllowed: true
    case .malformed, .unauthorized, .forbidden, .timeout, .conflict, .preconditionFailed, .bodyTooLarge, .targetTooLong,
      .unsupportedMediaType, .unsupportedPatch, .unsupportedCoding, .unmetExpectation, .headTooLarge, .failed,
      .notImplemented, .unavailable, .busy, .noSpace, .durabilityUnknown, .badGateway, .gatewayTimeout, .loop:
      false
    }
  }

  /// The refusal of a method that a route does not take.
  ///
  /// - Parameter methods: Those that it takes besides OPTIONS.
  static func methodNotAllowed(_ request: Request, _ methods: [String]) -> RequestError {
    let allowed = methods + ["OPTIONS"]
    return RequestError(
      .methodNotAllowed(allowed),
      "\(request.method) does not apply to \(request.path); it takes \(allowed.joined(separator: ", ")).")
  }
}
