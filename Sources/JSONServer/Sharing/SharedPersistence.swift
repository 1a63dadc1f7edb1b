import JSONStorage

/// Keeps a database that other servers write, too.
///
/// A commit that ends as `edited` keeps the turn: until the next commit, or ``releaseTurn()``, nobody else writes, so
/// that what is carried out again cannot collide once more.
protocol SharedPersistence: Persistence, SharedSimulation {
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
}

extension SharedPersistence {
  var hasFixedResources: Bool { false }
}
