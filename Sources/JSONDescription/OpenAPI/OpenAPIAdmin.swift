package import JSONServerValues

/// The part of a document about the routes below `/__admin`.
package enum OpenAPIAdmin {
  /// The description of one method of one path; the method is in lowercase.
  package typealias Operation = (path: String, method: String, value: JSONValue)

  /// A parameter of a query.
  package typealias Parameter = (name: String, description: String, schema: JSONValue)

  /// The schema of a response, by a name in ``OpenAPIAdminSchemas``.
  package enum Result {
    case object
    case text(type: String)
    case one(String)
    case list(String)
    /// A response with status 201.
    case created(String)
  }

  /// Adds operations, and the schemas to which they refer, after those of the data.
  ///
  /// - Parameter faultActions: The names of faults' actions.
  package static func adding(
    _ operations: [Operation], faultActions: [String], to document: JSONObject
  ) -> JSONObject {
    var document = document
    for operation in operations {
      document[object: "paths"][object: operation.path][operation.method] = operation.value
    }
    document["tags"] = .array(
      (document["tags"]?.array ?? []) + [["name": .string(tag), "description": "Controls the server, without faults."]])
    for (key, schema) in OpenAPIAdminSchemas.all(faultActions: faultActions) {
      document[object: "components"][object: "schemas"][name(key)] = schema
    }
    return document
  }

  private static let tag = "__admin"

  /// The name of a component: the types of resources have no dot in their names.
  private static func name(_ schema: String) -> String { "admin.\(schema)" }

  static func reference(_ schema: String) -> JSONValue { OpenAPISchemas.reference(name(schema)) }

  /// Describes an operation.
  ///
  /// - Parameters:
  ///   - method: The method in lowercase.
  ///   - path: The path, with the names of its parameters in braces.
  ///   - id: The operation's name, without the common prefix.
  ///   - body: The schema of the body; `nil` for no body.
  ///   - errors: Possible errors in addition to 400 for a body or a query, and 404 for the path's parameters.
  package static func operation(
    _ method: String, _ path: String, _ id: String, _ summary: String, _ result: Result, body: String?,
    query: [Parameter], errors: [OpenAPIResponses.ErrorStatus]
  ) -> Operation {
    let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    let parameters =
      names.map { name -> JSONValue in
        ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
      }
      + query.map { OpenAPIParameters.parameter($0.name, description: $0.description, schema: $0.schema) }
    let body = body.map { JSONValue.object(["content": ["application/json": ["schema": reference($0)]]]) }
    let operation = OpenAPIOperation.value(
      "admin\(id)", summary, tag: tag, parameters: parameters, body: body, [response(of: result)],
      errors: (body == nil && query.isEmpty ? [] : [.badRequest]) + (names.isEmpty ? [] : [.notFound]) + errors)
    return (path, method, .object(operation))
  }

  private static func response(of result: Result) -> OpenAPIResponse {
    switch result {
    case .object: .ok("Done.", ["type": "object"])
    case .text(let type): OpenAPIResponse("200", "Done.", ["type": "string"], type: type)
    case .one(let name): .ok("Done.", reference(name))
    case .list(let name): .ok("Done.", ["type": "array", "items": reference(name)])
    case .created(let name): OpenAPIResponse("201", "Done.", reference(name))
    }
  }
}
