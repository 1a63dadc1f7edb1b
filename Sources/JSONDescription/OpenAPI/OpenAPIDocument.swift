package import JSONServerValues

/// An OpenAPI 3.1 document of a database's REST interface.
package struct OpenAPIDocument: Sendable {
  /// How a document describes bodies.
  ///
  /// The server accepts any object: the data has a shape only because clients keep it. No document can be both complete
  /// and a good source of typed code, so the caller chooses.
  package enum Bodies: Sendable, Hashable {
    /// By the current shape of the data, as plain references: `Post`, `NewPost`, `PostPatch`.
    ///
    /// For people and code generators. The document is correct while clients keep the shape. A test that sends other
    /// objects (schemathesis in its negative mode) finds that the server accepts them.
    case shaped
    /// By the shape or as any other object, as the server accepts and returns them: `anyOf` `Post` and an object.
    ///
    /// For testing the server with its document: the server accepts exactly what the document describes.
    case open
  }

  /// The document, with its members in the order of the OpenAPI specification.
  package let object: JSONObject

  /// Describes a database.
  ///
  /// - Parameters:
  ///   - title: The title of the document, such as the file's name.
  ///   - version: The version of the interface, which the user assigns.
  ///   - resources: The resources, in the order of the file.
  ///   - relations: The nested routes; those of unknown resources are ignored.
  ///   - basePath: The path of the interface.
  ///   - bodies: How bodies are described.
  ///   - singular: Inflects `posts` to `post`.
  package init(
    title: String, version: String = "1.0.0", resources: [ResourceType], relations: [ResourceRelation] = [],
    basePath: String = "/", bodies: Bodies, singular: (String) -> String
  ) {
    let named = NamedResource.all(
      resources, reserved: OpenAPISchemas.sharedNames, spelling: Identifier.ascii, singular: singular)
    let links = OpenAPIRelations(relations, among: named, singular: singular)
    var paths = OpenAPIPaths(schemas: OpenAPISchemas(bodies: bodies), relations: links)
    for resource in named { paths.add(resource) }
    object = JSONObject([
      "openapi": "3.1.0",
      "info": ["title": .string(title), "version": .string(version), "description": .string(Self.description)],
      "servers": [["url": .string(basePath)]],
      "tags": .array(resources.map(Self.tag)),
      "paths": .object(paths.object),
      "components": paths.schemas.components(for: named),
    ])
  }

  private static let description = """
    Filter a list by its records' members: `title=Hello`, or `author.name=Ada` in nested objects. A repeated name \
    matches any of its values.

    A suffix selects another comparison: `_ne`, `_gt`, `_gte`, `_lt`, `_lte`, `_in` (values separated by commas), `_like` (a \
    regular expression), `_contains`, `_startsWith` and `_endsWith`, as in `views_gte=100`.
    """

  private static func tag(_ resource: ResourceType) -> JSONValue {
    let content =
      switch resource.kind {
      case .collection: "A collection; \(resource.count) records when this document was made."
      case .object: "A single object."
      }
    return ["name": .string(resource.name), "description": .string(content)]
  }
}

/// The part of a document about checked bodies.
package enum OpenAPIChecking {
  /// Adds 422 to the responses of requests with a body.
  package static func added(to document: JSONObject) -> JSONObject {
    let problem: JSONValue = [
      "type": "object", "required": ["title", "status", "detail", "errors"],
      "properties": [
        "title": ["type": "string"], "status": ["type": "integer"], "detail": ["type": "string"],
        "errors": [
          "type": "array",
          "items": [
            "type": "object", "required": ["pointer", "detail"],
            "properties": [
              "pointer": ["type": "string", "description": "A JSON Pointer into the body, after #."],
              "detail": ["type": "string"],
            ],
          ],
        ],
      ],
    ]
    let response: JSONValue = [
      "description": "The problems of the body.",
      "content": ["application/problem+json": ["schema": problem]],
    ]
    var document = document
    document["paths"] = OpenAPIWrapping.map(document["paths"]) { path in
      OpenAPIWrapping.map(path) { operation in
        guard var members = operation.object, members["requestBody"] != nil,
          var responses = members["responses"]?.object
        else { return operation }
        responses["422"] = response
        members["responses"] = .object(responses)
        return .object(members)
      }
    }
    return document
  }
}

/// The part of a document about wrapped records.
package struct OpenAPIWrapping: Sendable {
  private let name: String

  /// - Parameter name: The member in which records are wrapped.
  package init(name: String) {
    self.name = name
  }

  /// Wraps the records in responses, and adds a `total` to lists.
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

  fileprivate static func map(_ value: JSONValue?, _ change: (JSONValue) -> JSONValue) -> JSONValue {
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
