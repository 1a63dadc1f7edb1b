import JSONServerValues

/// Writes an operation: what a method of a path does.
enum OpenAPIOperation {
  /// Writes an operation.
  ///
  /// - Parameters:
  ///   - id: The operation's name.
  ///   - body: The `requestBody`; `nil` for none.
  ///   - errors: The errors that clients must expect; any other error is the `default`.
  static func value(
    _ id: String, _ summary: String, tag: String, parameters: [JSONValue] = [], body: JSONValue? = nil,
    _ successes: [OpenAPIResponse], errors: [OpenAPIResponses.ErrorStatus]
  ) -> JSONObject {
    var operation: JSONObject = [
      "operationId": .string(id), "summary": .string(summary), "tags": [.string(tag)],
    ]
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    operation["requestBody"] = body
    let failures = errors.map(\.rawValue).sorted() + ["default"]
    operation["responses"] = .object(
      JSONObject(successes.map { ($0.status, $0.value) } + failures.map { ($0, OpenAPIResponses.error) }))
    return operation
  }
}

/// A response of an operation, by its status.
struct OpenAPIResponse {
  let status: String
  let value: JSONValue

  private init(_ status: String, _ value: JSONValue) { (self.status, self.value) = (status, value) }

  /// - Parameters:
  ///   - schema: The content; `nil` for none.
  ///   - headers: The header fields, by their components' names.
  init(
    _ status: String, _ description: String, _ schema: JSONValue?, type: String = "application/json",
    headers: KeyValuePairs<String, String> = [:]
  ) {
    var members: JSONObject = ["description": .string(description)]
    if let schema { members["content"] = [type: ["schema": schema]] }
    let references = headers.map { ($0, JSONValue.object(["$ref": .string("#/components/headers/\($1)")])) }
    if !references.isEmpty { members["headers"] = .object(JSONObject(references)) }
    self.init(status, .object(members))
  }

  /// A list of records.
  ///
  /// Only open documents say that a page may be an object.
  static func list(
    _ description: String = "The records.", of schema: JSONValue, _ bodies: OpenAPIDocument.Bodies = .shaped
  ) -> OpenAPIResponse {
    let list: JSONValue = ["type": "array", "items": schema]
    return OpenAPIResponse(
      "200", description, bodies == .shaped ? list : ["anyOf": [list, OpenAPISchemas.page]],
      headers: ["X-Total-Count": "TotalCount", "Link": "Link", "X-Ignored-Parameters": "IgnoredParameters"])
  }

  /// A new record.
  static func created(_ schema: JSONValue) -> OpenAPIResponse {
    OpenAPIResponse("201", "The stored record.", schema, headers: ["Location": "Location"])
  }

  /// A record, or the empty object.
  static func ok(_ description: String, _ schema: JSONValue) -> OpenAPIResponse {
    OpenAPIResponse("200", description, schema)
  }

  static var notModified: OpenAPIResponse { OpenAPIResponse("304", ["$ref": "#/components/responses/NotModified"]) }
}

/// The responses of operations.
package enum OpenAPIResponses {
  /// An error that an operation names, since clients must expect it; any other error is the `default`.
  package enum ErrorStatus: String, Sendable {
    case badRequest = "400"
    case unauthorized = "401"
    case notFound = "404"
    case methodNotAllowed = "405"
    case conflict = "409"
    case contentTooLarge = "413"
    case unsupportedMediaType = "415"
  }

  /// The possible errors of any request with a body.
  static let bodyErrors: [ErrorStatus] = [.badRequest, .contentTooLarge, .unsupportedMediaType]

  static let shared: JSONObject = [
    "Error": OpenAPIResponse(
      "default", "The reason why the request failed.", OpenAPISchemas.reference("Error")
    ).value,
    "NotModified": ["description": "The tag in `If-None-Match` is still current."],
  ]

  static let sharedHeaders: JSONObject = [
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
  ]

  static let error: JSONValue = ["$ref": "#/components/responses/Error"]
}
