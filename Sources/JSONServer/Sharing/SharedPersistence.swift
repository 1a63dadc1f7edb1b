import HTTPTypes
import JSONStorage

/// Keeps a database that other servers write, too.
///
/// A commit that ends as `edited` keeps the turn: until the next commit, or ``releaseTurn()``, nobody else writes, so
/// that what is carried out again cannot collide once more.
protocol SharedPersistence: Persistence {
  /// The version that further commits build on; a negative one after a commit whose outcome is unknown.
  var version: Int { get }

  /// Why the database cannot be reached now; `nil` while it can.
  var failure: StorageError? { get }

  /// Why nobody can write now, although the database is reached; `nil` while one can.
  var stall: String? { get }

  /// How many versions the newest one is ahead of that, as far as is known.
  var behind: Int { get }

  /// Takes the turn for the next commit, which keeps it as one that ended as `edited` does.
  ///
  /// - Parameters:
  ///   - mark: Called when the turn is there, on any thread.
  ///   - completion: Called once, on any thread, with what `mark` returned and what others have written.
  func takeTurn(
    mark: @escaping @Sendable () -> Int,
    completion: @escaping @Sendable (Int, Result<LoadedSource, StorageError>) -> Void)

  /// Lets others write again when nothing is left to commit.
  func releaseTurn()

  /// Finds out which version is the newest, and hands over first what others have written up to it; fails while that cannot
  /// be served.
  ///
  /// - Parameter completion: Called once, on any thread.
  func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void)

  // MARK: Snapshots. Completions are called once, on any thread.

  /// The snapshots, oldest first.
  func snapshots(_ completion: @escaping @Sendable (Result<[Snapshots.Entry], StorageError>) -> Void)

  /// Keeps the data as it is in the database; passes on the snapshot's name.
  ///
  /// - Parameter name: `nil` for the next of `snapshot-1`, `snapshot-2`, … that is free.
  func saveSnapshot(named name: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Brings the data in the database back to a snapshot; passes on whether there is such a one.
  ///
  /// - Parameter name: `nil` for what a reset goes back to.
  func restoreSnapshot(named name: String?, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void)

  /// Removes a snapshot; passes on whether it was there.
  func removeSnapshot(_ name: String, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void)
}

extension SharedPersistence {
  var hasFixedResources: Bool { false }
}

/// Has requests meet data that is current, where other servers write it, too.
///
/// It stands before the engine, so that a server of a file has nothing to ask.
struct SharedApplication: Application {
  private let engine: Engine
  /// What reads show.
  private let reads: Reads
  /// The path of what is asked about the server itself, which has an answer without the database.
  private let administrativePath: String

  init(engine: Engine, reads: Reads) {
    self.engine = engine
    self.reads = reads
    administrativePath = "\(engine.mount.path)/\(AdminRoute.root)"
  }

  func respond(
    to request: Request, progress: @escaping @Sendable (RequestProgress) -> Void,
    reply: @escaping @Sendable (PreparedResponse) -> Void
  ) {
    let mayWrite = request.method != .get && request.method != .head && request.method != .options
    guard mayWrite || reads == .linearizable, !isAdministrative(request) else {
      return engine.respond(to: request, progress: progress, reply: reply)
    }
    let work: ReadIndex.Work = { engine, failure in
      guard let failure else { return engine.respond(to: request, progress: progress, reply: reply) }
      let context = RequestContext(
        request, preprocessed: request, target: .none, mountedTarget: request.target, ignoresCase: engine.ignoresCase,
        reply: reply)
      engine.finalize(context, RequestError(failure).response())
    }
    engine.assumeIsolated { engine in
      // Behind a large write it only waits, and needs no turn of its own.
      if mayWrite, engine.writes.turns.isContended, engine.writes.largeWrite == nil {
        engine.writes.whenInTurn(on: engine, work)
      } else if reads == .linearizable {
        engine.writes.whenCurrent(on: engine, work)
      } else {
        work(engine, nil)
      }
    }
  }

  private func isAdministrative(_ request: Request) -> Bool {
    guard request.target.hasPrefix(administrativePath) else { return false }
    let rest = request.target.utf8.dropFirst(administrativePath.utf8.count)
    return rest.first.map { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? true
  }
}
