import JSONServerTesting

extension Request {
  /// A request to localhost, with a JSON body if there is one.
  init(_ method: HTTPRequest.Method, _ target: String, json: String? = nil) {
    var headers = HTTPFields()
    headers["Host"] = "localhost"
    if json != nil { headers[.contentType] = "application/json" }
    self.init(method: method, target: target, headers: headers, body: Data((json ?? "").utf8))
  }
}

extension MockServer {
  /// Responds to a request as the server would over a socket.
  func respond(to request: Request) async -> Response {
    await server.respond(to: request)
  }

  /// The records of a collection as JSON.
  func values(of collection: String) async throws -> [JSONValue] {
    try await server.values(of: collection)
  }
}
