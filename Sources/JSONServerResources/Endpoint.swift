import HTTPTypes
package import JSONDatabase
import JSONDescription
package import JSONOpenAPI
package import JSONServerHTTP
import JSONServerValues

/// A parsed request for data: its target, and the operation.
///
/// A class, since copying it at each step would cost a dozen reference counts.
package final class Endpoint: Sendable {
  package enum Target: Sendable {
    /// The whole database.
    case database
    /// Records of a collection.
    case collection(String)
    /// One record of a collection.
    case record(String, id: String)
    /// A single resource.
    case object(String)
  }

  package enum Action: Sendable {
    case read
    /// A new record, or other members of a single resource by POST.
    case create(WrittenBody)
    /// Many records, each new or merged into an existing one.
    case createOrMerge(WrittenBody)
    /// Other members.
    case replace(WrittenBody)
    /// Some other members.
    case merge(WrittenBody)
    case patch(Patch)
    /// The resources whose records are deleted with their parents in the dialect of 1.0.
    case delete(dependents: [String])

    /// The addition of a body's record or, in the classic dialect, of the records in its array.
    static func creating(_ body: WrittenBody, _ dialect: Dialect) -> Action {
      body.json.kind == .array && dialect == .classic ? .createOrMerge(body) : .create(body)
    }
  }

  package let target: Target
  package let action: Action
  /// The selection of records; `nil` for a request about one record.
  package let list: ListParameters?
  /// The related records to read.
  package let relations: [RelationRequest]
  /// The resource and the id of the parent of a new record, or of the records to list.
  package let parent: (resource: String, id: String)?
  /// A list in the target; if present, the request is about this list.
  let inner: InnerList?
  /// What an OpenAPI document says about the request; if present, the document decides what is done.
  package let call: Call?

  package init(
    _ target: Target, _ action: Action = .read, list: ListParameters? = nil, relations: [RelationRequest] = [],
    below parent: (resource: String, id: String)? = nil
  ) {
    self.target = target
    self.action = action
    self.list = list
    self.relations = list?.query.relations ?? relations
    self.parent = parent
    (inner, call) = (nil, nil)
  }

  /// A request as an OpenAPI document describes it; the target and the action say what it touches.
  package init(_ call: Call) {
    let id = call.id
    target =
      call.collection.map { collection in
        collection.isObject
          ? .object(collection.name) : id.map { .record(collection.name, id: $0) } ?? .collection(collection.name)
      } ?? .database
    action = !call.isWrite ? .read : call.storage?.action == .delete ? .delete(dependents: []) : .merge(.empty)
    (list, relations, parent, inner, self.call) = (nil, [], nil, nil, call)
  }

  /// A request for a list in a target: to read the target, or to change a member of it.
  package init(_ target: Target, _ inner: InnerList) {
    self.target = target
    action = inner.endpoint.isWrite ? .merge(.empty) : .read
    list = nil
    relations = []
    (parent, call) = (nil, nil)
    self.inner = inner
  }

  /// The same request with another action.
  func with(_ action: Action) -> Endpoint {
    Endpoint(target, action, list: list, relations: relations, below: parent)
  }

  /// The same request of the page, which adds and merges many records in either dialect.
  package var asImport: Endpoint {
    guard case .collection = target, case .create(let body) = action, body.json.kind == .array else {
      return self
    }
    return with(.createOrMerge(body))
  }

  /// The same request, limited to the records of a user.
  ///
  /// - Parameter key: The member with the user's id.
  package func limited(to owner: String, by key: FieldPath) -> Endpoint {
    if var call {
      call.owner = (key.name, owner)
      return Endpoint(call)
    }
    guard var list else { return self }
    list.query.criteria.owner = Query.Reference(key, owner)
    return Endpoint(target, action, list: list, relations: relations, below: parent)
  }

  /// The parameters that select and shape data; an OpenAPI document reads those of its operations itself.
  package func parameters(of target: RequestTarget) -> QueryParameters {
    call == nil ? target.parameters : QueryParameters()
  }

  /// The resource that the request reads or changes; `nil` for all.
  package var resource: String? {
    switch target {
    case .database: nil
    case .collection(let name), .record(let name, _), .object(let name): name
    }
  }

  /// Whether the request changes the database.
  package var isWrite: Bool {
    if case .read = action { false } else { true }
  }

  /// Whether the request changes all records that match its parameters; then each parameter must have an effect.
  package var changesMany: Bool { isWrite && list != nil || inner?.endpoint.changesMany ?? false }

  /// The read of the target of a change; `nil` when it does not exist yet.
  package var reading: Endpoint? {
    if let inner {
      return inner.endpoint.reading.map { Endpoint(target, InnerList(member: inner.member, endpoint: $0)) }
    }
    if call != nil { return nil }
    return switch (target, action) {
    case (_, .read), (_, .createOrMerge), (.collection, .create): nil
    default: Endpoint(target, list: list)
    }
  }

  /// Whether a PUT creates the record that its address names.
  package func mayCreate(_ schema: Schema) -> Bool {
    guard case (.record(let name, _), .replace) = (target, action) else { return false }
    return schema.allowsUpsert(in: name)
  }

  /// The read of the record whose id the body of a new record has; `nil` without an id.
  package func claimed(_ schema: Schema, _ isForNew: Bool) -> Endpoint? {
    guard isForNew, case (.collection(let name), .create(let body)) = (target, action),
      let id = body.json.recordID(in: schema.idName(of: name))
    else { return nil }
    return Endpoint(.record(name, id: id))
  }

  /// The read of the parent whose list of ids selects the records; `nil` where records refer to the parent themselves.
  package var listReading: Endpoint? {
    guard let parent, list?.query.criteria.ids != nil else { return nil }
    return Endpoint(.record(parent.resource, id: parent.id))
  }

  /// The resource whose changes can be watched.
  package var watchedResource: String? {
    switch target {
    case .collection(let name), .object(let name): isWrite || call != nil ? nil : name
    case .database, .record: nil
    }
  }

  /// The only resource that the request reads; `nil` when there may be several.
  package var onlyResource: String? { isWrite || !relations.isEmpty || listReading != nil ? nil : resource }
}

