package import OrderedJSON

/// What a document says about records that responses hold in an object.
package struct OpenAPIWrapping: Sendable {
  private let name: String

  /// - Parameter name: The name of the member that holds them.
  package init(name: String) {
    self.name = name
  }

  /// A document of the data whose responses hold records in an object, lists with their `total`.
  package func added(to document: JSONObject) -> JSONObject {
    var document = document
    document["paths"] = Self.map(document["paths"]) { path in
      Self.map(path) { operation in
        guard var members = operation.object, let responses = members["responses"] else { return operation }
        members["responses"] = Self.map(responses, wrapped)
        return .object(members)
      }
    }
    return document
  }

  private static func map(_ value: JSONValue?, _ change: (JSONValue) -> JSONValue) -> JSONValue {
    guard let object = value?.object else { return value ?? .null }
    return .object(JSONObject(object.map { ($0.name, change($0.value)) }))
  }

  private func wrapped(_ response: JSONValue) -> JSONValue {
    guard var members = response.object, let schema = members["content"]?["application/json"]?["schema"] else {
      return response
    }
    var properties = JSONObject([(name, schema)])
    if schema["type"] == "array" { properties["total"] = ["type": "integer", "minimum": 0] }
    members["content"] = [
      "application/json": [
        "schema": [
          "type": "object", "required": .array(properties.names.map(JSONValue.string)),
          "properties": .object(properties),
        ]
      ]
    ]
    return .object(members)
  }
}
