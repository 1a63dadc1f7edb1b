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
    /// By what a server with `--check` compares bodies with: the kinds of the members, and which all records have.
    ///
    /// For testing such a server: it also refuses what the document does not describe.
    case checked
  }

  /// The document, with its members in the order of the OpenAPI specification.
  package let object: JSONObject

  /// Describes a database.
  ///
  /// - Parameters:
  ///   - title: The title of the document, such as the file's name.
  ///   - resources: The resources, in the order of the file.
  ///   - relations: The nested routes; those of unknown resources are ignored.
  ///   - basePath: The path of the interface.
  ///   - bodies: How bodies are described.
  ///   - singular: Inflects `posts` to `post`.
  package init(
    title: String, resources: [ResourceType], relations: [ResourceRelation] = [],
    basePath: String = "/", bodies: Bodies, singular: (String) -> String
  ) {
    let named = NamedResource.all(
      resources, reserved: OpenAPISchemas.sharedNames, spelling: Identifier.ascii, singular: singular)
    let links = OpenAPIRelations(relations, among: named, singular: singular)
    var paths = OpenAPIPaths(schemas: OpenAPISchemas(bodies: bodies), relations: links)
    for resource in named { paths.add(resource) }
    object = [
      "openapi": "3.1.0",
      "info": ["title": .string(title), "version": "1.0.0", "description": .string(Self.description)],
      "servers": [["url": .string(basePath)]],
      "tags": .array(resources.map(Self.tag)),
      "paths": .object(paths.object),
      "components": paths.schemas.components(for: named),
    ]
  }

  private static let description = """
    Filter a list by its records' members: `title=Hello`, or `author.name=Ada` in nested objects. A repeated name \
    matches any of its values.

    A suffix selects another comparison: `_ne`, `_gt`, `_gte`, `_lt`, `_lte`, `_in` (values separated by commas), `_like` (a \
    regular expression), `_contains`, `_startsWith` and `_endsWith`, as in `views_gte=100`.

    `_since` asks for what has changed in a list; it takes no other order and no pages. New records may also be CSV \
    (`text/csv`) or JSON Lines (`application/x-ndjson`).
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
    let error = OpenAPISchemas.whole([
      "pointer": ["type": "string", "description": "A JSON Pointer into the body, after #."],
      "detail": ["type": "string"],
    ])
    let problem = OpenAPISchemas.whole([
      "title": ["type": "string"], "status": ["type": "integer"], "detail": ["type": "string"],
      "errors": ["type": "array", "items": error],
    ])
    let type = "application/problem+json"
    let response = OpenAPIResponse("422", "The problems of the body.", problem, type: type)
    let conflict: JSONValue = [
      "description": "The data, as it is now, contradicts the request.",
      "content": ["application/json": ["schema": OpenAPISchemas.reference("Error")], type: ["schema": problem]],
    ]
    return document.changingOperations { operation, _, _ in
      guard operation["requestBody"] != nil else { return }
      operation[object: "responses"][response.status] = response.value
      operation[object: "responses"]["409"] = conflict
    }
  }
}

/// The part of a document about wrapped records.
package enum OpenAPIWrapping {
  /// Wraps the records in responses in a member of a name, and adds a `total` to lists.
  package static func added(named name: String, to document: JSONObject) -> JSONObject {
    document.changingOperations { operation, _, _ in
      for (status, response) in operation[object: "responses"] {
        guard let schema = response["content"]?["application/json"]?["schema"] else { continue }
        operation[object: "responses"][object: status]["content"] = [
          "application/json": ["schema": wrapped(schema, in: name)]
        ]
      }
    }
  }

  private static func wrapped(_ schema: JSONValue, in name: String) -> JSONValue {
    // A page has its numbers beside the records, wherever these are.
    let schema =
      schema["anyOf"]?.array?.first { $0["type"] == "array" && schema["anyOf"]?[1] == OpenAPISchemas.page } ?? schema
    var properties = JSONObject([(name, schema)])
    if schema["type"] == "array" { properties["total"] = ["type": "integer", "minimum": 0] }
    return OpenAPISchemas.whole(properties)
  }
}

/// The part of a document about lists in pages with a cursor.
package enum OpenAPIPages {
  /// The components of the parameters of other pages.
  private static let others = Set(
    ["page", "perPage", "start", "end", "limit", "since"].map(OpenAPIParameters.reference))

  /// Replaces the responses to lists by pages, and the parameters by those of pages.
  ///
  /// - Parameters:
  ///   - parameters: The names of the parameters with the cursor and with the size of a page.
  ///   - members: The paths of the members with the records, the next cursor and the total.
  ///   - wrapName: The member that holds lists in the document; `nil` for none.
  package static func added(
    _ parameters: (cursor: String, limit: String), _ members: (records: String, next: String, total: String?),
    wrapName: String?, to document: JSONObject
  ) -> JSONObject {
    document.changingOperations { operation, _, method in
      guard method == "get",
        let whole = operation["responses"]?["200"]?["content"]?["application/json"]?["schema"],
        let list = [whole, wrapName.flatMap { whole["properties"]?[$0] }].compactMap(\.self)
          .first(where: { $0["type"] == "array" })
      else { return }
      var page: [(path: ArraySlice<Substring>, schema: JSONValue)] = [
        (members.records.split(separator: ".")[...], list),
        (members.next.split(separator: ".")[...], ["type": ["string", "null"]]),
      ]
      if let total = members.total {
        page.append((total.split(separator: ".")[...], ["type": "integer", "minimum": 0]))
      }
      operation[object: "responses"][object: "200"]["content"] = ["application/json": ["schema": envelope(page)]]
      let kept = (operation["parameters"]?.array ?? []).filter { !others.contains($0) }
      operation["parameters"] = .array(
        kept + [
          parameter(parameters.cursor, "The cursor of the page, from the last response; none for the first page."),
          parameter(parameters.limit, "The number of records of a page."),
        ])
    }
  }

  private static func parameter(_ name: String, _ description: String) -> JSONValue {
    OpenAPIParameters.parameter(name, description: description, schema: ["type": "string"])
  }

  private static func envelope(_ members: [(path: ArraySlice<Substring>, schema: JSONValue)]) -> JSONValue {
    var properties = JSONObject()
    for (path, schema) in members {
      guard let name = path.first.map(String.init), properties[name] == nil else { continue }
      let inner = members.filter { $0.path.count > 1 && $0.path.first == path.first }
      properties[name] = inner.isEmpty ? schema : envelope(inner.map { ($0.path.dropFirst(), $0.schema) })
    }
    return OpenAPISchemas.whole(properties)
  }
}

extension JSONObject {
  /// The document with its operations changed.
  ///
  /// - Parameter change: Changes an operation of a path and a method.
  func changingOperations(
    _ change: (_ operation: inout JSONObject, _ path: String, _ method: String) -> Void
  ) -> JSONObject {
    var document = self
    for (path, item) in self[object: "paths"] {
      // The common parameters of a path are a list.
      for (method, value) in item.object ?? [:] where value.object != nil {
        change(&document[object: "paths"][object: path][object: method], path, method)
      }
    }
    return document
  }

  /// The object that a member is; an empty one, which is appended when it is changed, if there is none.
  subscript(object name: String) -> JSONObject {
    get { self[name]?.object ?? [:] }
    _modify {
      var object = self[object: name]
      // A second reference would make each change a copy.
      self[name] = .null
      defer { self[name] = .object(object) }
      yield &object
    }
  }
}
