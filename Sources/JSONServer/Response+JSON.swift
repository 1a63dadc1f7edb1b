import HTTPTypes
import OrderedJSON

extension Response {
  /// Creates an answer with a JSON body, laid out for people.
  static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
    var fields: HTTPFields = [:]
    fields[.contentType] = "application/json; charset=utf-8"
    fields[.cacheControl] = "no-cache"
    fields[.xContentTypeOptions] = "nosniff"
    return Response(status: status, headerFields: fields, body: .bytes(value.utf8Text(.pretty)))
  }
}
