#if PostgreSQL
  package import JSONDatabase

  /// A database that several servers share.
  ///
  /// One connection is for commits, one for reading and notices, and one for snapshots. Each blocks a thread of its own, never
  /// the caller.
  package final class SharedDatabase: Sendable {
    private let commits: CommitChannel
    private let reads: ReadChannel
    private let snapshotChannel: SnapshotChannel
    private let versions: SharedVersions

    /// Creates the connections of a server whose data is of a version; the one for commits is made when it is needed.
    ///
    /// - Parameters:
    ///   - onChanges: Called with what others have written that can be served, on any thread.
    ///   - onFailure: Called when the database cannot be reached any more, and with `nil` when it is again.
    /// - Throws: ``DatabaseFailure`` when the process has no file descriptors left.
    package init(
      _ address: DatabaseAddress, _ schema: Schema, loaded: LoadedDatabase,
      onChanges: @escaping @Sendable (ForeignWrites) -> Void,
      onFailure: @escaping @Sendable (DatabaseFailure?) -> Void
    ) throws(DatabaseFailure) {
      versions = SharedVersions(loaded.version, id: loaded.commitID, schema)
      commits = CommitChannel(address, versions)
      snapshotChannel = SnapshotChannel(address, versions)
      reads = try ReadChannel(address, versions: versions, onChanges: onChanges, onFailure: onFailure)
    }

    /// The version that the server's data is built on; -1 when it is not known to be one of the database.
    package var version: Int { versions.base }

    /// The newest version that was seen.
    package var newestVersion: Int { versions.newest }

    /// Builds further commits on a version that was taken over.
    ///
    /// - Parameter commitID: Of the commit that made it.
    package func adopt(_ version: Int, commitID: String?) {
      versions.build(on: version, id: commitID)
    }

    /// Why the database cannot be reached; `nil` while it can.
    package var failure: DatabaseFailure? { versions.failure }

    /// Since when nobody could write, because one transaction has the turn; `nil` while one can.
    package var stall: ContinuousClock.Instant? { versions.stall }

    /// Commits onto the version that the data is built on.
    ///
    /// - Parameters:
    ///   - state: What changed of what servers share besides the data.
    ///   - completion: Called once, on any thread.
    package func commit(
      _ version: Database, after base: Database, _ state: [ServerState.Row],
      completion: @escaping @Sendable (CommitResult) -> Void
    ) {
      versions.addCommit(1)
      let commit = version.placedRows(since: base).map(StoredCommit.rows) ?? .whole(version)
      commits.commit(commit, state) { [self] result in
        versions.addCommit(-1)
        completion(result)
        switch result {
        case .overtaken: break
        case .done, .failed, .unknown: reads.catchUp()
        }
      }
    }

    /// Takes the turn for the next commit, so that it cannot be overtaken, and finds out what others have written.
    ///
    /// - Parameters:
    ///   - mark: Called when the turn is there, on any thread.
    ///   - completion: Called once, on any thread, with what `mark` returned and what others have written, perhaps nothing.
    package func takeTurn(
      mark: @escaping @Sendable () -> Int,
      completion: @escaping @Sendable (Int, Result<ForeignWrites, DatabaseFailure>) -> Void
    ) {
      if let failure { return completion(mark(), .failure(failure)) }
      versions.addTurn(1)
      commits.takeTurn(mark: mark) { [self] number, result in
        versions.addTurn(-1)
        completion(number, result)
        if case .failure = result { reads.catchUp() }
      }
    }

    /// Gives up the turn that is kept for the next commit.
    package func releaseTurn() { commits.releaseTurn() }

    /// Finds out which version is the newest, and reports what others have written up to it.
    ///
    /// - Parameter completion: Called once, on any thread.
    package func check(_ completion: @escaping @Sendable (Result<Int, DatabaseFailure>) -> Void) {
      if let failure, !versions.isReached { return completion(.failure(failure)) }
      reads.check(completion)
    }

    // MARK: Snapshots

    /// The snapshots that have a name, oldest first, each with milliseconds since 1970.
    package func snapshots(
      _ completion: @escaping @Sendable (Result<[(name: String, milliseconds: Int)], DatabaseFailure>) -> Void
    ) {
      onSnapshots(completion) { connection throws(DatabaseFailure) in try connection.snapshots() }
    }

    /// Keeps the data as it is; passes on the snapshot's name.
    ///
    /// - Parameter name: `nil` for the next of `snapshot-1`, `snapshot-2`, … that is free.
    package func saveSnapshot(
      named name: String?, completion: @escaping @Sendable (Result<String, DatabaseFailure>) -> Void
    ) {
      onSnapshots(completion) { connection throws(DatabaseFailure) in try connection.saveSnapshot(named: name) }
    }

    /// Brings the data back to a snapshot; passes on whether there is such a one.
    ///
    /// - Parameter name: `nil` for what a reset goes back to.
    package func restoreSnapshot(
      named name: String?, completion: @escaping @Sendable (Result<Bool, DatabaseFailure>) -> Void
    ) {
      onSnapshots(completion) { connection throws(DatabaseFailure) in try connection.restoreSnapshot(named: name) }
    }

    /// Removes a snapshot; passes on whether it was there.
    package func removeSnapshot(
      _ name: String, completion: @escaping @Sendable (Result<Bool, DatabaseFailure>) -> Void
    ) {
      onSnapshots(completion) { connection throws(DatabaseFailure) in
        try connection.run("BEGIN")
        let wasThere = try connection.removeSnapshot(name)
        try connection.commit()
        return wasThere
      }
    }

    private func onSnapshots<Success: Sendable>(
      _ completion: @escaping @Sendable (Result<Success, DatabaseFailure>) -> Void,
      _ work: @escaping @Sendable (Connection) throws(DatabaseFailure) -> Success
    ) {
      // What cannot be served can be replaced still, by a reset.
      if let failure, !versions.isReached { return completion(.failure(failure)) }
      snapshotChannel.perform(work, completion)
    }

    /// Disconnects. Blocks until what is in progress has ended.
    package func close() {
      reads.close()
      // No commit waits for others any more.
      versions.failure = DatabaseFailure(.unreachable, "The server is stopping.")
      commits.close()
      snapshotChannel.close()
    }

    // MARK: Without a server

    /// Makes the tables where there are none, fills them if they are empty, and reads everything. Blocks.
    ///
    /// - Parameter seed: What empty tables are filled with; asked for only then.
    /// - Returns: What is there now, and whether that is the seed.
    package static func prepare(
      _ address: DatabaseAddress, _ schema: Schema, seed: () throws -> Database?
    ) throws -> (database: LoadedDatabase, isSeeded: Bool) {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      let isEmpty = try connection.run("SELECT count(*) FROM resource", []).integer(0, 0) == 0
      var isSeeded = false
      if isEmpty, let seed = try seed() { isSeeded = try write(seed, on: connection, replacing: false) }
      try keepInitial(on: connection)
      return (try connection.load(schema, isInTransaction: false), isSeeded)
    }

    /// Fills a database. Blocks.
    ///
    /// - Parameter replacing: Whether data that is there is replaced.
    /// - Returns: Whether it was filled.
    package static func fill(
      _ address: DatabaseAddress, with database: Database, replacing: Bool
    ) throws(DatabaseFailure) -> Bool {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      return try write(database, on: connection, replacing: replacing)
    }

    /// Reads all data. Blocks.
    package static func load(_ address: DatabaseAddress, _ schema: Schema) throws(DatabaseFailure) -> LoadedDatabase {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      return try connection.load(schema, isInTransaction: false)
    }

    /// Has a reset go back to the data as it is, where users of the database have filled it.
    private static func keepInitial(on connection: Connection) throws(DatabaseFailure) {
      guard try !connection.hasInitial() else { return }
      try inTurn(on: connection) { _ throws(DatabaseFailure) in
        let isEmpty = try connection.run("SELECT count(*) FROM resource", []).integer(0, 0) == 0
        let isKept = try connection.hasInitial()
        if !isEmpty, !isKept { try connection.keepInitial() }
      }
    }

    private static func write(
      _ database: Database, on connection: Connection, replacing: Bool
    ) throws(DatabaseFailure) -> Bool {
      try inTurn(on: connection) { version throws(DatabaseFailure) in
        let count = try connection.run("SELECT count(*) FROM resource", []).integer(0, 0) ?? 0
        let isWanted = replacing || count == 0
        if isWanted {
          try connection.replaceAll(database, onto: version, id: CommitID.random)
          try connection.keepInitial()
        }
        return isWanted
      }
    }

    /// Does work in a transaction with the turn, which it waits for as long as a commit does.
    private static func inTurn<Success>(
      on connection: Connection, _ body: (Int) throws(DatabaseFailure) -> Success
    ) throws(DatabaseFailure) -> Success {
      let end = ContinuousClock.now + CommitChannel.patience
      while true {
        do throws(DatabaseFailure) {
          let success = try body(try connection.takeTurn(deadline: CommitChannel.deadline))
          try connection.run("COMMIT", deadline: .seconds(600))
          return success
        } catch {
          if !connection.isLost { _ = try? connection.run("ROLLBACK") }
          guard error.code == .conflict, .now < end else { throw error }
        }
      }
    }
  }
#endif
