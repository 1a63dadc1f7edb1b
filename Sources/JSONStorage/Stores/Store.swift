import Dispatch
package import JSONDatabase
package import JSONServerValues

/// Stores the versions of a database: in a file, in the files of a directory, or in a database that several servers
/// share.
///
/// All completions are called once, on any thread.
package protocol Store: Sendable {
  /// Whether only users can add and remove resources, because each resource is a file.
  var hasFixedResources: Bool { get }

  /// Whether the store keeps copies of replaced versions.
  var hasHistory: Bool { get }

  /// Makes a version durable, unless somebody else has written since the last version that the store knows.
  ///
  /// - Parameters:
  ///   - base: The version before, which is durable.
  ///   - resources: The positions of resources whose files are written even if the version before has the same content:
  ///     the files may hold something else by now.
  ///   - state: The changes of the state that servers share in addition to the data; empty when they share none.
  ///   - age: How long the oldest of the writes has waited.
  func commit(
    _ version: Database, after base: Database, writing resources: Set<Int>, _ state: [ServerState.Row], age: Duration,
    completion: @escaping @Sendable (CommitResult) -> Void)

  /// Bases all further commits on a loaded version.
  func adopt(_ source: LoadedSource)

  /// Copies a version to the history before it is replaced; fails for a store without a history.
  ///
  /// - Parameters:
  ///   - part: The resource whose file is replaced; `nil` for all data.
  ///   - completion: Called with the path of the copy, or of one of several copies.
  func saveHistory(
    of database: Database, part: String?,
    completion: @escaping @Sendable (Result<String, StorageError>) -> Void
  )

  /// Writes a version to another file, atomically.
  ///
  /// - Parameter completion: Called with the path of the file.
  func writeCopy(
    _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void)

  /// Checks the files a last time, and reports edits that were not noticed yet. Blocks until that is done.
  ///
  /// - Returns: The reasons why files do not hold the served data, by resource; with an empty name for a file of all
  ///   resources.
  func look() -> [String: String]

  /// Finishes the work in progress and closes the store. Blocks until that is done.
  func close()

  // MARK: What several servers write

  /// Whether other servers write the data, too, so that the store keeps the state beside the data.
  ///
  /// After a commit with the result `moved`, a server of such a store keeps the turn: nobody else writes until its next
  /// commit, or until ``releaseTurn()``, so the repeated commit cannot collide again.
  var isShared: Bool { get }

  /// The number of the version on which further commits are based, where versions have one; negative after a commit
  /// with an unknown outcome.
  var version: Int { get }

  /// The state of the connection to a database; `nil` for files.
  var connection: ConnectionState? { get }

  /// Takes the turn for the next commit. The result is `moved`, even when nobody else has written, or a failure.
  ///
  /// - Parameter age: How long the oldest of the writes has waited.
  func takeTurn(age: Duration, completion: @escaping @Sendable (CommitResult) -> Void)

  /// Lets others write again when there is nothing left to commit.
  func releaseTurn()

  /// Determines the newest version, after passing on all writes of others up to it. Fails while these cannot be served.
  func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void)
}

/// Only one server writes the data.
extension Store {
  package var hasHistory: Bool { true }
  package func look() -> [String: String] { [:] }
  package var isShared: Bool { false }
  package var version: Int { 0 }
  package var connection: ConnectionState? { nil }
  package func takeTurn(age: Duration, completion: @escaping @Sendable (CommitResult) -> Void) { completion(.done) }
  package func releaseTurn() {}
  package func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void) {
    completion(.success(version))
  }
}

/// The connection of a store to the database that several servers share.
package struct ConnectionState: Sendable {
  /// The number of versions by which the newest known version is ahead.
  package let behind: Int
  /// The reason why the database cannot be reached; `nil` when it can.
  package let failure: StorageError?
  /// The reason why nobody can write, although the database can be reached; `nil` when writing works.
  package let stall: String?

  package init(behind: Int, failure: StorageError?, stall: String?) {
    (self.behind, self.failure, self.stall) = (behind, failure, stall)
  }
}

