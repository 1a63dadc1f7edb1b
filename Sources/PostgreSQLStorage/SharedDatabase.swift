#if PostgreSQL
  import Dispatch
  import NIOConcurrencyHelpers
  import OrderedJSON

  /// A database that several servers share.
  ///
  /// One connection is for commits, one for reading and notices, one for what servers share besides the data. Each blocks a
  /// queue of its own, never the caller.
  package final class SharedDatabase: Sendable {
    private let commits: CommitChannel
    private let reads: ReadChannel
    let simulation: SimulationChannel
    private let base: NIOLockedValueBox<Int>
    private let newest: NIOLockedValueBox<Int>
    private let currentFailure: NIOLockedValueBox<DatabaseFailure?>

    /// Creates the connections of a server whose data is of a version; they are made when they are needed.
    ///
    /// - Parameters:
    ///   - onChanges: Called with what others have written between two versions, on any thread.
    ///   - onFailure: Called when the database cannot be reached any more, and with `nil` when it is again.
    package init(
      _ address: DatabaseAddress, version: Int,
      onChanges: @escaping @Sendable (ForeignChanges, _ since: Int, _ version: Int) -> Void,
      onFailure: @escaping @Sendable (DatabaseFailure?) -> Void
    ) {
      base = NIOLockedValueBox(version)
      newest = NIOLockedValueBox(version)
      currentFailure = NIOLockedValueBox(nil)
      commits = CommitChannel(address, version: base)
      simulation = SimulationChannel(address)
      reads = ReadChannel(
        address, version: base, newest: newest, failure: currentFailure, onChanges: onChanges, onFailure: onFailure)
      reads.start()
    }

    /// The version that the server's data is built on; -1 after a commit whose outcome is unknown.
    package var version: Int { base.withLockedValue { $0 } }

    /// The newest version that was seen.
    package var newestVersion: Int { newest.withLockedValue { $0 } }

    /// Builds further commits on a version that was taken over.
    package func adopt(_ version: Int) {
      base.withLockedValue { $0 = version }
    }

    /// Why the database cannot be reached; `nil` while it can.
    package var failure: DatabaseFailure? { currentFailure.withLockedValue { $0 } }

    /// Commits onto the version that the data is built on.
    ///
    /// - Parameter completion: Called once, on any thread.
    package func commit(_ commit: StoredCommit, completion: @escaping @Sendable (CommitResult) -> Void) {
      commits.commit(commit, completion: completion)
    }

    /// Gives up the turn that a commit kept which was overtaken.
    package func releaseTurn() { commits.releaseTurn() }

    /// Finds out which version is the newest, and reports what others have written up to it.
    ///
    /// - Parameter completion: Called once, on any thread.
    package func check(_ completion: @escaping @Sendable (Result<Int, DatabaseFailure>) -> Void) {
      if let failure { return completion(.failure(failure)) }
      reads.check(completion)
    }

    /// Disconnects. Blocks until what is in progress has ended.
    package func close() {
      reads.close()
      commits.close()
      simulation.close()
    }

    // MARK: Without a server

    /// Makes the tables where there are none, fills them if they are empty, and reads everything. Blocks.
    ///
    /// - Parameter seed: What empty tables are filled with; asked for only then.
    /// - Returns: What is there now, and whether that is the seed.
    package static func prepare(
      _ address: DatabaseAddress, seed: () throws -> StoredDatabase?
    ) throws -> (database: LoadedDatabase, isSeeded: Bool) {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      let isEmpty = try connection.run("SELECT count(*) FROM resource", []).integer(0, 0) == 0
      var isSeeded = false
      if isEmpty, let seed = try seed() { isSeeded = try write(seed, on: connection, replacing: false) }
      try keepInitial(on: connection)
      return (try connection.load(isInTransaction: false), isSeeded)
    }

    /// Fills a database. Blocks.
    ///
    /// - Parameter replacing: Whether data that is there is replaced.
    /// - Returns: Whether it was filled.
    package static func fill(
      _ address: DatabaseAddress, with database: StoredDatabase, replacing: Bool
    ) throws(DatabaseFailure) -> Bool {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      return try write(database, on: connection, replacing: replacing)
    }

    /// Reads all data. Blocks.
    package static func load(_ address: DatabaseAddress) throws(DatabaseFailure) -> LoadedDatabase {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      return try connection.load(isInTransaction: false)
    }

    /// Has a reset go back to the data as it is, where users of the database have filled it.
    private static func keepInitial(on connection: Connection) throws(DatabaseFailure) {
      guard try !connection.hasInitial() else { return }
      do throws(DatabaseFailure) {
        _ = try connection.takeTurn(deadline: .seconds(60))
        let isEmpty = try connection.run("SELECT count(*) FROM resource", []).integer(0, 0) == 0
        let isKept = try connection.hasInitial()
        if !isEmpty, !isKept { try connection.keepInitial() }
        try connection.run("COMMIT", deadline: .seconds(600))
      } catch {
        if !connection.isLost { _ = try? connection.run("ROLLBACK") }
        throw error
      }
    }

    private static func write(
      _ database: StoredDatabase, on connection: Connection, replacing: Bool
    ) throws(DatabaseFailure) -> Bool {
      do throws(DatabaseFailure) {
        let version = try connection.takeTurn(deadline: .seconds(60))
        let count = try connection.run("SELECT count(*) FROM resource", []).integer(0, 0) ?? 0
        let isWanted = replacing || count == 0
        if isWanted {
          try connection.replaceAll(database, onto: version, id: "import")
          try connection.keepInitial()
        }
        try connection.run("COMMIT", deadline: .seconds(600))
        return isWanted
      } catch {
        if !connection.isLost { _ = try? connection.run("ROLLBACK") }
        throw error
      }
    }
  }
#endif
