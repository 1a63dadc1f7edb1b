import OrderedJSON

extension OpenAPIPaths {
  /// `/profile`
  mutating func addObject(_ resource: NamedResource) {
    let (name, type) = (resource.resource.name, resource.recordName)
    let record = schemas.record(resource)
    let changed = OpenAPIResponses.all(
      [OpenAPIResponses.ok("The object as it is stored now.", record)], errors: OpenAPIResponses.bodyErrors)
    let get = operation(
      "get\(type)", "Returns \(name).", tag: resource,
      responses: OpenAPIResponses.all(
        [OpenAPIResponses.ok("The object.", record), OpenAPIResponses.notModified], errors: []))
    let create = operation(
      "create\(type)", "Replaces \(name), as PUT does.", tag: resource, body: schemas.replacement(resource),
      responses: OpenAPIResponses.all([OpenAPIResponses.created(record)], errors: OpenAPIResponses.bodyErrors))
    let replace = operation(
      "replace\(type)", "Replaces \(name).", tag: resource, body: schemas.replacement(resource), responses: changed)
    let update = operation(
      "update\(type)", "Merges members into \(name).", tag: resource, body: schemas.patch(resource), responses: changed)
    add("/\(Self.segment(name))", [("get", get), ("post", create), ("put", replace), ("patch", update)])
  }
}
