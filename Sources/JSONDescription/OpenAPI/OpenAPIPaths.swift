import JSONServerValues

/// Collects the paths of a document and their operations.
struct OpenAPIPaths {
  let schemas: OpenAPISchemas
  let relations: OpenAPIRelations
  private(set) var object = JSONObject()
  private var operationNames = UniqueNames()
  /// The path to which operations are added, and their tag.
  private var (path, tag) = ("", "")
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

  /// Begins a path.
  ///
  /// - Parameters:
  ///   - parameters: The common parameters of its operations.
  ///   - tag: The resource of its operations.
  private mutating func begin(_ path: String, parameters: [JSONValue] = [], tag: NamedResource) {
    (self.path, self.tag) = (path, tag.resource.name)
    object[path] = parameters.isEmpty ? [:] : ["parameters": .array(parameters)]
  }

  /// Adds an operation with a unique name to the path.
  ///
  /// - Parameter errors: The errors that clients must expect, besides those of any body.
  private mutating func add(
    _ method: String, _ name: String, _ summary: String, parameters: [JSONValue] = [], body: OpenAPIBody? = nil,
    _ successes: [OpenAPIResponse], errors: [OpenAPIResponses.ErrorStatus] = []
  ) {
    object[object: path][method] = .object(
      OpenAPIOperation.value(
        operationNames.take(name), summary, tag: tag, parameters: parameters,
        body: body?.value, successes,
        errors: errors + (body == nil ? [] : OpenAPIResponses.bodyErrors)))
  }

  /// A name as a segment of a path template, percent-encoded, so that a brace is not taken for that of a parameter.
  static func segment(_ name: String) -> String { name.percentEncoded(keeping: "-._~!$&'()*+,;=:@") }

  /// The name of a path's parameter: the preferred one if it is valid in a template.
  private static func parameterName(_ wanted: String, or fallback: String) -> String {
    wanted.isEmpty || wanted.contains(where: "{}/?#".contains) ? fallback : wanted
  }

  /// `/profile`
  private mutating func addObject(_ resource: NamedResource) {
    let (name, type) = (resource.resource.name, resource.recordName)
    let (record, new) = (schemas.record(resource), schemas.replacementBody(resource))
    let stored = OpenAPIResponse.ok("The stored object.", record)
    begin("/\(Self.segment(name))", tag: resource)
    add(
      "get", "get\(type)", "Returns \(name).", parameters: [OpenAPIParameters.fields],
      [.ok("The object.", record), .notModified])
    add("post", "create\(type)", "Replaces \(name), as PUT does.", body: new, [.created(record)])
    add("put", "replace\(type)", "Replaces \(name).", body: new, [stored])
    add(
      "patch", "update\(type)", "Merges members into \(name).", body: schemas.patchBody(resource), [stored],
      errors: [.conflict])
  }

  /// `/posts`
  private mutating func addCollection(_ resource: NamedResource) {
    let (name, record) = (resource.resource.name, schemas.record(resource))
    let created = schemas.createdRecords(resource)
    // The response to an array that adds nothing; a shaped document describes no arrays.
    let updated = schemas.bodies == .shaped ? [] : [OpenAPIResponse.ok("The stored records.", created)]
    begin("/\(Self.segment(name))", tag: resource)
    add(
      "get", "list\(resource.pluralName)", "Lists \(name).",
      parameters: OpenAPIParameters.list(of: resource, relations: relations, schemas.bodies),
      [.list(of: record, schemas.bodies), .notModified], errors: [.badRequest])
    add(
      "post", "create\(resource.recordName)", "Adds a record to \(name).", body: schemas.newBody(resource),
      updated + [.created(created)], errors: [.conflict])
    add(
      "patch", "updateMany\(resource.pluralName)",
      "Merges members into all records of \(name) that match the filters of the list.",
      parameters: OpenAPIParameters.many(of: resource.resource, schemas.bodies),
      body: schemas.manyPatchBody(resource),
      [.list("The stored records.", of: record)], errors: [.methodNotAllowed, .conflict])
    add(
      "delete", "deleteMany\(resource.pluralName)",
      "Deletes all records of \(name) that match the filters of the list, and the records that depend on them.",
      parameters: OpenAPIParameters.many(of: resource.resource, schemas.bodies),
      [.list("The deleted records.", of: record)],
      errors: [.badRequest, .methodNotAllowed])
  }

  /// `/posts/{id}`
  private mutating func addRecord(_ resource: NamedResource) {
    let (name, type) = (resource.resource.name, resource.recordName)
    let (record, change) = (schemas.record(resource), schemas.patchBody(resource))
    let stored = OpenAPIResponse.ok("The stored record.", record)
    let id = Self.parameterName(resource.resource.idName, or: "id")
    begin(
      "/\(Self.segment(name))/{\(id)}",
      parameters: [OpenAPIParameters.id(id, ofRecordIn: resource.resource, schemas.bodies)], tag: resource)
    add(
      "get", "get\(type)", "Returns a record of \(name).",
      parameters: OpenAPIParameters.related(to: resource, relations: relations) + [OpenAPIParameters.fields],
      [.ok("The record.", record), .notModified], errors: [.badRequest, .notFound])
    add(
      "post", "merge\(type)", "Does the same as PATCH, for clients that cannot send it.", body: change, [stored],
      errors: [.notFound, .conflict])
    add(
      "put", "replace\(type)", "Replaces a record of \(name), except its id.",
      body: schemas.replacementBody(resource),
      [stored] + (resource.resource.allowsUpsert ? [.created(record)] : []),
      errors: [.notFound])
    add(
      "patch", "update\(type)", "Merges members into a record of \(name).", body: change, [stored],
      errors: [.notFound, .conflict])
    add(
      "delete", "delete\(type)", "Deletes a record of \(name) and the records that depend on it.",
      [.ok("The record was deleted.", ["type": "object"])], errors: [.badRequest, .notFound])
  }

