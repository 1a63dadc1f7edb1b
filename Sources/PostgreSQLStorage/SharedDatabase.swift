#if PostgreSQL
  package import JSONDatabase
  package import JSONStorage

  /// A database that several servers share.
  ///
  /// One connection is for commits, one for reading and notices, and one for snapshots. Each blocks a thread of its own, never
  /// the caller.
  package final class SharedDatabase: SharedStore {
    private let address: DatabaseAddress
    private let commits: CommitChannel
    private let reads: ReadChannel
    private let snapshotChannel: SnapshotChannel
    private let versions: SharedVersions

    /// Opens a database, makes its tables where there are none, and reads everything. Blocks until that is done.
    ///
    /// - Parameters:
    ///   - isWritten: Whether changes go back there.
    ///   - seed: What empty tables are filled with; asked for only then.
    ///   - onEdit: Called with what others have written that can be served, on any thread.
    ///   - onWarning: Called when the database cannot be reached any more, and when it is again.
    /// - Throws: ``StorageError`` that names the address and says what to do, or what `seed` throws.
    package static func open(
      _ address: DatabaseAddress, _ schema: Schema, isWritten: Bool, hasSeed: Bool, seed: () throws -> Database?,
      onEdit: @escaping @Sendable (SourceEdit) -> Void, onWarning: @escaping @Sendable (String) -> Void
    ) throws -> OpenedSource {
      let (loaded, isSeeded) = try prepare(address, schema, seed: seed)
      let database = try loaded.database.get()
      var warnings: [String] = []
      if hasSeed, !isSeeded { warnings.append("\(address.description) holds data already; the seed is not used.") }
      if database.resourceNames.isEmpty {
        warnings.append("\(address.description) holds no data; give some with --seed, or 'swift-json-server import'.")
      }
      guard isWritten else { return OpenedSource(store: nil, database: database, warnings: warnings) }
      let store = try SharedDatabase(address, schema, loaded: loaded) {
        onEdit(.changed($0))
      } onFailure: { failure in
        onWarning(
          failure.map { "\($0.message) Until that is corrected, requests are refused with 503." }
            ?? "\(address.description) is reached again.")
      }
      return OpenedSource(store: store, database: database, warnings: warnings, state: loaded.state)
    }

    /// Creates the connections of a server whose data is of a version; the one for commits is made when it is needed.
    private init(
      _ address: DatabaseAddress, _ schema: Schema, loaded: LoadedDatabase,
      onChanges: @escaping @Sendable (LoadedSource) -> Void, onFailure: @escaping @Sendable (StorageError?) -> Void
    ) throws(StorageError) {
      self.address = address
      versions = SharedVersions(loaded.version, id: loaded.commitID, schema)
      commits = CommitChannel(address, versions)
      snapshotChannel = SnapshotChannel(address, versions)
      reads = try ReadChannel(address, versions: versions, onChanges: onChanges, onFailure: onFailure)
    }

    package var version: Int { versions.base }

    package var behind: Int { max(0, versions.newest - versions.base) }

    package var failure: StorageError? { versions.failure }

    /// Shorter ones are those of large writes.
    private static let longestStall = Duration.seconds(10)

    package var stall: String? {
      guard let stall = versions.stall, .now - stall > Self.longestStall else { return nil }
      return
        "\(address.description): nobody can write, since one transaction keeps all others from it; find it in pg_stat_activity, and end it."
    }

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
        case .moved: break
        case .done, .failed: reads.catchUp()
        }
      }
    }

    package func adopt(_ source: LoadedSource) { versions.build(on: source.generation, id: source.commitID) }

    package func takeTurn(
      mark: @escaping @Sendable () -> Int,
      completion: @escaping @Sendable (Int, Result<LoadedSource, StorageError>) -> Void
    ) {
      if let failure { return completion(mark(), .failure(failure)) }
      versions.addTurn(1)
      commits.takeTurn(mark: mark) { [self] number, result in
        versions.addTurn(-1)
        completion(number, result)
        if case .failure = result { reads.catchUp() }
      }
    }

    package func releaseTurn() { commits.releaseTurn() }

    package func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void) {
      if let failure, !versions.isReached { return completion(.failure(failure)) }
      reads.check(completion)
    }

    // MARK: Snapshots

    package func snapshots(_ completion: @escaping @Sendable (Result<[SnapshotEntry], StorageError>) -> Void) {
      onSnapshots(completion) { connection throws(StorageError) in try connection.snapshots() }
    }

    package func saveSnapshot(
      named name: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
    ) {
      onSnapshots(completion) { connection throws(StorageError) in try connection.saveSnapshot(named: name) }
    }

    package func restoreSnapshot(
      named name: String?, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void
    ) {
      onSnapshots(completion) { connection throws(StorageError) in try connection.restoreSnapshot(named: name) }
    }

    package func removeSnapshot(
      _ name: String, completion: @escaping @Sendable (Result<Bool, StorageError>) -> Void
    ) {
      onSnapshots(completion) { connection throws(StorageError) in
        try connection.run("BEGIN")
        let wasThere = try connection.removeSnapshot(name)
        try connection.commit()
        return wasThere
      }
    }

    private func onSnapshots<Success: Sendable>(
      _ completion: @escaping @Sendable (Result<Success, StorageError>) -> Void,
      _ work: @escaping @Sendable (Connection) throws(StorageError) -> Success
    ) {
      // What cannot be served can be replaced still, by a reset.
      if let failure, !versions.isReached { return completion(.failure(failure)) }
      snapshotChannel.perform(work, completion)
    }

    package func close() {
      reads.close()
      // No commit waits for others any more.
      versions.failure = StorageError(.unavailable, "The server is stopping.")
      commits.close()
      snapshotChannel.close()
    }

    // MARK: Without a server

    /// Makes the tables where there are none, fills them if they are empty, and reads everything. Blocks.
    ///
    /// - Parameter seed: What empty tables are filled with; asked for only then.
    /// - Returns: What is there now, and whether that is the seed.
    private static func prepare(
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
    ) throws(StorageError) -> Bool {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      return try write(database, on: connection, replacing: replacing)
    }

    /// Reads all data. Blocks.
    package static func load(_ address: DatabaseAddress, _ schema: Schema) throws(StorageError) -> Database {
      let connection = try Connection.open(address)
      try Migrations.run(on: connection)
      return try connection.load(schema, isInTransaction: false).database.get()
    }

    /// Makes the data as it is the target of resets, where users of the database have filled it.
    private static func keepInitial(on connection: Connection) throws(StorageError) {
      guard try !connection.hasInitial() else { return }
      try inTurn(on: connection) { _ throws(StorageError) in
        let isEmpty = try connection.run("SELECT count(*) FROM resource", []).integer(0, 0) == 0
        let isKept = try connection.hasInitial()
        if !isEmpty, !isKept { try connection.keepInitial() }
      }
    }

    private static func write(
      _ database: Database, on connection: Connection, replacing: Bool
    ) throws(StorageError) -> Bool {
      try inTurn(on: connection) { version throws(StorageError) in
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
      on connection: Connection, _ body: (Int) throws(StorageError) -> Success
    ) throws(StorageError) -> Success {
      let end = ContinuousClock.now + CommitChannel.patience
      while true {
        do throws(StorageError) {
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
