package import HTTPTypes
package import JSONDatabase
import JSONServerValues

/// The reason why a request is not carried out.
///
/// The types that read requests throw this error. This file alone maps errors to HTTP.
package struct RequestError: Error {
  /// The kind of failure.
  package enum Code: Sendable, Hashable {
    /// The request is invalid: its framing, its target, a parameter or its body.
    case malformed
    /// The client must sign in first.
    case unauthorized
    /// The client, or the page that sends the request, has no right to do that.
    case forbidden
    /// Nothing is at the path.
    case notFound
    /// Something was there, and is no more.
    case gone
    /// The route has other methods; has their names.
    case methodNotAllowed([String])
    /// The request did not arrive in time.
    case timeout
    /// The request contradicts the current data.
    case conflict
    /// The target has changed since the client has seen it.
    case preconditionFailed
    /// The body contradicts the other records, or the rules for them.
    case contradiction
    case bodyTooLarge
    case targetTooLong
    case unsupportedMediaType
    /// The same, for a PATCH.
    case unsupportedPatch
    /// The server does not read the body's content coding.
    case unsupportedCoding
    case unmetExpectation
    /// The request line and the fields are too long, or there are too many fields.
    case headTooLarge
    /// Middleware failed.
    case failed
    case notImplemented
    /// The request may be repeated later.
    case unavailable
    /// Too many requests wait; the client should repeat this one.
    case busy
    /// The same request is still under way; the client should repeat this one.
    case underWay
    /// The key of the request stands for another request.
    case otherRequest
    /// The disk or a quota is full.
    case noSpace
    /// A write may or may not survive a power cut.
    case durabilityUnknown
    /// The other server cannot be reached.
    case badGateway
    /// The other server does not respond in time.
    case gatewayTimeout
    /// The other server is this one.
    case loop
  }

  package let code: Code

  /// A sentence for the sender of the request: what is wrong, and what to do.
  package let message: String

  /// The place of the invalid member in a JSON body, as names and positions from the outside in; empty for none.
  package let place: [String]
  /// The problems of the body, each with its place.
  package let problems: [Problem]

  package init(_ code: Code, _ message: String, at place: [String] = [], problems: [Problem] = []) {
    self.code = code
    self.message = message
    self.place = place
    self.problems = problems
  }

  /// Returns the result of what reads a member or an element; the place of its error begins there.
  package static func reading<Result>(
    _ place: [String], _ result: @autoclosure () throws(RequestError) -> Result
  ) throws(RequestError) -> Result {
    do throws(RequestError) {
      return try result()
    } catch {
      throw RequestError(error.code, error.message, at: place + error.place, problems: error.problems)
    }
  }

  /// Whether nothing is at the path, or the path lacks the method.
  package var saysNothingIsThere: Bool { code == .notFound || allowedMethods != nil }

  /// The error for a method that a route lacks.
  ///
  /// - Parameter methods: The route's methods except OPTIONS.
  package static func methodNotAllowed(_ request: Request, _ methods: [String]) -> RequestError {
    let allowed = methods + ["OPTIONS"]
    return RequestError(
      .methodNotAllowed(allowed),
      "\(request.method) does not apply to \(request.path); it takes \(allowed.joined(separator: ", ")).")
  }
}

// The mapping of errors to HTTP: no other file chooses a status for an error.

extension RequestError {
  /// Creates the error for a request that the database refuses.
  package init(_ error: DatabaseError) {
    let code: Code =
      switch error.code {
      case .unknownResource, .unknownRecord, .wrongKind: .notFound
      case .idTaken, .conflict: .conflict
      case .tooLarge: .bodyTooLarge
      case .contradiction: .contradiction
      case .invalidBody, .invalidQuery: .malformed
      }
    let remedy = error.code == .idTaken ? " PUT or PATCH changes it." : ""
    self.init(code, error.message + remedy, problems: error.problems)
  }

  /// Returns the result of an operation of the database, whose error becomes that of the request.
  package static func converting<Result>(
    _ result: @autoclosure () throws(DatabaseError) -> Result
  ) throws(RequestError) -> Result {
    do throws(DatabaseError) { return try result() } catch { throw RequestError(error) }
  }

