import Dispatch
package import JSONDatabase

/// Keeps the versions of a database: in a file, in the files of a directory, or in a database that several servers share.
///
/// All completions are called once, on any thread.
package protocol Store: Sendable {
  /// Whether resources come and go only from outside, because each is a file.
  var hasFixedResources: Bool { get }

  /// Makes a version durable, if nobody else has written since the last one that the store knows.
  ///
  /// - Parameters:
  ///   - base: The version before, which is.
  ///   - state: What changed of what servers share besides the data; nothing where they share none.
  func commit(
    _ version: Database, after base: Database, _ state: [ServerState.Row],
    completion: @escaping @Sendable (CommitResult) -> Void)

  /// Bases all further commits on a version that was read.
  func adopt(_ source: LoadedSource)

  /// Copies a version that is about to be replaced into the history.
  ///
  /// - Parameters:
  ///   - part: The resource whose file is replaced; `nil` when all data is.
  ///   - completion: Given the path of the copy (one of them, when there are several).
  func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  )

  /// Writes a version to another file, atomically.
  ///
  /// - Parameter completion: Given the path of the file.
  func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Looks at the files a last time, and hands out edits of them that were not noticed yet. Blocks until that is done.
  ///
  /// - Returns: Why a file does not hold what is served, by its resource; empty for the file of all.
  func look() -> [String: String]

  /// Finishes what is in progress and closes the store. Blocks until that is done.
  func close()
}

extension Store {
  /// Nothing is edited but through the servers.
  package func look() -> [String: String] { [:] }
}

/// A store that other servers write, too.
///
/// A commit that ends as `moved` keeps the turn: until the next commit, or ``releaseTurn()``, nobody else writes, so
/// that what is carried out again cannot collide once more.
package protocol SharedStore: Store {
  /// The version that further commits build on; a negative one after a commit whose outcome is unknown.
  var version: Int { get }

  /// How many versions the newest one is ahead of that, as far as is known.
  var behind: Int { get }

  /// Why the store cannot be reached now; `nil` while it can.
  var failure: StorageError? { get }

  /// Why nobody can write now, although the store is reached; `nil` while one can.
  var stall: String? { get }

  /// Takes the turn for the next commit, which keeps it as one that ended as `moved` does.
  ///
  /// - Parameters:
  ///   - mark: Called when the turn is there, on any thread.
  ///   - completion: Given what `mark` returned and what others have written, perhaps nothing.
  func takeTurn(
    mark: @escaping @Sendable () -> Int,
    completion: @escaping @Sendable (Int, Result<LoadedSource, StorageError>) -> Void)

  /// Lets others write again when nothing is left to commit.
  func releaseTurn()

  /// Finds out which version is the newest, and hands over first what others have written up to it; fails while that cannot
  /// be served.
  func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void)

  // MARK: Snapshots

  /// The snapshots that have a name, oldest first.
  func snapshots(_ completion: @escaping @Sendable (Result<[SnapshotEntry], StorageError>) -> Void)

  /// Keeps the data as it is; passes on the snapshot's name.
  ///
  /// - Parameter name: `nil` for the next of `snapshot-1`, `snapshot-2`, … that is free.
  func saveSnapshot(named name: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Brings the data back to a snapshot; passes on whether there is such a one.
  ///
  /// - Parameter name: `nil` for what a reset goes back to.
  func restoreSnapshot(named name: String?, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void)

  /// Removes a snapshot; passes on whether it was there.
  func removeSnapshot(_ name: String, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void)
}

extension SharedStore {
  package var hasFixedResources: Bool { false }

  package func saveHistory(
    of database: Database, part: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    completion(.failure(StorageError(.unavailable, "What servers share has no history of files.")))
  }

  package func snapshot(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  ) {
    text.write(to: path, completion: completion)
  }
}

/// A source that was opened: what it holds and what keeps its changes.
package struct OpenedSource: Sendable {
  /// `nil` for a source in memory.
  package let store: (any Store)?
  package let database: Database
  /// Warnings for a person.
  package let warnings: [String]
  /// The state that servers share besides the data.
  package let state: [ServerState.Row]

  package init(store: (any Store)?, database: Database, warnings: [String], state: [ServerState.Row] = []) {
    self.store = store
    self.database = database
    self.warnings = warnings
    self.state = state
  }
}

/// How a commit ended.
package enum CommitResult: Sendable {
  /// The version is as durable as was requested.
  case done
  /// Somebody else has written; nothing was written here.
  case moved(to: LoadedSource)
  /// Nothing was written, except when the error's code is `durabilityUnknown`.
  case failed(StorageError)
}

/// The content of a source, or of one file of it.
package struct LoadedSource: Sendable {
  package enum Content: Sendable {
    /// The whole database.
    case whole(Database)
    /// The resource of one file of several.
    case part(DatabasePart)
    /// The writes of other servers since a generation.
    case rows([PlacedRow], since: Int)
  }

  package let content: Content
  /// How many edits from outside the file has seen up to this version; the version, where servers share it.
  package let generation: Int
  /// The changes of the state that servers share besides the data; all of it beside the whole database.
  package let state: [ServerState.Row]
  /// The id that tells it from another version of the same generation, where servers share it.
  package let commitID: String?

  package init(_ content: Content, generation: Int, state: [ServerState.Row] = [], commitID: String? = nil) {
    self.content = content
    self.generation = generation
    self.state = state
    self.commitID = commitID
  }

  /// The file's resource; empty when the file holds the whole database.
  package var name: String {
    switch content {
    case .whole, .rows: ""
    case .part(let part): part.name
    }
  }

  /// Whether it holds so much that taking it over takes noticeably long.
  package var isLarge: Bool {
    switch content {
    case .whole(let database): !database.isSmall
    case .part(let part): part.isLarge
    case .rows: false
    }
  }

  /// Whether nobody has written since the version before.
  package var isUnchanged: Bool {
    switch content {
    case .rows(_, let since): generation == since
    case .whole, .part: false
    }
  }

  /// The database with what was read in its place.
  package func applied(to database: Database, ids: IDGenerator) -> Database {
    switch content {
    case .whole(let whole): return whole
    case .part(let part):
      var database = database
      database.replace(with: part, ids: ids)
      return database
    // Only what is shared is told in rows, and taken over in place.
    case .rows: return database
    }
  }
}

/// A change of a source from outside.
package enum SourceEdit: Sendable {
  case changed(LoadedSource)
  /// The content of the source cannot be served.
  case invalid(StorageError)
  case restored(path: String)
  case deleted(path: String)
  /// An editor saved to a version that had been replaced already; its text is kept at a path.
  case conflict(path: String)
  /// The text of such a save could not be kept.
  case conflictLost(StorageError)
}

/// A version of the data that is kept by name, as it is listed.
package struct SnapshotEntry: Sendable {
  package let name: String
  /// When it was kept, in seconds since 1970.
  package let time: Double

  package init(name: String, time: Double) {
    self.name = name
    self.time = time
  }
}