extension Endpoint {
  /// Reads or changes the data, and returns the result.
  ///
  /// - Throws: ``RequestError``; the database must then be discarded.
  func perform(_ request: Request, on database: inout Database, ids: IDGenerator) throws(RequestError) -> EndpointResult
  {
    try RequestError.converting(result(of: request, on: &database, ids: ids))
  }

  /// The result of ``perform(_:on:ids:)``.
  func result(
    of request: Request, on database: inout Database, ids: IDGenerator
  ) throws(DatabaseError) -> EndpointResult {
    if let inner { return try perform(inner, request, on: &database, ids: ids) }
    if let call, !isWrite { return EndpointResult(call.response(on: &database)) }
    if var call {
      call.request.now = Timestamp.now(later: database.clockOffset).rfc3339
      return EndpointResult(call.response(on: &database))
    }
    switch target {
    case .database: return EndpointResult(.database(database.text))
    case .collection(let name): return try perform(request, onCollection: name, of: &database, ids: ids)
    case .record(let name, let id): return try perform(onRecord: id, in: name, of: &database)
    case .object(let name): return try perform(onObject: name, of: &database)
    }
  }

  private func perform(
    _ request: Request, onCollection name: String, of database: inout Database, ids: IDGenerator
  ) throws(DatabaseError) -> EndpointResult {
    switch action {
    case .create(let body):
      let written = try database.create(body.json(for: name, in: database), in: name, belongingTo: parent, ids: ids)
      var result = EndpointResult(
        .text(written.text), status: .created, location: [name, written.id], change: .created(name, written))
      if let parent, let note = database.note(onMissing: parent) { result.notes.append(note) }
      return result
    case .createOrMerge(let bodies):
      let (records, created) = try database.createOrMerge(bodies.json(for: name, in: database), in: name, ids: ids)
      return EndpointResult(
        .list(RecordList(records.map { RelatedRecord(record: $0) })), status: created > 0 ? .created : .ok,
        change: .reloaded(name))
    case .read, .replace, .merge, .patch, .delete:
      // Without a selection, the change would affect all records.
      guard let list else {
        throw DatabaseError(.invalidQuery, "The request does not say which records of '\(name)' it is for.")
      }
      return if case .read = action { try self.list(name, list, request, database) } else {
        try changeMany(of: name, list, on: &database)
      }
    }
  }

