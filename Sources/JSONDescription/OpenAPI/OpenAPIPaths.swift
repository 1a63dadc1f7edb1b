import OrderedJSON

/// Collects the paths of a document and their operations.
struct OpenAPIPaths {
  let schemas: OpenAPISchemas
  let relations: OpenAPIRelations
  private(set) var object = JSONObject()
  private var operationNames = UniqueNames()

  init(schemas: OpenAPISchemas, relations: OpenAPIRelations) {
    self.schemas = schemas
    self.relations = relations
  }

  /// Adds the paths of a resource and those nested in it.
  mutating func add(_ resource: NamedResource) {
    switch resource.resource.kind {
    case .collection:
      addCollection(resource)
      addRecord(resource)
      for relation in relations.below(resource) { addNested(relation) }
    case .object:
      addObject(resource)
    }
  }

  /// Adds a path; its parameters are those that all of its operations share.
  mutating func add(_ path: String, parameters: [JSONValue] = [], _ operations: [(method: String, JSONValue)]) {
    var item = JSONObject()
    if !parameters.isEmpty { item["parameters"] = .array(parameters) }
    for (method, operation) in operations { item[method] = operation }
    object[path] = .object(item)
  }

  /// Writes an operation under a name that no other has.
  mutating func operation(
    _ name: String, _ summary: String, tag: NamedResource, parameters: [JSONValue] = [], body: OpenAPIBody? = nil,
    responses: JSONValue
  ) -> JSONValue {
    var operation = JSONObject([
      "operationId": .string(operationNames.take(name)),
      "summary": .string(summary),
      "tags": [.string(tag.resource.name)],
    ])
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let body {
      // The server treats a missing body as an empty object, which the shape of the data may not allow.
      let isRequired = schemas.bodies == .shaped
      operation["requestBody"] = body.value(isRequired: isRequired)
    }
    operation["responses"] = responses
    return .object(operation)
  }

  /// A name as a segment of a path template: percent-encoded, so that no brace is mistaken for that of a parameter.
  static func segment(_ name: String) -> String {
    let plain = Array("-._~!$&'()*+,;=:@".utf8)
    return name.utf8.reduce(into: "") { segment, byte in
      let scalar = Unicode.Scalar(byte)
      if scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil || plain.contains(byte)
      {
        segment.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        segment += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }

  /// The name of a path's parameter: the wanted one when it can be used in a template.
  static func parameterName(_ wanted: String, or fallback: String) -> String {
    wanted.isEmpty || wanted.contains(where: "{}/?#".contains) ? fallback : wanted
  }
}

extension OpenAPIPaths {
  /// `/profile`
  mutating func addObject(_ resource: NamedResource) {
    let (name, type) = (resource.resource.name, resource.recordName)
    let record = schemas.record(resource)
    let changed = OpenAPIResponses.all(
      [OpenAPIResponses.ok("The object as it is stored now.", record)], errors: OpenAPIResponses.bodyErrors)
    let get = operation(
      "get\(type)", "Returns \(name).", tag: resource, parameters: [OpenAPIParameters.fields],
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The object.", record), OpenAPIResponses.notModified], errors: []))
    let create = operation(
      "create\(type)", "Replaces \(name), as PUT does.", tag: resource, body: .object(schemas.replacement(resource)),
      responses: OpenAPIResponses.all([OpenAPIResponses.created(record)], errors: OpenAPIResponses.bodyErrors))
    let replace = operation(
      "replace\(type)", "Replaces \(name).", tag: resource, body: .object(schemas.replacement(resource)),
      responses: changed)
    let update = operation(
      "update\(type)", "Merges members into \(name).", tag: resource, body: .patch(schemas.patch(resource)),
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The object as it is stored now.", record)],
        errors: [.conflict] + OpenAPIResponses.bodyErrors))
    add("/\(Self.segment(name))", [("get", get), ("post", create), ("put", replace), ("patch", update)])
  }
}
