import HTTPTypes
import OrderedJSON

extension HTTPError {
  /// Returns the answer that tells the client of the error, in the one form that all errors have.
  func response() -> Response {
    let body: JSONValue = [
      "statusCode": JSONValue.number(JSONNumber(status.code)),
      "error": .string(status.reasonPhrase),
      "message": .string(message),
    ]
    var fields = headerFields
    fields[.contentType] = "application/json"
    return Response(status: status, headerFields: fields, body: .bytes(body.utf8Text(.pretty)))
  }
}
