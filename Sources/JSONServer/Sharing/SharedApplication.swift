import HTTPTypes
import JSONStorage

/// Has requests meet data that is current, where other servers write it, too.
///
/// It stands before the engine, so that a server of a file has nothing to ask.
struct SharedApplication: Application {
  let engine: Engine
  /// What reads show.
  let reads: Reads

  func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    engine.assumeIsolated { engine in
      // What is asked about the server itself has an answer without the database.
      guard !engine.isAdministrative(request) else {
        return engine.respond(to: request, progress: progress, reply: reply)
      }
      let work: ReadIndex.Work = { engine, failure in
        guard let failure else { return engine.respond(to: request, progress: progress, reply: reply) }
        engine.refuse(request, because: RequestError(failure), reply: reply)
      }
      if request.mayWrite, engine.writes.turns.isContended {
        engine.writes.whenInTurn(on: engine, work)
      } else if reads == .linearizable {
        engine.writes.whenCurrent(on: engine, work)
      } else {
        work(engine, nil)
      }
    }
  }
}

extension Engine {
  fileprivate func isAdministrative(_ request: Request) -> Bool {
    let path = request.target.prefix { $0 != "?" }
    let root = "\(mount.path)/\(AdminRoute.root)"
    return path == root || path.hasPrefix(root + "/")
  }

  fileprivate func refuse(
    _ request: Request, because error: RequestError, reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    let context = RequestContext(
      request, preprocessed: request, target: .none, mountedTarget: request.target, ignoresCase: ignoresCase,
      reply: reply)
    finalize(context, error.response())
  }
}

extension Request {
  fileprivate var mayWrite: Bool { method != .get && method != .head && method != .options }
}
