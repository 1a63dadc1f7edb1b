import JSONServerValues

/// The responses of operations.
package enum OpenAPIResponses {
  /// An error that an operation names, since clients must expect it; any other error is the `default`.
  package enum ErrorStatus: String, Sendable {
    case badRequest = "400"
    case notFound = "404"
    case methodNotAllowed = "405"
    case conflict = "409"
    case contentTooLarge = "413"
    case unsupportedMediaType = "415"
  }

  /// The possible errors of any request with a body.
  static let bodyErrors: [ErrorStatus] = [.badRequest, .contentTooLarge, .unsupportedMediaType]

  static let shared = JSONObject([
    "Error": response("The reason why the request failed.", OpenAPISchemas.reference("Error")),
    "NotModified": ["description": "The tag in `If-None-Match` is still current."],
  ])

  static let sharedHeaders = JSONObject([
    "TotalCount": [
      "description": "The number of matching records on all pages.", "required": true,
      "schema": ["type": "integer", "minimum": 0],
    ],
    "IgnoredParameters": [
      "description": "The parameters of the request that had no effect, separated by commas.",
      "schema": ["type": "string"],
    ],
    "Link": [
      "description": "The addresses of the `first`, `prev`, `next` and `last` page (RFC 8288).",
      "schema": ["type": "string"],
    ],
    "Location": ["description": "The address of the new record.", "schema": ["type": "string"]],
  ])

  /// A list of records.
  static func list(_ description: String = "The records.", of schema: JSONValue) -> (String, JSONValue) {
    var content = response(description, ["type": "array", "items": schema]).object ?? JSONObject()
    content["headers"] = [
      "X-Total-Count": header("TotalCount"), "Link": header("Link"),
      "X-Ignored-Parameters": header("IgnoredParameters"),
    ]
    return ("200", .object(content))
  }

  /// A new record.
  static func created(_ schema: JSONValue) -> (String, JSONValue) {
    var content = response("The stored record.", schema).object ?? JSONObject()
    content["headers"] = ["Location": header("Location")]
    return ("201", .object(content))
  }

  /// A record, or the empty object.
  static func ok(_ description: String, _ schema: JSONValue) -> (String, JSONValue) {
    ("200", response(description, schema))
  }

  static let notModified: (String, JSONValue) = ("304", ["$ref": "#/components/responses/NotModified"])

  /// The `responses` of an operation: success, the named errors, and any other error.
  static func all(_ successes: [(String, JSONValue)], errors: [ErrorStatus]) -> JSONValue {
    let error: JSONValue = ["$ref": "#/components/responses/Error"]
    let failures = errors.map { ($0.rawValue, error) }.sorted { $0.0 < $1.0 }
    return .object(JSONObject(successes + failures + [("default", error)]))
  }

  private static func response(_ description: String, _ schema: JSONValue) -> JSONValue {
    ["description": .string(description), "content": ["application/json": ["schema": schema]]]
  }

  private static func header(_ name: String) -> JSONValue {
    ["$ref": .string("#/components/headers/\(name)")]
  }
}