  package var status: HTTPResponse.Status {
    switch code {
    case .malformed: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .notFound: .notFound
    case .gone: .gone
    case .methodNotAllowed: .methodNotAllowed
    case .timeout: .requestTimeout
    case .conflict: .conflict
    case .preconditionFailed: .preconditionFailed
    case .contradiction, .otherRequest: .unprocessableContent
    case .underWay: .conflict
    case .bodyTooLarge: .contentTooLarge
    case .targetTooLong: .uriTooLong
    case .unsupportedMediaType, .unsupportedPatch, .unsupportedCoding: .unsupportedMediaType
    case .unmetExpectation: .expectationFailed
    case .headTooLarge: .requestHeaderFieldsTooLarge
    case .failed: .internalServerError
    case .notImplemented: .notImplemented
    case .unavailable, .busy, .durabilityUnknown: .serviceUnavailable
    case .badGateway: .badGateway
    case .gatewayTimeout: .gatewayTimeout
    case .loop: .init(code: 508, reasonPhrase: "Loop Detected")
    case .noSpace: .init(code: 507, reasonPhrase: "Insufficient Storage")
    }
  }

  /// The methods of the route, as `Allow` lists them; `nil` for another error.
  package var allowedMethods: String? {
    guard case .methodNotAllowed(let methods) = code else { return nil }
    return methods.joined(separator: ", ")
  }

  /// The members of a problem's details (RFC 9457), which follow those of every error.
  private var problemDetails: [(String, JSONValue)] {
    let errors = problems.map { problem -> JSONValue in
      ["pointer": .string("#" + PercentEncoding.encodePointer(problem.pointer)), "detail": .string(problem.message)]
    }
    return [
      ("type", "about:blank"), ("title", .string(status.reasonPhrase)), ("status", .number(JSONNumber(status.code))),
      ("detail", .string(message)), ("errors", .array(errors)),
    ]
  }

  /// Returns the response that reports the error to the client.
  package func response() -> PreparedResponse {
    let members: [(String, JSONValue)] =
      code == .durabilityUnknown ? [("durability", "unknown")] : problems.isEmpty ? [] : problemDetails
    var response = PreparedResponse.error(status, message, members: members)
    if !problems.isEmpty { response.headerFields[.contentType] = "application/problem+json" }
    if let allowedMethods { response.headerFields[.allow] = allowedMethods }
    if code == .unsupportedPatch { response.headerFields[.acceptPatch] = RequestBody.patchTypes }
    if code == .busy || code == .underWay { response.headerFields[.retryAfter] = "1" }
    if code == .unauthorized { response.headerFields[.wwwAuthenticate] = "Bearer" }
    // RFC 9110, section 15.5.16.
    if code == .unsupportedCoding { response.headerFields[.acceptEncoding] = ContentCoding.all }
    return response
  }
}

extension String {
  /// A message with options in place of the names of Swift's members, such as `--auth` for `Server.Configuration.signIn`.
  package func respelled(_ spellings: [String: String]) -> String {
    guard contains("Server.") else { return self }
    // A name may be a part of another.
    return spellings.sorted { $0.key.count > $1.key.count }.reduce(self) { $0.replacing($1.key, with: $1.value) }
  }
}

extension PreparedResponse {
  /// Respells the message of an error.
  package mutating func respell(_ spellings: [String: String]) {
    guard !spellings.isEmpty, let message = errorMessage, message.contains("Server.") else { return }
    errorMessage = message.respelled(spellings)
    body = .bytes(Array(String(decoding: bytes, as: UTF8.self).respelled(spellings).utf8))
  }

  /// Creates the response to an error, in the form that all errors have.
  ///
  /// - Parameter members: Members of the body in addition to those of every error.
  package static func error(
    _ status: HTTPResponse.Status, _ message: String, members: [(String, JSONValue)] = []
  ) -> PreparedResponse {
    let body = JSONObject(
      [
        ("statusCode", .number(JSONNumber(status.code))), ("error", .string(status.reasonPhrase)),
        ("message", .string(message)),
      ] + members)
    let fields: HTTPFields = [
      .contentType: "application/json", .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
    ]
    var response = PreparedResponse(
      status: status, headerFields: fields, body: .bytes(JSONValue.object(body).utf8Text(.pretty)))
    response.errorMessage = message
    return response
  }
}
