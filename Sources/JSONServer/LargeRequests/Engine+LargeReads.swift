import HTTPTypes
import JSONDatabase

/// Reads that take long: each happens on another thread, on the version of the data that was there when it began.
///
/// As many are under way as there are processors; further ones wait in order.
extension Engine {
  /// The most large reads of a server and its sessions that are under way or wait.
  static let maximumLargeReads = 64

  /// What a read asks for, if that takes long to find; `nil` for what is found at once.
  func largeQuery(of operation: DataOperation, _ shape: ResponseShape?) -> Query? {
    guard writes.hasLargeReads else { return nil }
    guard case .passwordsOfData = operation.hiding, let signIn else {
      return operation.endpoint.largeQuery(&writes.database, shape)
    }
    // What a user may see of all data is put together, and the users without their passwords are made once.
    guard operation.share == nil, signIn.password.isKnown else { return operation.endpoint.query ?? Query() }
    return writes.database.reading(without: &signIn.password) { operation.endpoint.largeQuery(&$0, shape) }
  }

  /// Carries a read out on another thread.
  ///
  /// - Throws: 503 when too many of them wait.
  func readAside(
    _ operation: DataOperation, _ query: Query, _ context: RequestContext, _ endpoint: Endpoint,
    _ shape: ResponseShape?, ignored: [IgnoredParameter]
  ) throws(RequestError) {
    let version = ReadVersion(writes)
    let validator = validator(of: endpoint, context)
    let view = DataView(writes.database.copy(for: query), hiding: signIn?.password ?? .nothing)
    let read = DataInTransit(view)
    let ending = operation.ending { read.isCancelled }
    let order = endpoint.missingOrder(in: writes.database)
    try calculate(for: context, on: read, finding: order, isFixed: version.isSaved) {
      view -> Result<EndpointResult, RequestError> in
      do throws(RequestError) {
        var result = try ending.perform(on: &view.database, hiding: &view.passwords)
        shape?.apply(to: &result, of: endpoint, in: &view.database)
        result.joinLargeRecord()
        return .success(result)
      } catch {
        return .failure(error)
      }
    } then: { engine, outcome in
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
  }

  /// Calculates something on another thread, and goes on with it on this one.
  ///
  /// - Parameters:
  ///   - read: A copy of the data, of which the indexes are taken over afterwards.
  ///   - finding: What it finds out first, for others too; `nil` for nothing.
  ///   - isFixed: Whether the copy is what it will be about, whatever comes behind it on its connection.
  /// - Throws: 503 when too many calculations wait.
  func calculate<Outcome: Sendable>(
    for context: RequestContext, on read: DataInTransit, finding: AwaitedFindings.Finding? = nil, isFixed: Bool = true,
    _ calculation: @escaping @Sendable (inout DataView) -> Outcome,
    then goOn: @escaping @Sendable (isolated Engine, Outcome) -> Void
  ) throws(RequestError) {
    guard sessions.largeReads < Self.maximumLargeReads else {
      throw RequestError(
        .busy, "\(Self.maximumLargeReads) requests that read much are under way already; repeat this one in a second.")
    }
    sessions.largeReads += 1
    context.progress(.calculating { read.cancel() })
    // One that may begin again, since what it shows may be taken back, must not meet a write from behind it then.
    if isFixed { context.progress(.tookEffect) }
    if let finding { awaited.begin(finding) }
    let notice = scheduleNotice(finding?.work, or: "reading much", for: context)
    calculate(read, calculation) { engine, outcome in
      notice.cancel()
      engine.sessions.largeReads -= 1
      if let outcome { goOn(engine, outcome) } else { engine.finalize(context, Self.abandoned.response()) }
      if let finding { engine.endAwaiting(finding) }
    }
  }

  /// Reads the ids and members of large collections on another thread, so that no request has to wait for that.
  func readAhead() {
    guard writes.database.hasUnreadCollections else { return }
    guard !awaited.isUnderWay(.ids) else {
      awaited.isOutdated = true
      return
    }
    awaited.begin(.ids)
    let view = DataView(writes.database.copy(for: Query()), hiding: signIn?.password ?? .nothing)
    calculate(DataInTransit(view)) { view in
      view.database.readLargeCollections()
      view.database.reading(without: &view.passwords) { $0.readLargeCollections() }
    } then: { engine, _ in
      engine.shareReading()
      let isOutdated = engine.awaited.isOutdated
      engine.awaited.isOutdated = false
      engine.endAwaiting(.ids)
      if isOutdated { engine.readAhead() }
    }
  }

  /// - Parameter goOn: Called without a result when nobody wants one any more.
  private func calculate<Outcome: Sendable>(
    _ read: DataInTransit, _ calculation: @escaping @Sendable (inout DataView) -> Outcome,
    then goOn: @escaping @Sendable (isolated Engine, Outcome?) -> Void
  ) {
    WorkerThreads.calculations.run { [loop] in
      var outcome: Outcome?
      if var view = read.take() {
        outcome = calculation(&view)
        read.put(consume view)
      }
      loop.execute { [outcome] in
        self.assumeIsolated { engine in
          if var view = read.take() {
            engine.writes.database.adopt(&view.database)
            engine.signIn?.password.adopt(&view.passwords)
          }
          goOn(engine, read.isCancelled ? nil : outcome)
        }
      }
    }
  }

  private static var abandoned: RequestError {
    RequestError(.unavailable, "The client went away before its response was there.")
  }
}

extension Endpoint {
  /// What the first list in an order waits for, such as `indexing orders by score`; `nil` for what needs no new index.
  func missingOrder(in database: Database) -> AwaitedFindings.Finding? {
    guard case .list(let name, let parameters) = self, database.lacksOrder(of: parameters.query, in: name) else {
      return nil
    }
    return .order(of: name, by: parameters.query.sort)
  }

  /// The query of a list; `nil` for what is no list.
  fileprivate var query: Query? {
    if case .list(_, let parameters) = self { parameters.query } else { nil }
  }

  /// What it asks for, if that takes long to find; `nil` for what is found at once.
  fileprivate func largeQuery(_ database: inout Database, _ shape: ResponseShape?) -> Query? {
    let paths = shape?.paths ?? []
    return switch self {
    case .list(let name, let parameters):
      database.knows(paths, in: name) && database.isQuick(parameters.query, in: name) ? nil : parameters.query
    case .record(let name, let id, let relations):
      database.knows(paths, in: name) && database.isQuick(relations, of: id, in: name)
        ? nil : Query(relations: relations)
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
