package import HTTPTypes
import JSONDatabase
import JSONStorage
import OrderedJSON

// What errors mean in HTTP: nowhere else is a status chosen for one.

extension RequestError {
  /// Creates the refusal of what the database refuses.
  init(_ error: DatabaseError) {
    let code: Code =
      switch error.code {
      case .unknownResource, .unknownRecord, .wrongKind: .notFound
      case .idTaken, .conflict: .conflict
      case .tooLarge: .bodyTooLarge
      case .invalidBody, .invalidQuery: .malformed
      }
    let remedy = error.code == .idTaken ? " PUT or PATCH changes it." : ""
    self.init(code, error.message + remedy)
  }

  /// Creates the refusal of a write that could not be saved.
  init(_ error: StorageError) {
    switch error.code {
    case .noSpace: self.init(.noSpace, "\(error.message) Nothing was changed.")
    case .durabilityUnknown: self.init(.durabilityUnknown, error.message)
    case .invalidFile:
      let fault = (error.cause as? SourceFault).map { $0.publicDescription + "." } ?? error.message
      self.init(.unavailable, "\(fault) Mend the file and repeat the request. Nothing was changed.")
    case .unavailable, .staleMount, .locked, .closed:
      self.init(.unavailable, "\(error.message) Nothing was changed.")
    }
  }

  package var status: HTTPResponse.Status {
    switch code {
    case .malformed: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .notFound: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .timeout: .requestTimeout
    case .conflict: .conflict
    case .preconditionFailed: .preconditionFailed
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

  /// The methods that the route takes, as `Allow` lists them; `nil` for another error.
  var allowedMethods: String? {
    guard case .methodNotAllowed(let methods) = code else { return nil }
    return methods.joined(separator: ", ")
  }

  /// Returns the response that reports the error to the client.
  func response() -> PreparedResponse {
    let isDurabilityUnknown = code == .durabilityUnknown
    var response = PreparedResponse.error(
      status, message, members: isDurabilityUnknown ? [("durability", "unknown")] : [])
    if let allowedMethods { response.headerFields[.allow] = allowedMethods }
    if code == .unsupportedPatch { response.headerFields[.acceptPatch] = RequestBody.patchTypes }
    if code == .busy { response.headerFields[.retryAfter] = "1" }
    if code == .unauthorized { response.headerFields[.wwwAuthenticate] = "Bearer" }
    // RFC 9110, section 15.5.16.
    if code == .unsupportedCoding { response.headerFields[.acceptEncoding] = ContentCoding.all }
    return response
  }
}

extension PreparedResponse {
  /// Creates the response of an error, in the one form that all errors have.
  ///
  /// - Parameter members: Members of the body besides those that each error has.
  static func error(
    _ status: HTTPResponse.Status, _ message: String, members: [(String, JSONValue)] = []
  ) -> PreparedResponse {
    let body = JSONObject(
      [
        ("statusCode", .number(JSONNumber(status.code))), ("error", .string(status.reasonPhrase)),
        ("message", .string(message)),
      ] + members)
    var fields: HTTPFields = [:]
    fields[.contentType] = "application/json"
    fields[.cacheControl] = "no-cache"
    fields[.xContentTypeOptions] = "nosniff"
    var response = PreparedResponse(
      status: status, headerFields: fields, body: .bytes(JSONValue.object(body).utf8Text(.pretty)))
    response.errorMessage = message
    return response
  }
}
