import HTTPTypes
import JSONServer

extension Request {
  /// A request to localhost, with a JSON body if there is one.
  init(_ method: HTTPRequest.Method, _ target: String, json: String? = nil) {
    var fields: HTTPFields = [:]
    if let host = HTTPField.Name("Host") { fields[host] = "localhost" }
    if json != nil { fields[.contentType] = "application/json" }
    self.init(method: method, target: target, headerFields: fields, body: Array((json ?? "").utf8))
  }
}
