import JSONServerValues

/// The schemas of the admin interface's bodies.
enum OpenAPIAdminSchemas {
  /// The schemas by name.
  ///
  /// - Parameter faultActions: The names of faults' actions.
  static func all(faultActions: [String]) -> KeyValuePairs<String, JSONValue> {
    let actions = faultActions.map(JSONValue.string)
    return [
      "Health": object([
        "status": string, "version": string, "uptime": ["type": "number", "description": "In seconds."],
        "resources": integer, "readOnly": boolean, "delay": ["type": "number", "description": "In milliseconds."],
        "rules": object(["faults": integer, "holds": integer, "stubs": integer]),
        "log": object(["bytes": integer, "limit": integer]),
        "reads": object(["bytes": integer, "limit": integer]),
        "invalid": ["type": ["object", "null"], "description": "The invalid file and the error."],
        "users": ["type": ["string", "null"], "description": "The collection of the users who sign in."],
        "sessions": ["type": "boolean", "description": "Whether clients may have sessions."],
      ]),
      "Route": object([
        "method": string, "path": string,
        "kind": choice(["stored list", "stored item", "stored object", "example", "sample", "empty", "refused"]),
        "detail": ["type": ["string", "null"], "description": "The resource, or why the path is refused."],
      ]),
      "Resource": object([
        "name": string, "kind": choice(["collection", "object"]), "count": integer, "idName": string, "url": string,
        "parents": [
          "type": "object", "additionalProperties": string, "description": "The resource to which each key refers.",
        ],
      ]),
      "Resources": ["type": "object", "description": "Data in the form of a data file.", "additionalProperties": true],
      "Exchange": object([
        "id": integer, "time": time, "method": string, "path": string, "status": ["type": ["integer", "null"]],
        "milliseconds": ["type": ["number", "null"]], "state": choice(["received", "responded"]),
        "delivery": choice(["normal"] + actions),
        "matched": [
          "type": ["object", "null"], "description": "The rule, fault, hold and stub that the request has met.",
        ],
        "unexpected": boolean, "bytesPerSecond": speed, "requestHeaders": fields,
        "requestBody": ["type": ["string", "null"]],
        "responseHeaders": fields, "responseBody": ["type": ["string", "null"]],
      ]),
      "Deletion": object([
        "resource": string, "ids": ["type": "array", "minItems": 1, "items": ["type": ["string", "integer"]]],
        "preview": ["type": "boolean", "description": "Whether to only return what would be deleted."],
      ]),
      "Deleted": object([
        "deleted": counts, "changed": counts,
        "undo": ["type": ["integer", "null"], "description": "The number to undo the deletion."],
      ]),
      "Restored": object(["restored": counts, "changed": counts]),
      "Session": object(["name": string, "time": time, "lastUsed": time, "requests": integer]),
      "Snapshot": object(["name": string, "time": time]),
      "SnapshotName": object(["name": string]),
      "Settings": object([
        "delay": ["type": "integer", "minimum": 0, "maximum": 60_000, "description": "In milliseconds."],
        "readOnly": boolean,
        "bytesPerSecond": ["type": ["integer", "null"], "minimum": 1, "maximum": 1_000_000_000],
        "now": [
          "type": ["string", "null"], "format": "date-time",
          "description": "The time, which runs on; null for that of the clock.",
        ],
      ]),
      "Expired": object(["expired": integer]),
      "Matcher": object(matcher),
      "Response": object(response),
      "Fault": object(
        [("id", id), ("request", OpenAPIAdmin.reference("Matcher")), ("response", OpenAPIAdmin.reference("Response"))]
          + matcher.filter { ["method", "path", "query", "unless"].contains($0.0) } + response
          + effect + [("bytesPerSecond", speed), ("retryAfter", integer), ("action", choice(actions))]),
      "Hold": object(
        [("id", id)] + matcher + [
          ("times", times), ("requests", ["type": "array", "items": integer, "readOnly": true]),
        ]),
      "Stub": object(
        [
          ("id", id), ("request", OpenAPIAdmin.reference("Matcher")), ("response", OpenAPIAdmin.reference("Response")),
          ("responses", ["type": "array", "minItems": 1, "items": OpenAPIAdmin.reference("Response")]),
          ("find", ["type": "object", "description": "The collection and the members of the record that it needs."]),
        ] + effect),
    ]
  }

  private static func object(_ properties: KeyValuePairs<String, JSONValue>) -> JSONValue {
    object(properties.map { ($0.key, $0.value) })
  }

  private static func object(_ properties: [(String, JSONValue)]) -> JSONValue {
    ["type": "object", "properties": .object(JSONObject(properties))]
  }

  private static func choice(_ values: [JSONValue]) -> JSONValue { ["type": "string", "enum": .array(values)] }

  private static let string: JSONValue = ["type": "string"]
  private static let integer: JSONValue = ["type": "integer", "minimum": 0]
  private static let boolean: JSONValue = ["type": "boolean"]
  private static let counts: JSONValue = [
    "type": "object", "additionalProperties": integer, "description": "The number of records of each resource.",
  ]
  private static let time: JSONValue = ["type": "string", "format": "date-time"]
  private static let id: JSONValue = ["type": "integer", "readOnly": true]
  private static let fields: JSONValue = ["type": "object", "additionalProperties": string]
  private static let times: JSONValue = [
    "type": "integer", "minimum": 1, "maximum": 1_000_000, "description": "The number of requests that it affects.",
  ]
  private static let delay: JSONValue = [
    "description": "Milliseconds up to 600000, or a range.",
    "anyOf": [integer, ["type": "array", "items": integer, "minItems": 2, "maxItems": 2]],
  ]
  private static let speed: JSONValue = [
    "type": "integer", "minimum": 1, "maximum": 1_000_000_000, "description": "The speed of bodies.",
  ]
  private static let texts: JSONValue = [
    "type": "object",
    "additionalProperties": ["type": ["string", "number", "boolean", "null", "array"]],
  ]

  private static let effect: [(String, JSONValue)] = [
    ("times", times), ("delay", delay),
    ("addHeaders", ["type": "object", "description": "Fields for the response of whatever responds."]),
    ("probability", ["type": "number", "maximum": 1, "description": "The part of the requests that it affects."]),
    ("seed", ["type": "integer", "description": "The sequence of requests that the probability chooses."]),
  ]

  private static let matcher: [(String, JSONValue)] = [
    ("method", string),
    ("path", ["type": "string", "description": "The decoded path; `*` matches any characters, `:name` a segment."]),
    ("query", texts), ("headers", texts), ("body", ["description": "JSON that the body contains."]),
    (
      "exact",
      [
        "type": "boolean",
        "description": "Whether path, query and body match exactly: `*` is a plain character, and case matters.",
      ]
    ),
    ("unless", ["type": ["object", "array"], "description": "Matchers of requests that it leaves out."]),
  ]

  private static let response: [(String, JSONValue)] = [
    ("status", ["type": "integer", "minimum": 200, "maximum": 599]),
    ("headers", ["type": "object", "additionalProperties": ["type": ["string", "array"]]]),
    ("body", ["description": "JSON, or a text of the type in the headers."]),
    ("shape", ["description": "JSON that is filled, as in {\"id\": \"$path.id\"}; only of a stub."]),
    ("bodyFile", ["type": "string", "description": "The name of a file in the directory of the stubs file."]),
    (
      "events",
      [
        "type": "array", "description": "Server-sent events: texts, or objects with data, event, id and after.",
        "items": ["type": ["string", "object"]],
      ]
    ),
  ]
}
