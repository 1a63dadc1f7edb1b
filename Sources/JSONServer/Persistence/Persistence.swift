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

  /// Copies a version that is about to be replaced into the history.
  ///
  /// - Parameters:
  ///   - part: The resource whose file is replaced; `nil` when all data is.
  ///   - completion: Called once, on any thread, with the path of the copy (one of them, when there are several).
  func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Writes a version to another file, and tells where.
  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Finishes what is under way and lets go of the files. Blocks until that is done.
  func close()
}

/// A source that was opened: what it holds and what keeps its changes.
struct OpenedSource: Sendable {
  /// `nil` for a source in memory.
  let persistence: (any Persistence)?
  let database: Database
  /// What a person should know.
  let warnings: [String]
}

/// How a commit ended.
enum Commit: Sendable {
  /// The version is as durable as was asked for.
  case done
  /// Someone edited the file meanwhile; nothing was written.
  case edited(LoadedSource)
  /// Nothing was written, except when the error's code is `durabilityUnknown`.
  case failed(StorageError)
}

extension Commit {
  init(_ publication: Publication<some SourceFile>) {
    switch publication {
    case .published: self = .done
    case .edited(let version): self = .edited(version.loaded)
    case .failed(let error): self = .failed(error)
    }
  }
}
