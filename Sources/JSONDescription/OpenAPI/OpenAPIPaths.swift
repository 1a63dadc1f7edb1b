import JSONServerValues

/// Collects the paths of a document and their operations.
struct OpenAPIPaths {
  let schemas: OpenAPISchemas
  let relations: OpenAPIRelations
  private(set) var object = JSONObject()
  private var operationNames = UniqueNames()
  /// The parameters of the lists below records, by resource: a resource may have many such lists.
  private var parametersBelow: [String: [JSONValue]] = [:]

  init(schemas: OpenAPISchemas, relations: OpenAPIRelations) {
    self.schemas = schemas
    self.relations = relations
  }

  /// Adds the paths of a resource, including nested ones.
  mutating func add(_ resource: NamedResource) {
    switch resource.resource.kind {
    case .collection:
      addCollection(resource)
      addRecord(resource)
      for relation in relations.below(resource) { addNested(relation) }
    case .object:
      addObject(resource)
    }
    let related = relations.below(resource).map(\.child.resource.name)
    for member in resource.resource.record.members where !related.contains(member.name) {
      addInner(member, of: resource)
    }
  }

  /// Adds a path with the common parameters of its operations.
  mutating func add(_ path: String, parameters: [JSONValue] = [], _ operations: [(method: String, JSONValue)]) {
    var item = JSONObject()
    if !parameters.isEmpty { item["parameters"] = .array(parameters) }
    for (method, operation) in operations { item[method] = operation }
    object[path] = .object(item)
  }

  /// Writes an operation with a unique name.
  private mutating func operation(
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

  /// A name as a segment of a path template, percent-encoded, so that a brace is not taken for that of a parameter.
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

  /// The name of a path's parameter: the preferred one if it is valid in a template.
  private static func parameterName(_ wanted: String, or fallback: String) -> String {
    wanted.isEmpty || wanted.contains(where: "{}/?#".contains) ? fallback : wanted
  }

  /// `/profile`
  private mutating func addObject(_ resource: NamedResource) {
    let (name, type) = (resource.resource.name, resource.recordName)
    let record = schemas.record(resource)
    let changed = Self.changed("The stored object.", record)
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
      responses: Self.changed("The stored object.", record, errors: [.conflict]))
    add("/\(Self.segment(name))", [("get", get), ("post", create), ("put", replace), ("patch", update)])
  }

