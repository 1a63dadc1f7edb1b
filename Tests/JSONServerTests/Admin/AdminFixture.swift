import HTTPTypes
import JSONServerValues

@testable import JSONServer

/// A server of a few posts in memory, for tests of what is administered.
enum AdminFixture {
  static let posts: JSONValue = [
    "posts": [["id": 1, "title": "a"], ["id": 2, "title": "b"]],
    "comments": [["id": 1, "postId": 1]],
    "profile": ["name": "typicode"],
  ]

  static func server(
    _ value: JSONValue = posts, _ adjust: (inout Server.Configuration) -> Void = { _ in }
  ) async throws -> Server {
    var configuration = Server.Configuration(source: .value(value))
    adjust(&configuration)
    return try await Server.load(configuration)
  }
}

extension Server {
  /// Sends a request, with a JSON body when there is one.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ target: String, _ body: JSONValue? = nil, fields: HTTPFields = [:]
  ) async -> Response {
    var fields = fields
    if body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
    return await send(method, target, fields: fields, bytes: body?.utf8Text() ?? [])
  }

  /// Sends a request with a body of any bytes.
  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ target: String, fields: HTTPFields = [:], bytes: some Sequence<UInt8>
  ) async -> Response {
    var fields = fields
    fields[.host] = "localhost"
    return await respond(to: Request(method: method, target: target, headerFields: fields, body: Array(bytes)))
  }

  /// Sends a GET and reads the response.
  func get(_ target: String) async throws -> JSONValue {
    try await send(.get, target).json
  }
}

extension Response {
  var json: JSONValue {
    get throws { try JSONValue(parsing: bytes) }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