  private func perform(
    onRecord id: String, in name: String, of database: inout Database
  ) throws(DatabaseError) -> EndpointResult {
    let written: WrittenRecord
    switch action {
    case .read:
      let record = try database.record(id, in: name)
      guard !relations.isEmpty else { return EndpointResult(.record(RelatedRecord(record: record))) }
      let related = try database.related(relations, to: record, in: name)
      var result = EndpointResult(.record(related.records.first ?? RelatedRecord(record: record)))
      result.notes = related.notes
      result.ignored = related.ignored
      return result
    case .delete(let dependents):
      let deletion = try database.delete(id, in: name, dependents: dependents)
      let content: EndpointResult.Content =
        database.dialect == .v1 ? .text(deletion.record) : .text(.emptyObject)
      return EndpointResult(content, change: .deleted(name, ids: [id], dependents: deletion.dependents))
    case .replace(let body) where mayCreate(database.schema) && !database.hasRecord(id, in: name):
      written = try database.create(body.json(for: name, in: database), as: id, in: name)
      return EndpointResult(
        .text(written.text), status: .created, location: [name, id], change: .created(name, written))
    case .replace(let body):
      written = try database.edit(id, in: name, by: .replace(body.json(for: name, id: id, in: database)))
    case .merge(let body), .create(let body), .createOrMerge(let body):
      written = try database.edit(id, in: name, by: .merge(body.json(for: name, id: id, in: database)))
    case .patch(let patch): written = try database.edit(id, in: name, by: .patch(patch))
    }
    return EndpointResult(.text(written.text), change: .updated(name, [written]))
  }

  private func perform(onObject name: String, of database: inout Database) throws(DatabaseError) -> EndpointResult {
    let text: ValidJSON
    switch action {
    case .read, .delete: return EndpointResult(.text(try database.singular(name)))
    case .patch(let patch): text = try database.edit(singular: name, by: .patch(patch))
    case .merge(let body): text = try database.edit(singular: name, by: .merge(body.json(for: name, in: database)))
    case .replace(let body): text = try database.edit(singular: name, by: .replace(body.json(for: name, in: database)))
    case .create(let body), .createOrMerge(let body):
      text = try database.edit(singular: name, by: .replace(body.json(for: name, in: database)))
      return EndpointResult(.text(text), status: .created, location: [name], change: .reloaded(name))
    }
    return EndpointResult(.text(text), change: .reloaded(name))
  }

  private func list(
    _ name: String, _ parameters: ListParameters, _ request: Request, _ database: Database
  ) throws(DatabaseError) -> EndpointResult {
    if let delta = parameters.delta {
      let (result, selection, related) = try parameters.result(of: delta, in: name, request, database)
      return report(selection, related, of: name, database, in: result)
    }
    var (selection, related) = try database.list(name, parameters.query)
    var result = EndpointResult(.list(related.records))
    if parameters.pageForm == .cursor { result.content = .cursorPage(related.records, next: selection.next) }
    if let form = parameters.pageForm, case .page(let number, let size) = parameters.query.window {
      let page = PageNumbers(requested: number, size: size, total: selection.total)
      switch form {
      case .array: result.link = PageLinks.fieldValue(request, page)
      case .cursor: break
      case .envelope:
        if page.number != number {
          // 1.0 responds with the last page to a request for a later page.
          var query = parameters.query
          query.window = .page(page.number, size: size)
          related = try database.list(name, query).related
        }
        result.content = .envelope(page, related.records)
      }
    }
    result.total = selection.total
    return report(selection, related, of: name, database, in: result)
  }

  /// Adds what a list request asks for in vain.
  private func report(
    _ selection: Selection, _ related: RelatedRecords, of name: String, _ database: Database, in result: EndpointResult
  ) -> EndpointResult {
    var result = result
    result.ignored = selection.unknownParameters.map { IgnoredParameter(name: $0, reason: .noMember(of: name)) }
    result.ignored += selection.unknownSortPaths.map { IgnoredParameter(name: "_sort", naming: $0) }
    if !related.unknownRelations.isEmpty { result.ignored += related.ignored }
    result.notes = related.notes
    if listReading == nil, let parent, let note = database.note(onMissing: parent) { result.notes.append(note) }
    return result
  }
}

