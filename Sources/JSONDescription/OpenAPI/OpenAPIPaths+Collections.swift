import OrderedJSON

extension OpenAPIPaths {
  /// `/posts`
  mutating func addCollection(_ resource: NamedResource) {
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
        [OpenAPIResponses.list("The records as they are stored now.", of: schemas.record(resource))],
        errors: [.methodNotAllowed, .conflict] + OpenAPIResponses.bodyErrors))
    let delete = operation(
      "deleteMany\(resource.pluralName)",
      "Deletes all records of \(name) that match the filters of the list, and the records that depend on them.",
      tag: resource, parameters: OpenAPIParameters.many,
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.list("The records that are gone.", of: schemas.record(resource))],
        errors: [.badRequest, .methodNotAllowed]))
    add("/\(Self.segment(name))", [("get", list), ("post", create), ("patch", change), ("delete", delete)])
  }

  /// `/posts/{id}`
  mutating func addRecord(_ resource: NamedResource) {
    let name = resource.resource.name
    let id = Self.parameterName(resource.resource.idName, or: "id")
    let changed = OpenAPIResponses.all(
      [OpenAPIResponses.ok("The record as it is stored now.", schemas.record(resource))],
      errors: [.notFound] + OpenAPIResponses.bodyErrors)
    let patched = OpenAPIResponses.all(
      [OpenAPIResponses.ok("The record as it is stored now.", schemas.record(resource))],
      errors: [.notFound, .conflict] + OpenAPIResponses.bodyErrors)
    let get = operation(
      "get\(resource.recordName)", "Returns a record of \(name).", tag: resource,
      parameters: OpenAPIParameters.related(to: resource, relations: relations) + [OpenAPIParameters.fields],
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The record.", schemas.record(resource)), OpenAPIResponses.notModified],
        errors: [.badRequest, .notFound]))
    let replace = operation(
      "replace\(resource.recordName)", "Replaces a record of \(name), but for its id.", tag: resource,
      body: .object(schemas.replacement(resource)), responses: changed)
    let update = operation(
      "update\(resource.recordName)", "Merges members into a record of \(name).", tag: resource,
      body: .patch(schemas.patch(resource)), responses: patched)
    let merge = operation(
      "merge\(resource.recordName)", "Does what PATCH does, for clients that cannot send one.", tag: resource,
      body: .patch(schemas.patch(resource)), responses: patched)
    let delete = operation(
      "delete\(resource.recordName)", "Deletes a record of \(name) and the records that depend on it.", tag: resource,
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The record is gone.", ["type": "object"])], errors: [.badRequest, .notFound]))
    add(
      "/\(Self.segment(name))/{\(id)}",
      parameters: [OpenAPIParameters.id(id, ofRecordIn: resource.resource, schemas.bodies)],
      [("get", get), ("post", merge), ("put", replace), ("patch", update), ("delete", delete)])
  }

  /// `/posts/{postId}/comments`
  mutating func addNested(_ relation: OpenAPIRelation) {
    let (parent, child) = (relation.parent, relation.child)
    let id = Self.parameterName(relation.foreignKey, or: "parentId")
    let list = operation(
      "list\(parent.recordName)\(child.pluralName)",
      "Lists the \(child.resource.name) of a record of \(parent.resource.name).", tag: child,
      parameters: OpenAPIParameters.list(of: child, relations: relations, schemas.bodies)
        .filter { $0["name"]?.string != id },
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
    case .open: [OpenAPIResponses.ok("The records as they are stored now.", schemas.createdRecords(resource))]
    }
  }
}

/// A relation between two resources of the document.
struct OpenAPIRelation {
  let parent: NamedResource
  let child: NamedResource
  /// The child's member that holds the parent's id; the nested route's parameter is named after it.
  let foreignKey: String
  /// The name of the parent in `_expand` and `_embed`, such as `post`.
  let parentName: String
}

/// The relations of a document by their ends.
struct OpenAPIRelations {
  private var byParent: [String: [OpenAPIRelation]] = [:]
  private var byChild: [String: [OpenAPIRelation]] = [:]

  /// Looks up both ends of each relation; one with an end that is not a collection of the document is left out.
  init(_ relations: [ResourceRelation], among resources: [NamedResource], singular: (String) -> String) {
    let collections = Dictionary(
      resources.filter { $0.resource.kind == .collection }.map { ($0.resource.name, $0) },
      uniquingKeysWith: { first, _ in first })
    for relation in relations {
      guard let parent = collections[relation.parent], let child = collections[relation.child] else { continue }
      let relation = OpenAPIRelation(
        parent: parent, child: child, foreignKey: relation.foreignKey, parentName: singular(relation.parent))
      byParent[parent.resource.name, default: []].append(relation)
      byChild[child.resource.name, default: []].append(relation)
    }
  }

  /// The relations to what refers to a resource's records.
  func below(_ resource: NamedResource) -> [OpenAPIRelation] { byParent[resource.resource.name] ?? [] }

  /// The relations to what a resource's records refer to.
  func above(_ resource: NamedResource) -> [OpenAPIRelation] { byChild[resource.resource.name] ?? [] }
}
