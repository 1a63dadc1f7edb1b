import HTTPTypes
import JSONDatabase
import JSONServerHTTP
import JSONServerResources

extension RequestContext {
  /// The operation.
  ///
  /// - Parameter contract: The OpenAPI document that says what the paths mean; without one, the data says it.
  func endpoint(in database: Database, by contract: Contract?) throws(RequestError) -> Endpoint {
    if let parsed { return try parsed.endpoint.get() }
    return try Endpoint.parse(request, target, in: database, by: isWrapped ? contract : nil)
  }
}

/// The operation of a request with a large body, parsed on another thread.
struct ParsedEndpoint: Sendable {
  let endpoint: Result<Endpoint, RequestError>
  /// The operation with the unwrapped body.
  let unwrapped: Result<Endpoint, RequestError>

  fileprivate init(
    _ request: Request, _ target: RequestTarget, wrapName: String?, _ database: Database, by contract: Contract?
  ) {
    let parsed = Result { () throws(RequestError) in
      try Endpoint.parse(request, target, in: database, by: contract)
    }
    endpoint = parsed
    unwrapped = Result { () throws(RequestError) in try parsed.get().unwrapping(wrapName, database.dialect) }
  }
}

extension DataOperation {
  /// Creates the operation of a request, limited to the rights of its sender.
  ///
  /// - Throws: 400, 401 and 403, when the sender may not see or change the data.
  init(
    _ endpoint: Endpoint, _ context: RequestContext, ids: IDGenerator, _ authorization: Authorization?,
    _ clockOffset: Duration = .zero
  ) throws(RequestError) {
    var (endpoint, ids) = (endpoint, ids)
    if context.pageIntent != nil {
      endpoint = endpoint.asImport
      ids.keepsGivenIDs = true
    }
    self.init(endpoint, context.request, ids: ids, clockOffset: clockOffset)
    try authorization?.restrict(&self, of: context)
  }
}

extension Precondition {
  /// Reads the conditions of a change; returns `nil` without one.
  ///
  /// - Throws: 401 and 403, when the client may not read the target.
  init?(
    _ endpoint: Endpoint, _ context: RequestContext, _ configuration: Server.Configuration, _ writes: WriteCoordinator,
    _ authorization: Authorization?
  ) throws(RequestError) {
    let request = context.request
    let isForNew = request.has(.ifNoneMatch) && EntityTagList(request.headerFields[.ifNoneMatch] ?? "").isForAny
    let tags = request.headerFields[.ifMatch].map(EntityTagList.init)
    guard isForNew || tags != nil, let seen = endpoint.reading ?? endpoint.claimed(writes.database.schema, isForNew)
    else { return nil }
    let mayCreate = endpoint.mayCreate(writes.database.schema)
    let reading = try DataOperation(seen, context, ids: writes.ids, authorization)
    let shape = try ResponseShape(QueryParameters(), wrapName: configuration.wrapName(for: context))
    // Middleware gets whole bodies, and clients get the tags of its responses.
    let versionTag =
      configuration.middleware.isEmpty
      ? writes.revisions.validator(of: seen, context, in: writes.database, authorization) : nil
    self.init(
      tags: tags, isForNew: isForNew, mayCreate: mayCreate, reading: reading, shape: shape, versionTag: versionTag)
  }
}

extension Server.Configuration {
  /// The member in which a client sends and gets records; `nil` for none, as for the page at `/`.
  func wrapName(for context: RequestContext) -> String? { context.isWrapped ? wrapName : nil }
}

extension Engine {
  /// Parses the body of a request on another thread, and continues with the request.
  func parseAside(_ context: RequestContext) {
    let addressed = context.isGuarded ? authorization?.guarding(context) ?? context : context
    let (request, target, wrapName) = (addressed.request, addressed.target, configuration.wrapName(for: context))
    let contract = context.isWrapped ? configuration.contract : nil
    aside { [database = writes.database] in
      ParsedEndpoint(request, target, wrapName: wrapName, database, by: contract)
    } then: { engine, parsed in
      engine.authorize(context.with(parsed: parsed))
    }
  }

  /// The same request with what the history says, if the client asks for changes.
  ///
  /// - Throws: 400 and 410, for a token that says nothing.
  func resolvingDelta(_ endpoint: Endpoint, _ context: RequestContext) throws(RequestError) -> Endpoint {
    guard !endpoint.isWrite, var list = endpoint.list, let delta = list.delta, let name = endpoint.resource else {
      return endpoint
    }
    let passed = ["_since", "_limit", "_delay", "_", "callback"]
    let parameters = context.target.parameters.items.filter { !passed.contains($0.name) }.flatMap {
      [$0.name, $0.value]
    }
    let user = context.isGuarded ? try? authorization?.user(of: context.request) : nil
    let related = try RequestError.converting(database.resources(readBy: endpoint.relations, in: name)).map(\.name)
    let selecting = endpoint.listReading == nil ? [] : [endpoint.parent.map(\.resource)].compactMap(\.self)
    list.delta = try writes.deltas.resolve(
      delta, of: name, [user ?? "", context.isGuarded ? "" : "all"] + context.target.segments + parameters,
      others: related + selecting, areSelecting: !selecting.isEmpty, owner: authorization?.users.ownerPath(in: name),
      in: database)
    return Endpoint(
      endpoint.target, endpoint.action, list: list, relations: endpoint.relations, below: endpoint.parent)
  }
}