/// A store that keeps named snapshots of the data itself.
package protocol SnapshotStore: Store {
  /// Lists, saves, restores or removes snapshots; passes on the snapshots of the action, none if there is no such snapshot.
  func snapshots(
    _ action: SnapshotAction, completion: @escaping @Sendable (Result<[SnapshotEntry], StorageError>) -> Void)
}

/// What to do with the named snapshots.
package enum SnapshotAction: Sendable {
  /// Lists all, oldest first.
  case list
  /// Saves the current data; `nil` for the next free name of `snapshot-1`, `snapshot-2`, ….
  case save(String?)
  /// Restores a snapshot; `nil` for the data of a reset.
  case restore(String?)
  case remove(String)
}

/// An opened source: its content, and the store of its changes.
package struct OpenedSource: Sendable {
  /// The store; `nil` for a source in memory.
  package let store: (any Store)?
  package let database: Database
  /// Warnings for the user.
  package let warnings: [String]
  /// The state that servers share in addition to the data; `nil` where they share none.
  package let state: [ServerState.Row]?

  package init(store: (any Store)?, database: Database, warnings: [String], state: [ServerState.Row]? = nil) {
    self.store = store
    self.database = database
    self.warnings = warnings
    self.state = state
  }
}

/// What was read from a source.
package enum LoadedSource: Sendable {
  /// A file, opened or edited: the author of an edit may not know the version that the server has.
  case file(LoadedFile)
  /// A version of other servers: they knew the version on which it is based.
  case newer(NewerVersion)

  package var file: LoadedFile? { if case .file(let file) = self { file } else { nil } }
}

/// The content of a file.
package struct LoadedFile: Sendable {
  package enum Content: Sendable {
    /// The whole database.
    case whole(Database)
    /// The resource of one file of several.
    case part(DatabasePart)
    /// The text of a file that is no data, such as a stubs file.
    case text(UTF8Slice)
  }

  package let content: Content
  /// The number of edits of the file up to this version.
  package let generation: Int

  package init(_ content: Content, generation: Int) {
    self.content = content
    self.generation = generation
  }

  /// The file's resource; empty when the file holds the whole database.
  package var name: String { part?.name ?? "" }

  /// The resource of one file of several; `nil` for the whole database.
  package var part: DatabasePart? { if case .part(let part) = content { part } else { nil } }

  /// Whether loading the content takes noticeably long.
  package var isLarge: Bool {
    switch content {
    case .whole(let database): !database.isSmall
    case .part(let part): part.isLarge
    case .text: false
    }
  }

  /// The database with the loaded content in place of the old one.
  package func applied(to database: Database, ids: IDGenerator) -> Database {
    switch content {
    case .whole(let whole): return whole
    case .part(let part):
      var database = database
      database.replace(with: part, ids: ids)
      return database
    case .text: return database
    }
  }
}

/// A version of a database that several servers share, with the writes of other servers.
package struct NewerVersion: Sendable {
  /// The whole database. Unless everything was read, it shares all unchanged records with the version ``since``.
  package let database: Database
  /// The number of the version.
  package let number: Int
  /// The version since which it has the writes of other servers; `nil` when everything was read.
  package let since: Int?
  /// The id that distinguishes two versions of the same number.
  package let commitID: String?
  /// The changes of the shared state; the complete state when everything was read.
  package let state: [ServerState.Row]
  /// The reason why a record of others is not served; `nil` for none.
  package let problem: String?

  package init(
    _ database: Database, number: Int, since: Int?, commitID: String?, state: [ServerState.Row] = [],
    problem: String? = nil
  ) {
    self.database = database
    self.number = number
    self.since = since
    self.commitID = commitID
    self.state = state
    self.problem = problem
  }
}

/// An entry in the list of snapshots.
package struct SnapshotEntry: Sendable {
  package let name: String
  /// The time of the snapshot, in seconds since 1970.
  package let time: Double

  package init(name: String, time: Double) {
    self.name = name
    self.time = time
  }
}
