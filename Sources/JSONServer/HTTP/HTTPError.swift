package import HTTPTypes
import OrderedJSON

/// An error with which a request is responded to, in the one form that all errors have.
package struct HTTPError: Error {
  package let status: HTTPResponse.Status
  /// What is wrong and what to do, in a sentence for the person who sent the request.
  package let message: String
  /// Fields that the status requires, such as `Allow` for a 405.
  package var headerFields: HTTPFields
  /// What is known of a write that may or may not survive a power cut; `nil` for all other errors.
  package var durability: String?

  package init(_ status: HTTPResponse.Status, _ message: String, headerFields: HTTPFields = [:]) {
    self.status = status
    self.message = message
    self.headerFields = headerFields
  }

  /// The refusal of a method that a route does not take.
  ///
  /// - Parameter methods: Those that it takes besides OPTIONS.
  static func methodNotAllowed(_ request: Request, _ methods: [String]) -> HTTPError {
    let allowed = (methods + ["OPTIONS"]).joined(separator: ", ")
    return HTTPError(
      .methodNotAllowed, "\(request.method) does not apply to \(request.path); it takes \(allowed).",
      headerFields: [.allow: allowed])
  }
}

extension HTTPError {
  /// Returns the response that reports the error to the client, in the one form that all errors have.
  func response() -> PreparedResponse {
    var body = JSONObject([
      ("statusCode", .number(JSONNumber(status.code))), ("error", .string(status.reasonPhrase)),
      ("message", .string(message)),
    ])
    if let durability { body["durability"] = .string(durability) }
    var fields = headerFields
    fields[.contentType] = "application/json"
    fields[.cacheControl] = "no-cache"
    fields[.xContentTypeOptions] = "nosniff"
    var response = PreparedResponse(
      status: status, headerFields: fields, body: .bytes(JSONValue.object(body).utf8Text(.pretty)))
    response.errorMessage = message
    return response
  }
}
