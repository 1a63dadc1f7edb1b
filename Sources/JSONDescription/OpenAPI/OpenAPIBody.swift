import OrderedJSON

/// The body of an operation, in all types that the server takes there.
struct OpenAPIBody {
  private let content: JSONObject

  /// A new record or a replacement: JSON or a form.
  static func object(_ schema: JSONValue) -> OpenAPIBody {
    OpenAPIBody(content: JSONObject([("application/json", media(schema))] + forms))
  }

  /// New records: also a table or lines.
  static func objects(_ schema: JSONValue) -> OpenAPIBody {
    let lists: [(String, JSONValue)] = ["text/csv", "application/x-ndjson"].map { ($0, media(["type": "string"])) }
    return OpenAPIBody(content: JSONObject([("application/json", media(schema))] + forms + lists))
  }

  /// Changes of a record: also as RFC 7396 and RFC 6902 describe them.
  static func patch(_ schema: JSONValue) -> OpenAPIBody {
    let patches: [(String, JSONValue)] = [
      ("application/merge-patch+json", media(["type": "object", "additionalProperties": true])),
      ("application/json-patch+json", media(OpenAPISchemas.reference("PatchOperations"))),
    ]
    return OpenAPIBody(content: JSONObject([("application/json", media(schema))] + patches + forms))
  }

  /// The `requestBody` of an operation.
  func value(isRequired: Bool) -> JSONValue {
    ["required": .bool(isRequired), "content": .object(content)]
  }

  private static let forms: [(String, JSONValue)] = ["application/x-www-form-urlencoded", "multipart/form-data"].map {
    ($0, media(OpenAPISchemas.reference("FormFields")))
  }

  private static func media(_ schema: JSONValue) -> JSONValue { ["schema": schema] }

  /// The schemas to which bodies refer.
  static let sharedSchemas: KeyValuePairs<String, JSONValue> = [
    "FormFields": [
      "type": "object", "description": "A name that is repeated becomes an array.",
      "additionalProperties": ["anyOf": [["type": "string"], ["type": "array", "items": ["type": "string"]]]],
    ],
    "PatchOperations": [
      "type": "array",
      "items": [
        "type": "object", "required": ["op", "path"],
        "properties": [
          "op": ["type": "string", "enum": ["add", "remove", "replace", "move", "copy", "test"]],
          "path": ["type": "string", "description": "A JSON Pointer.", "examples": ["/title"]],
          "from": ["type": "string", "description": "A JSON Pointer, for `move` and `copy`."],
          "value": ["description": "For `add`, `replace` and `test`."],
        ],
      ],
    ],
  ]
}
