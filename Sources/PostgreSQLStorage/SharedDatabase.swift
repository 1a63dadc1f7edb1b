#if PostgreSQL
  package import JSONDatabase
  package import JSONStorage
  import Dispatch

  /// A database that several servers share.
  ///
  /// One connection is for commits, one for reading and notices, and one for snapshots. Each blocks a thread of its own, never
  /// the caller.
  package final class SharedDatabase: SnapshotStore {
    private let commits: CommitChannel
    private let reads: ReadChannel
    /// Copies data from table to table. The time depends on the size of the data.
    private let copies = DispatchQueue(label: "swift-json-server.snapshots", qos: .userInitiated)
    private let versions: SharedVersions

    /// Opens a database, creates missing tables, and reads everything. Blocks until this is done.
    ///
    /// - Parameters:
    ///   - isWritten: Whether changes are written to the database.
    ///   - seed: The data for empty tables; called only for these.
    ///   - onEdit: Called on any thread with writes of others that can be served.
    ///   - onWarning: Called when the database becomes unreachable, and when it is reached again.
    /// - Throws: ``StorageError`` that names the address and says what to do, or what `seed` throws.
    package static func open(
      _ address: DatabaseAddress, _ schema: Schema, isWritten: Bool, hasSeed: Bool, seed: () throws -> Database?,
      onEdit: @escaping @Sendable (SourceEdit) -> Void, onWarning: @escaping @Sendable (String) -> Void
    ) throws -> OpenedSource {
      var schema = schema
      schema.keepsSlots = isWritten
      let connection = try Migrations.connect(address)
      var isSeeded = try isWritten && prepare(connection, seed: seed)
      var (id, database, state) = try connection.load(schema)
      if !isWritten, database.resourceNames.isEmpty, let seed = try seed() {
        (database, isSeeded) = (seed, true)
      }
      var warnings: [String] = []
      if hasSeed, !isSeeded { warnings.append("\(address.description) holds data already; the seed is not used.") }
      if database.resourceNames.isEmpty {
        warnings.append("\(address.description) holds no data; give a seed, or import a file.")
      }
      guard isWritten else { return OpenedSource(store: nil, database: database, warnings: warnings) }
      let store = SharedDatabase(SharedVersions(address, id, database, schema), onEdit: onEdit, onWarning: onWarning)
      return OpenedSource(store: store, database: database, warnings: warnings, state: state)
    }

    /// Creates the connections of a server with data of a version. The connection for commits opens when it is needed.
    private init(
      _ versions: SharedVersions, onEdit: @escaping @Sendable (SourceEdit) -> Void,
      onWarning: @escaping @Sendable (String) -> Void
    ) {
      self.versions = versions
      commits = CommitChannel(versions)
      reads = ReadChannel(versions, onEdit: onEdit, onWarning: onWarning)
      reads.perform { $0.listen() }
    }

    package var version: Int { versions.base.id.number }

    package var isShared: Bool { true }
    package var hasFixedResources: Bool { false }
    package var hasHistory: Bool { false }

    package var connection: ConnectionState? {
      ConnectionState(
        behind: max(0, versions.newest - versions.base.id.number), failure: versions.failure, stall: stall)
    }

    /// Large writes cause shorter stalls.
    private static let longestStall = Duration.seconds(10)

    private var stall: String? {
      if let known = versions.obstacle ?? versions.refusal { return known }
      guard let stall = versions.stall, .now - stall > Self.longestStall else { return nil }
      return
        "\(versions.address.description): no server can write, since another transaction holds the lock; find it in pg_stat_activity, and end it."
    }

    package func commit(
      _ version: Database, after base: Database, writing _: Set<Int>, _ state: [ServerState.Row], age: Duration,
      completion: @escaping @Sendable (CommitResult) -> Void
    ) {
      commit(StoredCommit(version: version, rows: version.placedRows(since: base), state: state), age, completion)
    }

    package func takeTurn(age: Duration, completion: @escaping @Sendable (CommitResult) -> Void) {
      commit(nil, age, completion)
    }

    private func commit(
      _ commit: StoredCommit?, _ age: Duration, _ completion: @escaping @Sendable (CommitResult) -> Void
    ) {
      versions.change { $0.commits += 1 }
      let arrival = ContinuousClock.now - age
      commits.perform { [versions, reads] channel in
        let result = channel.perform(commit, since: arrival)
        versions.change { $0.commits -= 1 }
        completion(result)
        if case .moved = result { return }
        // Reports the writes of others during the commit.
        if versions.isBehind { reads.perform { $0.catchUp() } }
      }
    }

    package func adopt(_ source: LoadedSource) {
      guard case .newer(let newer) = source else { return }
      versions.change { $0.base = (VersionID(number: newer.number, commit: newer.commitID), newer.database) }
    }

    package func saveHistory(
      of database: Database, part: String?, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
    ) {
      completion(.failure(StorageError(.unavailable, "A shared database has no history of files.")))
    }

    package func writeCopy(
      _ text: DatabaseText, to path: String, completion: @escaping @Sendable (Result<String, StorageError>) -> Void
    ) {
      text.write(to: path, completion: completion)
    }

    package func releaseTurn() { commits.perform { $0.endTurn() } }

    package func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void) {
      if let failure = versions.unreachable { return completion(.failure(failure)) }
      reads.perform { completion($0.check()) }
    }

    package func snapshots(
      _ action: SnapshotAction, completion: @escaping @Sendable (Result<[SnapshotEntry], StorageError>) -> Void
    ) {
      copies.async { [self] in
        // A reset can replace a version that cannot be served.
        if let failure = versions.unreachable { return completion(.failure(failure)) }
        completion(
          Result { () throws(StorageError) in
            try Connection.transaction(versions.address, while: { versions.isReached }) {
              connection throws(StorageError) in
              try connection.snapshots(action)
            }
          })
      }
    }

    package func close() {
      reads.finish { $0.close() }
      // Lets no commit wait for others.
      versions.change { $0.failure = StorageError(.unavailable, "The server is stopping.") }
      commits.finish { $0.close() }
      copies.sync {}
    }

    // MARK: Without a server

    /// Fills empty tables, and makes sure that there is something to which a reset goes back. Blocks.
    ///
    /// - Parameter seed: The data for empty tables; called only for these.
    /// - Returns: Whether the data is the seed.
    private static func prepare(_ connection: Connection, seed: () throws -> Database?) throws -> Bool {
      if try connection.isEmpty(), let seed = try seed() {
        return try write(seed, to: connection.address, replacing: false)
      }
      if try connection.hasSnapshot(Connection.initial) { return false }
      // Users of the database have filled it. A reset restores their data.
      try Connection.transaction(connection.address) { connection throws(StorageError) in
        try connection.takeTurn()
        if try !connection.isEmpty(), try !connection.hasSnapshot(Connection.initial) {
          try connection.keep(as: Connection.initial)
        }
      }
      return false
    }

    /// Fills a database. Blocks.
    ///
    /// - Parameter replacing: Whether existing data is replaced.
    /// - Returns: Whether it was filled.
    package static func fill(
      _ address: DatabaseAddress, with database: Database, replacing: Bool
    ) throws(StorageError) -> Bool {
      _ = try Migrations.connect(address)
      return try write(database, to: address, replacing: replacing)
    }

    /// Reads all data. Blocks.
    package static func load(_ address: DatabaseAddress, _ schema: Schema) throws(StorageError) -> Database {
      try Migrations.connect(address).load(schema).database
    }

    private static func write(
      _ database: Database, to address: DatabaseAddress, replacing: Bool
    ) throws(StorageError) -> Bool {
      try Connection.transaction(address, staging: database.placedRows) { connection throws(StorageError) in
        let version = try connection.takeTurn()
        if !replacing, try !connection.isEmpty() { return false }
        try connection.replaceAll(database, onto: version.number, id: VersionID.newCommit)
        try connection.keep(as: Connection.initial)
        return true
      }
    }
  }
#endif
