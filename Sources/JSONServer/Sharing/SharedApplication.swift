import JSONStorage

/// Brings the data up to date before requests are carried out, where servers share it.
///
/// The application wraps the engine, so that a server of a file has no such check.
struct SharedApplication: Application {
  private let engine: Engine
  /// The freshness of the data that reads return.
  private let reads: Reads

  init(engine: Engine, reads: Reads) {
    self.engine = engine
    self.reads = reads
  }

  func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping Reply
  ) {
    // The admin interface needs no database.
    guard reads == .linearizable, !isAdministrative(request) else {
      return engine.respond(to: request, progress: progress, reply: reply)
    }
    let work: ReadIndex.Work = { engine, failure in
      guard let failure else { return engine.respond(to: request, progress: progress, reply: reply) }
      let context = RequestContext(
        request, preprocessed: request, target: .none, mountedTarget: request.target, ignoresCase: engine.ignoresCase,
        reply: reply)
      engine.finalize(context, RequestError(failure).response())
    }
    engine.assumeIsolated { $0.writes.readIndex.whenCurrent(on: $0, work) }
  }

  func isAdministrative(_ request: Request) -> Bool { engine.isAdministrative(request) }
}
