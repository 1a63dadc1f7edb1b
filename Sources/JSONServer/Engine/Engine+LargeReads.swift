import HTTPTypes
import JSONDatabase

/// Reads that take long: each happens on another thread, on the version of the data that was there when it began.
///
/// As many are under way as there are processors; further ones wait in order.
extension Engine {
  /// The most large reads that are under way or wait.
  static let maximumLargeReads = 64

  /// Carries a read out on another thread when it would keep others waiting.
  ///
  /// - Returns: Whether it will respond.
  /// - Throws: 503 when too many of them wait.
  func readAside(
    _ endpoint: Endpoint, _ context: RequestContext, _ shape: ResponseShape?, ignored: [IgnoredParameter]
  ) throws(RequestError) -> Bool {
    // Who signs in sees data of which this thread alone keeps a view.
    guard writes.hasLargeReads, signIn == nil, let query = endpoint.largeQuery(&writes.database, shape) else {
      return false
    }
    let (request, ids, version) = (context.request, writes.ids, ReadVersion(writes))
    let validator = validator(of: endpoint, context)
    let outcome: @Sendable (inout Database) -> Result<EndpointResult, RequestError> = { database in
      do throws(RequestError) {
        var result = try endpoint.perform(request, on: &database, ids: ids)
        shape?.apply(to: &result, of: endpoint, in: &database)
        return .success(result)
      } catch {
        return .failure(error)
      }
    }
    let indexing = endpoint.indexing(in: writes.database)
    try calculate(for: context, on: writes.database.copy(for: query), indexing, outcome) { engine, outcome in
      // What it shows was taken back: the file could not be written, or was edited.
      if version.isRetracted(in: engine.writes) { return engine.perform(.resource(endpoint), context) }
      switch outcome {
      case .success(let result):
        engine.respond(
          to: context, endpoint, with: result, ignored: ignored, isSaved: version.isSaved, validator: validator)
      case .failure(let error):
        engine.respond(to: context, endpoint, error.response(), nil, ignored: ignored, isSaved: version.isSaved)
      }
    }
    return true
  }

  /// Calculates something on another thread, and goes on with it on this one.
  ///
  /// - Parameters:
  ///   - database: A copy of the data, of which the indexes are taken over afterwards.
  ///   - work: What is reported when it takes long; `nil` for the request.
  /// - Throws: 503 when too many calculations wait.
  func calculate<Outcome: Sendable>(
    for context: RequestContext, on database: consuming Database, _ work: String? = nil,
    _ calculation: @escaping @Sendable (inout Database) -> Outcome,
    then goOn: @escaping @Sendable (isolated Engine, Outcome) -> Void
  ) throws(RequestError) {
    guard largeReads < Self.maximumLargeReads else {
      throw RequestError(
        .busy, "\(Self.maximumLargeReads) requests that read much are under way already; repeat this one in a second.")
    }
    largeReads += 1
    let read = LargeRead(of: database)
    context.progress(.calculating { read.cancel() })
    // The version is fixed: what comes behind it on its connection may change the data.
    context.progress(.tookEffect)
    let work = work ?? "reading much for \(context.original.method.rawValue) \(context.original.target)"
    let notice = loop.schedule(after: ServerEvent.slowDuration) {
      self.assumeIsolated { $0.configuration.onEvent(.working("\(work) …")) }
    }
    calculate(read, calculation) { engine, outcome in
      notice.cancel()
      engine.largeReads -= 1
      guard let outcome else { return engine.finalize(context, Self.abandoned.response()) }
      goOn(engine, outcome)
    }
  }

  /// Reads the ids and members of large collections on another thread, so that no request has to wait for that.
  func readAhead() {
    guard writes.database.hasUnreadCollections else { return }
    calculate(LargeRead(of: writes.database.copy(for: Query()))) {
      $0.readLargeCollections()
    } then: { _, _ in
    }
  }

  /// - Parameter goOn: Called without a result when the calculation has not begun.
  private func calculate<Outcome: Sendable>(
    _ read: LargeRead, _ calculation: @escaping @Sendable (inout Database) -> Outcome,
    then goOn: @escaping @Sendable (isolated Engine, Outcome?) -> Void
  ) {
    WorkerThreads.calculations.run { [loop] in
      var outcome: Outcome?
      if var database = read.take() {
        outcome = calculation(&database)
        read.put(database)
      }
      loop.execute { [outcome] in
        self.assumeIsolated { engine in
          if let database = read.take() { engine.writes.database.adopt(database) }
          goOn(engine, outcome)
        }
      }
    }
  }

  private static var abandoned: RequestError {
    RequestError(.unavailable, "The client went away before its request had begun.")
  }
}

extension Endpoint {
  /// What the first list in an order waits for, such as `indexing orders by score`; `nil` for what needs no new index.
  fileprivate func indexing(in database: Database) -> String? {
    guard case .list(let name, let parameters) = self, database.lacksOrder(of: parameters.query, in: name) else {
      return nil
    }
    return "indexing \(name) by \(parameters.query.sort.map(\.path.name).joined(separator: ", "))"
  }

  /// What it asks for, if that takes long to find; `nil` for what is found at once.
  fileprivate func largeQuery(_ database: inout Database, _ shape: ResponseShape?) -> Query? {
    let paths = shape?.paths ?? []
    return switch self {
    case .list(let name, let parameters):
      database.knows(paths, in: name) && database.isQuick(parameters.query, in: name) ? nil : parameters.query
    case .record(let name, _, let relations):
      database.knows(paths, in: name) && database.isQuick(relations, of: name) ? nil : Query(relations: relations)
    case .database, .singular, .create, .createOrMerge, .replace, .merge, .patch, .writeSingular, .changeMany, .delete:
      nil
    }
  }
}

extension Query {
  fileprivate init(relations: [RelationRequest]) {
    self.init()
    self.relations = relations
  }
}