extension RelatedRecords {
  /// The relations without related records.
  fileprivate var ignored: [IgnoredParameter] {
    unknownRelations.map { request in
      let name = request.kind == .embed ? "_embed" : "_expand"
      return IgnoredParameter(name: name, reason: .idle("names '\(request.name)', which leads to no collection"))
    }
  }

  /// Warnings about the relations of the request.
  fileprivate var notes: [String] {
    hiddenNames.map { "a record has a member '\($0)' of its own, which stays in place of the related records" }
  }
}

extension Database {
  /// The segments of a path with the id of a record as the record spells it, so that the record has one address
  /// everywhere: in guards, validators and events.
  package func withStoredID(_ segments: [String]) -> [String] {
    guard segments.count > 1, segments[1].utf8.count == 36,
      let (name, isCollection) = resource(meantBy: segments[0]), isCollection
    else { return segments }
    var segments = segments
    segments[1] = storedID(segments[1], in: name)
    return segments
  }

  /// The parameters of a list with ids as the records spell them.
  fileprivate func withStoredIDs(_ parameters: QueryParameters, of name: String) -> QueryParameters {
    let idName = schema.idName(of: name)
    guard parameters.items.contains(where: { $0.name == idName && $0.value.utf8.count == 36 }) else {
      return parameters
    }
    var parameters = parameters
    parameters.items = parameters.items.map { ($0.name, $0.name == idName ? storedID($0.value, in: name) : $0.value) }
    return parameters
  }

  /// The warning about a missing parent record; `nil` when it exists.
  fileprivate func note(onMissing parent: (resource: String, id: String)) -> String? {
    guard let (name, _) = resource(meantBy: parent.resource) else {
      return "\(unknownResourceMessage(parent.resource)) The response has the records with this foreign key"
    }
    if hasRecord(parent.id, in: name) { return nil }
    return "\(name) has no record with id \(parent.id); the response has the records with this foreign key"
  }
}

extension Endpoint {
  /// Parses a request.
  ///
  /// - Parameters:
  ///   - request: The request, after method override and rewrite rules.
  ///   - segments: The segments of its path.
  ///   - database: The database, whose names decide the meaning of a path.
  /// - Throws: 400 for an invalid request, 404 for an unknown path, 405 with `Allow` for a method that the route lacks.
  package static func parse(
    _ request: Request, _ segments: [String], _ parameters: QueryParameters, _ database: Database
  ) throws(RequestError) -> Endpoint {
    let segments = database.withStoredID(segments)
    guard let first = segments.first else { throw unknownRoute(request, database) }
    if segments.count == 1, first == "db" || database.dialect == .classic && first.lowercased() == "db" {
      guard isRead(request.method) else { throw .methodNotAllowed(request, ["GET", "HEAD"]) }
      return Endpoint(.database)
    }
    guard let (name, isCollection) = database.resource(meantBy: first) else {
      // As json-server 0.17, which does not check whether the parent exists. Names such as __session are the server's
      // own.
      if segments.count == 3, !first.hasPrefix("__"), isRead(request.method) || request.method == .post,
        database.resource(meantBy: segments[2]) != nil
      {
        return try nested(segments[2], below: (first, segments[1]), request, parameters, database)
      }
      throw RequestError(.notFound, database.unknownResourceMessage(first))
    }
    switch (isCollection, segments.count) {
    case (true, 1): return try collection(name, request, parameters, database)
    case (true, 2): return try record(name, segments[1], request, parameters, database)
    case (true, 5...): throw unknownRoute(request, database)
    case (true, _):
      let child = database.resource(meantBy: segments[2])
      let isRelated = child.map { child in
        database.hasRelation(from: child.name, to: name) || database.hasRelation(from: name, to: child.name)
      }
      if isRelated != true,
        let inner = try inner(segments[2...], of: .record(name, id: segments[1]), request, parameters, database)
      {
        return inner
      }
      guard segments.count == 3 else { throw unknownRoute(request, database) }
      return try nested(segments[2], below: (name, segments[1]), request, parameters, database)
    case (false, 1): return try singular(name, request, parameters, database.schema)
    case (false, _):
      if let inner = try inner(segments[1...], of: .object(name), request, parameters, database) { return inner }
      throw RequestError(.notFound, "'\(name)' is a single object; its address is /\(name).")
    }
  }