  /// `/posts`
  private mutating func addCollection(_ resource: NamedResource) {
    let name = resource.resource.name
    let list = operation(
      "list\(resource.pluralName)", "Lists \(name).", tag: resource,
      parameters: OpenAPIParameters.list(of: resource, relations: relations, schemas.bodies),
      responses: listResponses(resource))
    let create = operation(
      "create\(resource.recordName)", "Adds a record to \(name).", tag: resource,
      body: .objects(schemas.newRecords(resource)),
      responses: createResponses(resource, schemas.createdRecords(resource), successes: updatedResponses(resource)))
    let change = operation(
      "updateMany\(resource.pluralName)",
      "Merges members into all records of \(name) that match the filters of the list.",
      tag: resource, parameters: OpenAPIParameters.many, body: .patch(schemas.patch(resource)),
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.list("The stored records.", of: schemas.record(resource))],
        errors: [.methodNotAllowed, .conflict] + OpenAPIResponses.bodyErrors))
    let delete = operation(
      "deleteMany\(resource.pluralName)",
      "Deletes all records of \(name) that match the filters of the list, and the records that depend on them.",
      tag: resource, parameters: OpenAPIParameters.many,
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.list("The deleted records.", of: schemas.record(resource))],
        errors: [.badRequest, .methodNotAllowed]))
    add("/\(Self.segment(name))", [("get", list), ("post", create), ("patch", change), ("delete", delete)])
  }

  /// `/posts/{id}`
  private mutating func addRecord(_ resource: NamedResource) {
    let name = resource.resource.name
    let id = Self.parameterName(resource.resource.idName, or: "id")
    let (now, record) = ("The stored record.", schemas.record(resource))
    let changed = Self.changed(now, record, errors: [.notFound])
    let patched = Self.changed(now, record, errors: [.notFound, .conflict])
    let get = operation(
      "get\(resource.recordName)", "Returns a record of \(name).", tag: resource,
      parameters: OpenAPIParameters.related(to: resource, relations: relations) + [OpenAPIParameters.fields],
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The record.", record), OpenAPIResponses.notModified],
        errors: [.badRequest, .notFound]))
    let replace = operation(
      "replace\(resource.recordName)", "Replaces a record of \(name), except its id.", tag: resource,
      body: .object(schemas.replacement(resource)), responses: changed)
    let update = operation(
      "update\(resource.recordName)", "Merges members into a record of \(name).", tag: resource,
      body: .patch(schemas.patch(resource)), responses: patched)
    let merge = operation(
      "merge\(resource.recordName)", "Does the same as PATCH, for clients that cannot send it.", tag: resource,
      body: .patch(schemas.patch(resource)), responses: patched)
    let delete = operation(
      "delete\(resource.recordName)", "Deletes a record of \(name) and the records that depend on it.", tag: resource,
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The record was deleted.", ["type": "object"])], errors: [.badRequest, .notFound]))
    add(
      "/\(Self.segment(name))/{\(id)}",
      parameters: [OpenAPIParameters.id(id, ofRecordIn: resource.resource, schemas.bodies)],
      [("get", get), ("post", merge), ("put", replace), ("patch", update), ("delete", delete)])
  }

  /// `/posts/{postId}/comments`
  private mutating func addNested(_ relation: OpenAPIRelation) {
    let (parent, child) = (relation.parent, relation.child)
    let id = Self.parameterName(relation.parameter, or: "parentId")
    let parameters =
      parametersBelow[child.resource.name]
      ?? OpenAPIParameters.list(of: child, relations: relations, below: true, schemas.bodies)
    parametersBelow[child.resource.name] = parameters
    let list = operation(
      "list\(parent.recordName)\(child.pluralName)",
      "Lists the \(child.resource.name) of a record of \(parent.resource.name).", tag: child,
      parameters: parameters.filter { $0["name"]?.string != id },
      responses: listResponses(child, errors: [.badRequest, .notFound]))
    let create = operation(
      "create\(parent.recordName)\(child.recordName)",
      "Adds a record to \(child.resource.name) that belongs to a record of \(parent.resource.name).", tag: child,
      body: .object(schemas.newRecord(child)),
      responses: createResponses(child, schemas.record(child), errors: [.notFound]))
    add(
      "/\(Self.segment(parent.resource.name))/{\(id)}/\(Self.segment(child.resource.name))",
      parameters: [OpenAPIParameters.parentID(id, ofRecordIn: parent.resource)], [("get", list), ("post", create)])
  }

  /// `/equipment/{id}/campaigns` and `/equipment/{id}/campaigns/{campaignsId}`, for a member that holds a list of objects.
  private mutating func addInner(_ member: MemberType, of resource: NamedResource) {
    guard case .array(let elements)? = member.type.alternatives.first,
      case .object(let object)? = elements.alternatives.first, !member.name.isEmpty, !member.name.contains("/")
    else { return }
    let type = resource.recordName + Identifier.ascii(Identifier.upperCamelCase(member.name))
    let place = "the list `\(member.name)` of \(resource.resource.name)"
    let element = schemas.inline(object)
    let new = schemas.inline(ObjectType(members: object.members.filter { $0.name != "id" }))
    var path = "/\(Self.segment(resource.resource.name))"
    var parameters: [JSONValue] = []
    if resource.resource.kind == .collection {
      let id = Self.parameterName(resource.resource.idName, or: "id")
      path += "/{\(id)}"
      parameters = [OpenAPIParameters.id(id, ofRecordIn: resource.resource, schemas.bodies)]
    }
    path += "/\(Self.segment(member.name))"
    let list = operation(
      "list\(type)", "Lists \(place).", tag: resource, parameters: [OpenAPIParameters.fields],
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.list(of: element), OpenAPIResponses.notModified], errors: [.badRequest, .notFound]))
    let create = operation(
      "add\(type)", "Adds an element to \(place).", tag: resource, body: .object(new),
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.created(element)], errors: [.notFound, .conflict] + OpenAPIResponses.bodyErrors))
    add(path, parameters: parameters, [("get", list), ("post", create)])
    guard object["id"] != nil else { return }
    let now = "The stored element."
    let get = operation(
      "get\(type)Element", "Returns an element of \(place).", tag: resource, parameters: [OpenAPIParameters.fields],
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The element.", element), OpenAPIResponses.notModified], errors: [.badRequest, .notFound]))
    let replace = operation(
      "replace\(type)Element", "Replaces an element of \(place), except its id.", tag: resource, body: .object(new),
      responses: Self.changed(now, element, errors: [.notFound]))
    let update = operation(
      "update\(type)Element", "Merges members into an element of \(place).", tag: resource,
      body: .patch(["type": "object", "additionalProperties": true]),
      responses: Self.changed(now, element, errors: [.notFound, .conflict]))
    let delete = operation(
      "delete\(type)Element", "Removes an element from \(place).", tag: resource,
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The element was deleted.", ["type": "object"])], errors: [.badRequest, .notFound]))
    let idName = Self.parameterName(member.name, or: "element") + "Id"
    let id: JSONValue = [
      "name": .string(idName), "in": "path", "required": true,
      "description": .string("The `id` of an element of \(place)."), "schema": ["type": "string", "minLength": 1],
    ]
    add(
      path + "/{\(idName)}", parameters: parameters + [id],
      [("get", get), ("put", replace), ("patch", update), ("delete", delete)])
  }

  /// The responses to a body that changes existing data.
  private static func changed(
    _ description: String, _ schema: JSONValue, errors: [OpenAPIResponses.ErrorStatus] = []
  ) -> JSONValue {
    OpenAPIResponses.all([OpenAPIResponses.ok(description, schema)], errors: errors + OpenAPIResponses.bodyErrors)
  }

  private func listResponses(
    _ resource: NamedResource, errors: [OpenAPIResponses.ErrorStatus] = [.badRequest]
  ) -> JSONValue {
    OpenAPIResponses.all(
      [OpenAPIResponses.list(of: schemas.record(resource)), OpenAPIResponses.notModified], errors: errors)
  }

  private func createResponses(
    _ resource: NamedResource, _ created: JSONValue, successes: [(String, JSONValue)] = [],
    errors: [OpenAPIResponses.ErrorStatus] = []
  ) -> JSONValue {
    OpenAPIResponses.all(
      successes + [OpenAPIResponses.created(created)], errors: [.conflict] + errors + OpenAPIResponses.bodyErrors)
  }

  /// The response to an array that adds nothing; a shaped document describes no arrays.
  private func updatedResponses(_ resource: NamedResource) -> [(String, JSONValue)] {
    switch schemas.bodies {
    case .shaped: []
    case .open: [OpenAPIResponses.ok("The stored records.", schemas.createdRecords(resource))]
    }
  }
}