  /// `/posts/{postId}/comments`
  private mutating func addNested(_ relation: OpenAPIRelation) {
    let (parent, child) = (relation.parent, relation.child)
    let id = Self.parameterName(relation.parameter, or: "parentId")
    let parameters =
      parametersBelow[child.resource.name]
      ?? OpenAPIParameters.list(of: child, relations: relations, below: true, schemas.bodies)
    parametersBelow[child.resource.name] = parameters
    begin(
      "/\(Self.segment(parent.resource.name))/{\(id)}/\(Self.segment(child.resource.name))",
      parameters: [OpenAPIParameters.parentID(id, ofRecordIn: parent.resource)], tag: child)
    add(
      "get", "list\(parent.recordName)\(child.pluralName)",
      "Lists the \(child.resource.name) of a record of \(parent.resource.name).",
      parameters: parameters.filter { $0["name"]?.string != id },
      [.list(of: schemas.record(child), schemas.bodies), .notModified], errors: [.badRequest, .notFound])
    add(
      "post", "create\(parent.recordName)\(child.recordName)",
      "Adds a record to \(child.resource.name) that belongs to a record of \(parent.resource.name).",
      body: schemas.childBody(child, key: relation.parameter), [.created(schemas.record(child))],
      errors: [.conflict, .notFound])
  }

  /// `/equipment/{id}/campaigns` and `/equipment/{id}/campaigns/{campaignsId}`, for a member that holds a list of objects.
  private mutating func addInner(_ member: MemberType, of resource: NamedResource) {
    guard case .array(let elements)? = member.type.alternatives.first,
      case .object(let object)? = elements.alternatives.first, !member.name.isEmpty, !member.name.contains("/")
    else { return }
    let type = resource.recordName + Identifier.ascii(Identifier.upperCamelCase(member.name))
    let place = "the list `\(member.name)` of \(resource.resource.name)"
    let element = schemas.element(object)
    let new = schemas.body(schemas.inline(object.without("id")))
    var path = "/\(Self.segment(resource.resource.name))"
    var parameters: [JSONValue] = []
    if resource.resource.kind == .collection {
      let id = Self.parameterName(resource.resource.idName, or: "id")
      path += "/{\(id)}"
      parameters = [OpenAPIParameters.id(id, ofRecordIn: resource.resource, schemas.bodies)]
    }
    path += "/\(Self.segment(member.name))"
    begin(path, parameters: parameters, tag: resource)
    add(
      "get", "list\(type)", "Lists \(place).", parameters: [OpenAPIParameters.fields],
      [.list(of: element), .notModified], errors: [.badRequest, .notFound])
    add(
      "post", "add\(type)", "Adds an element to \(place).", body: new, [.created(element)],
      errors: [.notFound, .conflict])
    if schemas.bodies != .shaped {
      let all: JSONValue = [
        "name": "_all", "in": "query", "required": true, "schema": ["type": "string", "enum": ["true"]],
        "description": "Means all elements. Filters choose some, as in a list.",
      ]
      add(
        "patch", "updateMany\(type)", "Merges members into the elements of \(place).", parameters: [all],
        body: OpenAPIBody(["type": "object", "properties": ["id": false]], isRequired: true),
        [.list("The stored elements.", of: element)], errors: [.methodNotAllowed, .notFound, .conflict])
      add(
        "delete", "deleteMany\(type)", "Removes the elements of \(place).", parameters: [all],
        [.list("The removed elements.", of: element)], errors: [.badRequest, .methodNotAllowed, .notFound])
    }
    guard object["id"] != nil else { return }
    let idName = Self.parameterName(member.name, or: "element") + "Id"
    let id: JSONValue = [
      "name": .string(idName), "in": "path", "required": true,
      "description": .string("The `id` of an element of \(place)."), "schema": ["type": "string", "minLength": 1],
    ]
    let stored = OpenAPIResponse.ok("The stored element.", element)
    begin(path + "/{\(idName)}", parameters: parameters + [id], tag: resource)
    add(
      "get", "get\(type)Element", "Returns an element of \(place).", parameters: [OpenAPIParameters.fields],
      [.ok("The element.", element), .notModified], errors: [.badRequest, .notFound])
    add(
      "put", "replace\(type)Element", "Replaces an element of \(place), except its id.", body: new, [stored],
      errors: [.notFound])
    add(
      "patch", "update\(type)Element", "Merges members into an element of \(place).",
      body: schemas.patchBody(["type": "object", "additionalProperties": true]), [stored],
      errors: [.notFound, .conflict])
    add(
      "delete", "delete\(type)Element", "Removes an element from \(place).",
      [.ok("The element was deleted.", ["type": "object"])], errors: [.badRequest, .notFound])
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

extension String {
  /// The text with percent-escapes for all but ASCII letters, digits and some marks.
  package func percentEncoded(keeping marks: String) -> String {
    utf8.map { byte in
      if StringFormat.isAlphanumeric(byte) || marks.utf8.contains(byte) { return String(Unicode.Scalar(byte)) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