  private static func unknownRoute(_ request: Request, _ database: Database) -> RequestError {
    let example = database.resourceNames.first.map { " or a resource such as /\($0)" } ?? ""
    return RequestError(.notFound, "No route leads to \(request.path); try /, /db\(example).")
  }

  static func collection(
    _ name: String, _ request: Request, _ parameters: QueryParameters, _ database: Database
  ) throws(RequestError) -> Endpoint {
    if isRead(request.method) {
      return Endpoint(
        .collection(name),
        list: try ListParameters(database.withStoredIDs(parameters, of: name), database.schema))
    }
    let schema = database.schema
    if request.method == .delete || request.method == .patch {
      return try changeMany(name, request, database.withStoredIDs(parameters, of: name), schema)
    }
    guard request.method == .post else {
      throw .methodNotAllowed(request, ["GET", "HEAD", "POST", "PATCH", "DELETE"])
    }
    let body = try json(from: request, schema) ?? .empty
    return Endpoint(.collection(name), .creating(body, schema.dialect))
  }

  static func record(
    _ name: String, _ id: String, _ request: Request, _ parameters: QueryParameters, _ database: Database
  ) throws(RequestError) -> Endpoint {
    let target = Target.record(name, id: id)
    if isRead(request.method) {
      return Endpoint(target, relations: parameters.items.isEmpty ? [] : try ListParameters.relations(parameters))
    }
    let schema = database.schema
    switch request.method {
    case .put: return Endpoint(target, .replace(try body(of: request, parameters, schema)))
    case .patch:
      if let patch = try patch(from: request, schema) { return Endpoint(target, .patch(patch)) }
      return Endpoint(target, .merge(try patchBody(of: request, parameters, schema)))
    case .delete: return Endpoint(target, .delete(dependents: dependents(parameters)))
    case .post:
      guard schema.dialect == .classic else {
        throw RequestError(
          .notFound, "POST does not create a record here; send POST to /\(name), or PUT or PATCH to /\(name)/\(id).")
      }
      // As for PATCH.
      if let patch = try patch(from: request, schema) { return Endpoint(target, .patch(patch)) }
      return Endpoint(target, .merge(try json(from: request, schema) ?? .empty))
    default: throw .methodNotAllowed(request, ["GET", "HEAD"] + posting(schema.dialect) + ["PUT", "PATCH", "DELETE"])
    }
  }

  /// The resources whose records are deleted with their parents in the dialect of 1.0.
  package static func dependents(_ parameters: QueryParameters) -> [String] {
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
    // The parent has the ids of its children.
    let ids =
      database.hasRelation(from: name, to: parent.resource)
      ? nil : database.listedIDs(of: name, in: parent.id, of: parent.resource)
    if isRead(request.method) {
      guard let key = try? database.foreignKey(in: name, to: parent.resource) else {
        throw RequestError(.notFound, database.unknownResourceMessage(name))
      }
      var list = try ListParameters(parameters, database.schema)
      if let ids {
        list.query.criteria.ids = ids
        return Endpoint(.collection(name), list: list, below: parent)
      }
      return Endpoint(.collection(name), list: list.below(parent.id, by: key), below: parent)
    }
    guard request.method == .post, ids == nil else {
      throw .methodNotAllowed(request, ids == nil ? ["GET", "HEAD", "POST"] : ["GET", "HEAD"])
    }
    return Endpoint(.collection(name), .create(try json(from: request, database.schema) ?? .empty), below: parent)
  }

  /// The body as JSON in the form of the file.
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

  /// The body of a PUT or PATCH. Without one, the query may have the members, as clients made with Kilo send them.
  private static func body(
    of request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> WrittenBody {
    if let body = try json(from: request, schema, isPatchable: true) { return body }
    return RequestBody.json(from: parameters.excluding(QueryParameter.names)) ?? .empty
  }

  /// The body of a PATCH that is not a patch document.
  static func patchBody(
    of request: Request, _ parameters: QueryParameters, _ schema: Schema
  ) throws(RequestError) -> WrittenBody {
    do throws(RequestError) {
      return try body(of: request, parameters, schema)
    } catch {
      throw error.code == .unsupportedMediaType ? RequestError(.unsupportedPatch, error.message) : error
    }
  }

  /// The methods of resources other than collections, in addition to those of both dialects.
  private static func posting(_ dialect: Dialect) -> [String] {
    dialect == .classic ? ["POST"] : []
  }
}
