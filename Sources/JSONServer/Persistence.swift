import JSONDatabase
import JSONStorage

/// Where a server's changes are kept.
protocol Persistence: Sendable {
  /// Whether resources come and go only from outside, because each is a file.
  var hasFixedResources: Bool { get }

  /// Makes a version durable.
  ///
  /// - Parameters:
  ///   - database: The version.
  ///   - resources: The places of the resources that changed since the version before.
  ///   - completion: Called once, on any thread.
  func commit(_ database: Database, resources: Set<Int>, completion: @escaping @Sendable (Commit) -> Void)

  /// Takes note that what is committed from now on is built on a version that was read.
  func adopt(_ source: LoadedSource)

  /// Keeps a version that an edit is about to replace, and tells where.
  func keep(
    _ database: Database, replacedBy source: LoadedSource,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Writes a version to another file, and tells where.
  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Finishes what is under way and lets go of the files. Blocks until that is done.
  func close()
}
