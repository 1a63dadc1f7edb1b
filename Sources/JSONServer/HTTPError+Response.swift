import HTTPTypes
import OrderedJSON

extension HTTPError {
  /// Returns the answer that tells the client of the error, in the one form that all errors have.
  func response() -> Response {
    var body = JSONObject([
      ("statusCode", .number(JSONNumber(status.code))), ("error", .string(status.reasonPhrase)),
      ("message", .string(message)),
    ])
    if let durability { body["durability"] = .string(durability) }
    var fields = headerFields
    fields[.contentType] = "application/json"
    fields[.cacheControl] = "no-cache"
    fields[.xContentTypeOptions] = "nosniff"
    var response = Response(
      status: status, headerFields: fields, body: .bytes(JSONValue.object(body).utf8Text(.pretty)))
    response.errorMessage = message
    return response
  }
}
