import HTTPTypes
import JSONDatabase
import JSONDescription
import OrderedJSON

extension Endpoint {
  /// Parses a request.
  ///
  /// - Parameters:
  ///   - request: The request, its method override and rewrite rules applied.
  ///   - database: The database, whose names decide what a path means.
  /// - Throws: 400 for what is invalid, 404 for what is not there, 405 with `Allow` for a method the route lacks.
  static func parse(
    _ request: Request, path: Path, parameters: QueryParameters, _ database: Database
  ) throws(RequestError) -> Endpoint {
    let segments = path.segments
    guard let first = segments.first, segments.count <= 3 else {
      throw RequestError(.notFound, "No route leads to \(request.path); try /, /db or a resource such as /posts/1.")
    }
    if segments.count == 1, first == "db" || database.schema.dialect == .classic && first.lowercased() == "db" {
      guard isRead(request.method) else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      return Endpoint(.database)
    }
    guard let (name, isCollection) = database.resource(meantBy: first) else {
      // As json-server 0.17, which does not ask whether the parent exists. Names like __session are the server's own.
      if segments.count == 3, !first.hasPrefix("__"), isRead(request.method) || request.method == .post,
        database.resource(meantBy: segments[2]) != nil
      {
        return try nested(segments[2], below: (first, segments[1]), request, parameters, database)
      }
      throw RequestError(.notFound, database.unknownResourceMessage(first))
    }
    switch (isCollection, segments.count) {
    case (true, 1): return try collection(name, request, parameters, database.schema)
    case (true, 2): return try record(name, segments[1], request, parameters, database.schema)
    case (true, _):
      return try nested(segments[2], below: (name, segments[1]), request, parameters, database)
    case (false, 1): return try singular(name, request, parameters, database.schema)
    case (false, _):
      throw RequestError(.notFound, "'\(name)' is a single object; its address is /\(name).")
    }
  }

  private static func collection(
    _ name: String, _ request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> Endpoint {
    if isRead(request.method) {
      return Endpoint(.collection(name), list: try ListParameters(parameters, dialect: schema.dialect))
    }
    if request.method == .delete || request.method == .patch {
      return try changeMany(name, request, parameters, schema)
    }
    guard request.method == .post else { throw .methodNotAllowed(request, collectionMethods) }
    let body = try json(from: request, schema) ?? .empty
    let isMany = body.json.withToken { $0.kind == .array } && schema.dialect == .classic
    return Endpoint(.collection(name), isMany ? .createOrMerge(body) : .create(body))
  }

  private static func record(
    _ name: String, _ id: String, _ request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> Endpoint {
    let target = Target.record(name, id: id)
    switch request.method {
    case .get, .head: return Endpoint(target, relations: try ListParameters.relations(parameters))
    case .put: return Endpoint(target, .replace(try body(of: request, parameters, schema)))
    case .patch:
      if let patch = try patch(from: request, schema) { return Endpoint(target, .patch(patch)) }
      return Endpoint(target, .merge(try patchBody(of: request, parameters, schema)))
    case .delete: return Endpoint(target, .delete(dependents: dependents(parameters)))
    case .post:
      guard schema.dialect == .classic else {
        throw RequestError(.notFound, "A record is not posted to; post to /\(name), or PUT or PATCH /\(name)/\(id).")
      }
      // As PATCH.
      if let patch = try patch(from: request, schema) { return Endpoint(target, .patch(patch)) }
      return Endpoint(target, .merge(try json(from: request, schema) ?? .empty))
    default: throw .methodNotAllowed(request, ["GET", "HEAD"] + posting(schema.dialect) + ["PUT", "PATCH", "DELETE"])
    }
  }

  /// The resources whose records go with what is deleted under 1.0's dialect.
  static func dependents(_ parameters: QueryParameters) -> [String] {
    parameters.all("_dependent").flatMap { $0.split(separator: ",").map(String.init) }
  }

  private static func singular(
    _ name: String, _ request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> Endpoint {
    let target = Target.object(name)
    switch request.method {
    case .get, .head: return Endpoint(target)
    case .put: return Endpoint(target, .replace(try body(of: request, parameters, schema)))
    case .patch:
      if let patch = try patch(from: request, schema) { return Endpoint(target, .patch(patch)) }
      return Endpoint(target, .merge(try patchBody(of: request, parameters, schema)))
    case .post:
      guard schema.dialect == .classic else {
        throw RequestError(.notFound, "'\(name)' is a single object; change it with PUT or PATCH.")
      }
      return Endpoint(target, .create(try json(from: request, schema, isPatchable: true) ?? .empty))
    default: throw .methodNotAllowed(request, ["GET", "HEAD"] + posting(schema.dialect) + ["PUT", "PATCH"])
    }
  }

  private static func nested(
    _ child: String, below parent: (resource: String, id: String), _ request: Request, _ parameters: QueryParameters,
    _ database: Database
  ) throws(RequestError) -> Endpoint {
    guard let (name, isCollection) = database.resource(meantBy: child) else {
      throw RequestError(.notFound, database.unknownResourceMessage(child))
    }
    guard isCollection else {
      return try singular(name, request, parameters, database.schema)
    }
    if isRead(request.method) {
      guard let key = try? database.foreignKey(in: name, to: parent.resource) else {
        throw RequestError(.notFound, database.unknownResourceMessage(name))
      }
      let list = try ListParameters(parameters, dialect: database.schema.dialect)
      return Endpoint(.collection(name), list: list.below(parent.id, of: parent.resource, by: key))
    }
    guard request.method == .post else { throw .methodNotAllowed(request, collectionMethods) }
    return Endpoint(.collection(name), .create(try json(from: request, database.schema) ?? .empty), below: parent)
  }

  /// The body as JSON that the file may hold.
  private static func json(
    from request: Request, _ schema: Schema, isPatchable: Bool = false
  ) throws(RequestError) -> WrittenBody? {
    try RequestBody.json(from: request, maximumDepth: schema.maximumRecordDepth, isPatchable: isPatchable)
  }

  static func patch(from request: Request, _ schema: Schema) throws(RequestError) -> Patch? {
    try RequestBody.patch(from: request, maximumDepth: schema.maximumRecordDepth)
  }

  private static func isRead(_ method: HTTPRequest.Method) -> Bool {
    method == .get || method == .head
  }

  /// The body of a PUT or PATCH; one that has none may carry its members as query arguments, as Kilo's clients send
  /// them.
  private static func body(
    of request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> WrittenBody {
    if let body = try json(from: request, schema, isPatchable: true) { return body }
    return RequestBody.json(from: parameters.excluding(QueryParameter.names)) ?? .empty
  }

  /// The body of a PATCH that is no patch document.
  static func patchBody(
    of request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> WrittenBody {
    do throws(RequestError) {
      return try body(of: request, parameters, schema)
    } catch {
      throw error.code == .unsupportedMediaType ? RequestError(.unsupportedPatch, error.message) : error
    }
  }

  /// The methods that resources other than collections take besides those of both dialects.
  private static func posting(_ dialect: Dialect) -> [String] {
    dialect == .classic ? ["POST"] : []
  }
}
