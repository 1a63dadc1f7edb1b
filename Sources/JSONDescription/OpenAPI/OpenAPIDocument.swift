package import JSONServerValues

/// An OpenAPI 3.1 document of the REST interface that a database has.
package struct OpenAPIDocument: Sendable {
  /// The part of a document about the bodies of requests and responses.
  ///
  /// The server keeps any object that a client sends: the data has a shape only because people keep to it. No document
  /// can be both the whole truth and a good source of typed code, so the caller says what it is for.
  package enum Bodies: Sendable, Hashable {
    /// The shape that the data has now, as plain references: `Post`, `NewPost`, `PostPatch`.
    ///
    /// For people and code generators. It holds as long as clients keep to the shape, and a test that sends what is
    /// outside it (schemathesis in its negative mode) finds that the server accepts it.
    case shaped
    /// The shape or any other object, as the server accepts and returns them: `anyOf` `Post` and an object.
    ///
    /// For tests of the server against its document: the server accepts nothing outside it, and refuses nothing in it.
    case open
  }

  /// The document, its members in the order in which OpenAPI explains them.
  package let object: JSONObject

  /// Describes a database.
  ///
  /// - Parameters:
  ///   - title: What the document is about, such as the file's name.
  ///   - version: The version of the interface, which the user assigns.
  ///   - resources: The resources, in the order of the file.
  ///   - relations: The nested routes; those of unknown resources are ignored.
  ///   - basePath: The path under which the interface is.
  ///   - bodies: What is said about bodies.
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
    A list is filtered by its records' members: `title=Hello`, or `author.name=Ada` in nested objects; a repeated name \
    means any of its values.

    A suffix compares otherwise: `_ne`, `_gt`, `_gte`, `_lt`, `_lte`, `_in` (values separated by commas), `_like` (a \
    regular expression), `_contains`, `_startsWith` and `_endsWith`, as in `views_gte=100`.
    """

  private static func tag(_ resource: ResourceType) -> JSONValue {
    let content =
      switch resource.kind {
      case .collection: "A collection; \(resource.count) records when this was written."
      case .object: "A single object."
      }
    return ["name": .string(resource.name), "description": .string(content)]
  }
}

/// What a document says about bodies that are checked.
package enum OpenAPIChecking {
  /// A document of the data whose requests with a body may get a 422.
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

/// The part of a document about records that responses hold in an object.
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