/// A relation between two resources of the document.
struct OpenAPIRelation {
  let parent: NamedResource
  let child: NamedResource
  /// The nested route's parameter: the child's foreign key, or a similar name for a list of ids.
  let parameter: String
  /// The name of the parent in `_expand` and `_embed`, such as `post`, or `tags` for a list.
  let parentName: String
}

/// The relations of a document by their ends.
struct OpenAPIRelations {
  private var byParent: [String: [OpenAPIRelation]] = [:]
  private var byChild: [String: [OpenAPIRelation]] = [:]

  /// Looks up both ends of each relation; leaves out relations of unknown collections.
  init(_ relations: [ResourceRelation], among resources: [NamedResource], singular: (String) -> String) {
    let collections = Dictionary(
      resources.filter { $0.resource.kind == .collection }.map { ($0.resource.name, $0) },
      uniquingKeysWith: { first, _ in first })
    for relation in relations {
      guard let parent = collections[relation.parent], let child = collections[relation.child] else { continue }
      let relation = OpenAPIRelation(
        parent: parent, child: child,
        parameter: relation.isList ? singular(relation.parent) + "Id" : relation.foreignKey,
        parentName: relation.isList ? relation.parent : singular(relation.parent))
      // Only one of two foreign keys between the same collections has a path.
      if !below(parent).contains(where: { $0.child.resource.name == child.resource.name }) {
        byParent[parent.resource.name, default: []].append(relation)
      }
      byChild[child.resource.name, default: []].append(relation)
    }
  }

  /// The relations of the resources that refer to this one.
  func below(_ resource: NamedResource) -> [OpenAPIRelation] { byParent[resource.resource.name] ?? [] }

  /// The relations of the resources to which this one refers.
  func above(_ resource: NamedResource) -> [OpenAPIRelation] { byChild[resource.resource.name] ?? [] }
}

/// The body of an operation, in all types that the server accepts.
struct OpenAPIBody {
  private let content: JSONObject

  /// A new record or a replacement: JSON or a form.
  static func object(_ schema: JSONValue) -> OpenAPIBody {
    OpenAPIBody(content: JSONObject([("application/json", media(schema))] + forms))
  }

  /// New records, also as a table or lines.
  static func objects(_ schema: JSONValue) -> OpenAPIBody {
    let lists: [(String, JSONValue)] = ["text/csv", "application/x-ndjson"].map { ($0, media(["type": "string"])) }
    return OpenAPIBody(content: JSONObject([("application/json", media(schema))] + forms + lists))
  }

  /// Changes of a record, also as merge patch (RFC 7396) and JSON Patch (RFC 6902).
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
