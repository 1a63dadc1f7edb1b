import HTTPTypes
import JSONDatabase
import OrderedJSON

/// Writes that take long: their bodies are parsed and they are carried out on other threads.
extension Engine {
  /// The longest body that is parsed at once: in a fraction of a millisecond.
  static let quickBody = 128 * 1024

  /// Whether the body of a request has to be parsed on another thread first.
  func hasUnparsedBody(_ context: RequestContext) -> Bool {
    context.request.body.count > Self.quickBody && context.parsed == nil && !context.isAdministrative
  }

  /// Parses the body of a request on another thread, and goes on with the request.
  func parseAside(_ context: RequestContext) throws(RequestError) {
    let addressed = signIn == nil || context.isHidden ? context : try removingGuard(context)
    let (request, target, wrapName) = (addressed.request, addressed.target, wrapName(for: context))
    let database = writes.database.copy(for: Query())
    WorkerThreads.changes.run { [loop] in
      var database = database
      let parsed = ParsedEndpoint(request, target, wrapName: wrapName, &database)
      loop.execute { self.assumeIsolated { $0.authorize(context.with(parsed)) } }
    }
  }

  /// What a request asks the data for.
  func endpoint(of context: RequestContext) throws(RequestError) -> Endpoint {
    if let parsed = context.parsed { return try parsed.endpoint.get() }
    return try Endpoint(
      context.request, path: context.target.path, parameters: context.target.parameters, &writes.database)
  }

  /// Whether a write takes so long that another thread carries it out.
  func isLarge(_ endpoint: Endpoint, _ request: Request) -> Bool {
    if request.body.count > Self.quickBody { return true }
    switch endpoint {
    case .database, .list, .record, .singular: return false
    case .createOrMerge(let name, let bodies):
      return writes.database.isUnread(name, forNew: true) || bodies.json.hasMoreElements(than: Database.quickChanges)
    case .changeMany(let name, let parameters, _): return !writes.database.selectsFew(parameters.query, in: name)
    case .create(let name, _, _): return writes.hasLargeReads && writes.database.isUnread(name, forNew: true)
    case .replace(let name, let id, _), .merge(let name, let id, _), .patch(let name, let id?, _):
      return writes.hasLargeReads && !writes.database.isShort(id, in: name)
    case .patch(let name, nil, _), .writeSingular(let name, _, _, _): return !writes.database.isShort(singular: name)
    case .delete(let name, let id, _): return writes.hasLargeReads && !writes.database.hasFewDependents(id, in: name)
    }
  }

  /// Has another thread carry a write out.
  ///
  /// - Parameter ignored: The parameters that have no effect, whatever the data.
  /// - Throws: 401 and 403, when whoever sent it may not do that.
  func writeAside(
    _ endpoint: Endpoint, _ context: RequestContext, _ shape: ResponseShape?, ignored: [IgnoredParameter]
  ) throws(RequestError) {
    let operation = try operation(for: endpoint, context)
    let precondition = try precondition(of: context, endpoint)
    let (refusesIgnored, passwords) = (refusesIgnored(endpoint), signIn?.password ?? .nothing)
    changeAside(for: .client(context, .resource(endpoint))) { database -> Outcome in
      var (ignored, passwords) = (ignored, passwords)
      // What a new record's id goes by is known from then on, also where this one brings its own.
      if let name = endpoint.growing, database.isUnread(name, forNew: true) { database.readLargeCollections() }
      do throws(RequestError) {
        try precondition?.check(on: &database, hiding: &passwords)
        if let shape { ignored += shape.unknownFields(of: endpoint, in: &database) }
        if refusesIgnored, !ignored.isEmpty { return .ignored(ignored) }
        var result = try operation.perform(on: &database, hiding: &passwords)
        shape?.apply(to: &result, of: endpoint, in: &database)
        return .done(result, ignored)
      } catch {
        return .failed(error, ignored)
      }
    } then: { engine, outcome in
      switch outcome {
      case .done(let result, let ignored):
        engine.forgetDeletedUsers(by: result)
        engine.respond(to: context, endpoint, with: result, ignored: ignored, isSaved: engine.writes.isSaved)
      case .ignored(let ignored): engine.refuse(context, ignored)
      case .failed(let error, let ignored):
        engine.respond(to: context, endpoint, error.response(), nil, ignored: ignored, isSaved: engine.writes.isSaved)
      }
    }
  }

  private enum Outcome: Sendable {
    case done(EndpointResult, [IgnoredParameter])
    /// Nothing was done: parameters have no effect.
    case ignored([IgnoredParameter])
    case failed(RequestError, [IgnoredParameter])
  }
}

/// What a request with a large body asks the data for, parsed on another thread.
struct ParsedEndpoint: Sendable {
  let endpoint: Result<Endpoint, RequestError>
  /// The same with what the body holds under the name in which responses hold records.
  let unwrapped: Result<Endpoint, RequestError>

  fileprivate init(_ request: Request, _ target: ParsedTarget, wrapName: String?, _ database: inout Database) {
    let parsed = Result { () throws(RequestError) in
      try Endpoint(request, path: target.path, parameters: target.parameters, &database)
    }
    endpoint = parsed
    let dialect = database.schema.dialect
    unwrapped = Result { () throws(RequestError) in
      let endpoint = try parsed.get()
      return try wrapName.map { name throws(RequestError) in try endpoint.unwrapping(name, dialect) } ?? endpoint
    }
  }
}

extension Endpoint {
  /// The collection to which it may add records.
  fileprivate var growing: String? {
    switch self {
    case .create(let name, _, _), .createOrMerge(let name, _): name
    default: nil
    }
  }
}

extension ValidJSON {
  /// Whether it is an array of more elements than a number. O(number).
  fileprivate func hasMoreElements(than number: Int) -> Bool {
    withToken { ArrayReader($0)?.dropFirst(number).first { _ in true } != nil }
  }
}
