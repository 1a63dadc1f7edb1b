#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import JSONServerValues

  /// The writes of others from one version to another.
  struct ForeignWrites {
    let since: Int
    let version: Int
    /// The id of the commit that made the version.
    let commitID: String?
    /// The rows at the places that changed, or everything when that is much; or why it cannot be served.
    let source: Result<LoadedSource, StorageError>
  }

  extension Connection {
    /// Connects, as the servers do, to the schema of the address.
    ///
    /// What a role or a database sets for its connections must not end what waits for its turn: that hears every 5 s that it
    /// still waits. A server that takes nothing any more, as one that is paused, keeps its turn for seconds. Statements are
    /// not compiled: where statistics are missing that takes 0.3 s, half the time of reading 20,000 changes.
    static func open(_ address: DatabaseAddress) throws(StorageError) -> Connection {
      let connection = try Connection(address)
      try connection.run(
        """
        SELECT set_config('search_path', quote_ident($1), false),
          set_config('idle_in_transaction_session_timeout', '3s', false), set_config('TimeZone', 'UTC', false),
          set_config('default_transaction_isolation', 'read committed', false),
          (SELECT count(set_config(name, value, false)) FROM pg_settings JOIN (VALUES ('statement_timeout', '0'),
            ('transaction_timeout', '0'), ('jit', 'off'), ('lock_timeout', '5s'), ('tcp_user_timeout', '8s'),
            ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '2'), ('tcp_keepalives_count', '3'))
            AS wanted (name, value) USING (name))
        """, [.text(address.schema)])
      return connection
    }

    /// How long a transaction waits for others' turns.
    static let patience = Duration.seconds(45)

    /// Does work in a transaction on a connection of its own, again as long as others are in the way.
    ///
    /// - Parameter isReached: Whether it may be tried again.
    static func transaction<Success>(
      _ address: DatabaseAddress, while isReached: () -> Bool = { true },
      _ work: (Connection) throws(StorageError) -> Success
    ) throws(StorageError) -> Success {
      let end = ContinuousClock.now + patience
      while true {
        do throws(StorageError) {
          let connection = try open(address)
          return try connection.transaction { () throws(StorageError) in try work(connection) }
        } catch {
          guard error.code == .conflict, .now < end, isReached() else { throw error }
        }
      }
    }

    /// Whether there is no resource.
    func isEmpty() throws(StorageError) -> Bool { try run("SELECT FROM resource LIMIT 1", []).count == 0 }

    private static let versionText = "SELECT max(version) FROM change"

    /// The version of the data, which is whole and durable.
    func version(deadline: Duration) throws(StorageError) -> Int {
      try version(in: try run(Self.versionText, [], deadline: deadline))
    }

    func version(in rows: ResultRows?, _ column: Int = 0) throws(StorageError) -> Int {
      guard let version = rows?.integer(0, column) else {
        throw StorageError(state: "42P01", "a row of 'state' or 'change' is missing", at: address)
      }
      return version
    }

    /// Takes the turn within a transaction: nobody else writes until that ends.
    ///
    /// - Returns: The version of the data.
    @discardableResult
    func takeTurn(deadline: Duration) throws(StorageError) -> Int {
      // The version is asked for when the turn is there.
      let statements = [Statement("SELECT FROM state FOR UPDATE"), Statement(Self.versionText)]
      return try version(in: try run(statements, deadline: deadline).last)
    }

    /// Whether somebody has the turn, or waits for it.
    func isTurnTaken(deadline: Duration) throws(StorageError) -> Bool {
      let text = """
        SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'state'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND mode IN ('RowShareLock', 'RowExclusiveLock'))
        """
      return try run(text, [], deadline: deadline).bool(0, 0) == true
    }

    /// The id of the commit that made a version; `nil` when that is forgotten.
    func commitID(of version: Int, deadline: Duration = .seconds(30)) throws(StorageError) -> String? {
      let text = "SELECT commit_id FROM change WHERE version = $1::bigint"
      return try run(text, [.bigint(version)], deadline: deadline).text(0, 0)
    }

    /// The writes since the version that the data is built on, as of one moment.
    ///
    /// When the database has no such version any more, as one that took the place of another may, the data is not known to be
    /// built on any, so that the whole is taken over whatever its number is.
    ///
    /// - Parameter isInTransaction: Whether a transaction with the turn is under way.
    func changes(
      since versions: SharedVersions, isInTransaction: Bool, deadline: Duration
    ) throws(StorageError) -> ForeignWrites {
      let (version, id) = versions.base
      let found = try run(Self.changesText, [.bigint(version)], deadline: deadline)
      let newest = try self.version(in: found)
      let isSameHistory = newest >= version && id != nil && found.text(0, 6) == id
      // Old changes are forgotten.
      guard isSameHistory, found.integer(0, 1) == newest - version, found.bool(0, 2) == false else {
        let loaded = try load(versions.schema, isInTransaction: isInTransaction)
        if !isSameHistory { versions.forgetBase(version) }
        return ForeignWrites(
          since: version, version: loaded.version, commitID: loaded.commitID,
          source: loaded.database.map {
            LoadedSource(.whole($0), generation: loaded.version, state: loaded.state, commitID: loaded.commitID)
          })
      }
      let rows = (0..<found.count).compactMap { row -> PlacedRow? in
        guard let resource = found.integer(row, 3), let slot = found.integer(row, 4) else { return nil }
        return PlacedRow(resource: resource, slot: slot, text: found.slice(row, 5))
      }
      let state = found.bool(0, 8) == true ? try self.state(since: version, to: newest) : []
      let commitID = found.text(0, 7)
      return ForeignWrites(
        since: version, version: newest, commitID: commitID,
        source: .success(
          LoadedSource(.rows(rows, since: version), generation: newest, state: state, commitID: commitID)))
    }

    private static let changesText = """
      WITH now AS (SELECT max(version) AS version FROM change),
        log AS (SELECT is_whole, has_shared, resources, slots FROM change WHERE version > $1::bigint),
        place AS (SELECT DISTINCT resource, slot FROM log, unnest(log.resources, log.slots) AS place (resource, slot))
      SELECT now.version, (SELECT count(*) FROM log), (SELECT coalesce(bool_or(is_whole), false) FROM log),
        place.resource, place.slot, record.body, (SELECT commit_id FROM change WHERE version = $1::bigint),
        (SELECT commit_id FROM change WHERE change.version = now.version),
        (SELECT coalesce(bool_or(has_shared), false) FROM log)
      FROM now LEFT JOIN place ON true
        LEFT JOIN record ON record.resource = place.resource AND record.slot = place.slot
      ORDER BY place.resource, place.slot
      """

    /// The state that servers share besides the data, as far as it was written after a version and up to another: a row that was
    /// written again since comes with the version that did.
    func state(since version: Int = -1, to last: Int = .max) throws(StorageError) -> [ServerState.Row] {
      let text = "SELECT kind, name, body FROM shared WHERE version > $1::bigint AND version <= $2::bigint"
      let found = try run(text, [.bigint(version), .bigint(last)])
      return (0..<found.count).compactMap { row in
        // A newer program may share more than this one knows.
        guard let kind = found.text(row, 0).flatMap(ServerState.Kind.init), let name = found.text(row, 1) else {
          return nil
        }
        return ServerState.Row(.init(kind, name), found.text(row, 2).flatMap { try? JSONValue(parsing: $0) })
      }
    }

    /// Writes rows if the data is of a version still: in a transaction of its own, or in the one with the turn, which ends then.
    ///
    /// - Returns: Whether it was, and the rows are committed.
    func write(
      _ rows: [PlacedRow], _ state: [ServerState.Row] = [], onto base: (version: Int, id: String?), id: String,
      endingTransaction: Bool, deadline: Duration
    ) throws(StorageError) -> Bool {
      let parameters: [Parameter] =
        [
          .bigint(base.version), .text(id), .bigints(rows.map(\.resource)), .bigints(rows.map(\.slot)),
          .documents(rows.map(\.text)), .optional(base.id),
        ] + Self.parameters(state)
      do throws(StorageError) {
        guard endingTransaction else { return try run(Self.writeText, parameters, deadline: deadline).count == 1 }
        return try run([Statement(Self.writeText, parameters), Statement("COMMIT")], deadline: deadline)[0].count == 1
      } catch {
        throw error.unsettled
      }
    }

    // The parts of one statement see the data as it was before it. Of a place that is in `given` once, each touches its
    // row once. Of several who wait to write the same version, one does: the others find its row in `change`, which no
    // snapshot hides.
    private static let writeText = """
      WITH locked AS (SELECT is_only FROM state FOR UPDATE),
        turn AS (
          INSERT INTO change (version, commit_id, has_shared, resources, slots)
          SELECT $1::bigint + 1, $2::text, cardinality($7::text[]) > 0, $3::bigint[]::int[], $4::bigint[] FROM locked
          WHERE (SELECT commit_id FROM change WHERE version = $1::bigint) = $6::text
          ON CONFLICT (version) DO NOTHING RETURNING version),
        given AS (
          SELECT given.* FROM turn, unnest($3::bigint[]::int[], $4::bigint[], $5::json[]) AS given (resource, slot, body)),
        gone AS (
          DELETE FROM record USING given
          WHERE record.resource = given.resource AND record.slot = given.slot AND given.body IS NULL),
        put AS (
          INSERT INTO record (resource, slot, body) SELECT resource, slot, body FROM given WHERE body IS NOT NULL
          ON CONFLICT (resource, slot) DO UPDATE SET body = excluded.body),
        told AS (\(tellText(7, from: "turn, ", at: "turn.version")))
      SELECT turn.version, pg_notify(current_schema(), turn.version::text) FROM turn
      """

    /// - Parameters:
    ///   - first: The number of the first of the three parameters with kinds, names and bodies.
    ///   - version: An expression for the version that writes them.
    private static func tellText(_ first: Int, from: String = "", at version: String) -> String {
      """
      INSERT INTO shared (kind, name, body, version)
      SELECT told.*, \(version)
      FROM \(from)unnest($\(first)::text[], $\(first + 1)::text[], $\(first + 2)::json[]) AS told (kind, name, body)
      ON CONFLICT (kind, name) DO UPDATE SET body = excluded.body, version = excluded.version
      """
    }

    private static func parameters(_ state: [ServerState.Row]) -> [Parameter] {
      [
        .texts(state.map { UTF8Slice($0.key.kind.rawValue) }), .texts(state.map { UTF8Slice($0.key.name) }),
        .documents(state.map { $0.value.map { UTF8Slice($0.utf8Text(.compact)) } }),
      ]
    }

    /// Replaces all data within a transaction that has the turn.
    func replaceAll(
      _ database: Database, _ state: [ServerState.Row] = [], onto version: Int, id: String
    ) throws(StorageError) {
      let long = Duration.seconds(600)
      let (frame, placed) = (database.frame, database.placedRows)
      // Before the rows, where the triggers look for it.
      try run(
        """
        WITH turn AS (
          INSERT INTO change (version, commit_id, is_whole) VALUES ($1::bigint + 1, $2, true) RETURNING version),
          around AS (UPDATE state SET prefix = $3, suffix = $4)
        SELECT version, pg_notify(current_schema(), version::text) FROM turn
        """,
        [.bigint(version), .text(id), .text(frame.prefix.string), .text(frame.suffix.string)])
      try run(Self.tellText(2, at: "$1::bigint"), [.bigint(version + 1)] + Self.parameters(state))
      let resources = frame.resources
      try run(
        [
          Statement("DELETE FROM record"), Statement("DELETE FROM resource"),
          Statement(
            """
            INSERT INTO resource SELECT * FROM unnest($1::bigint[]::int[], $2::text[], $3::text[], $4::text[], $5::text[],
              $6::text[], $7::text[])
            """,
            [
              .bigints(resources.indices), .texts(resources.map { UTF8Slice($0.name) }),
              .texts(resources.map { UTF8Slice($0.isCollection ? "collection" : "object") }),
              .texts(resources.map(\.lead)), .texts(resources.map(\.trail)), .texts(resources.map(\.tail)),
              .texts(resources.map(\.emptyTail)),
            ]),
        ], deadline: long)
      var start = 0
      while start < placed.count {
        // A message travels in seconds, even on a slow way: only between messages it is known that the server goes on.
        var end = start
        var size = 0
        while end < placed.count, end - start < 10_000, size < 1 << 20 {
          size += placed[end].text?.count ?? 0
          end += 1
        }
        let rows = placed[start..<end]
        try run(
          """
          INSERT INTO record (resource, slot, body)
          SELECT * FROM unnest($1::bigint[]::int[], $2::bigint[], $3::json[])
          """,
          [.bigints(rows.map(\.resource)), .bigints(rows.map(\.slot)), .documents(rows.map(\.text))],
          deadline: long)
        start = end
      }
    }

    /// Finds out, with the turn, whether a commit onto a version was carried out; when not, makes sure that it never is.
    ///
    /// A statement whose connection was lost may be carried out still. It takes effect only while the data is of the
    /// version that it was made for, so that an empty change takes that version away.
    func settle(
      _ id: String, onto base: (version: Int, id: String?), deadline: Duration
    ) throws(StorageError) -> Bool {
      try run("BEGIN", deadline: deadline)
      let now = try takeTurn(deadline: deadline)
      let found = try commitID(of: base.version + 1)
      if now == base.version {
        _ = try write([], onto: base, id: CommitID.random, endingTransaction: true, deadline: deadline)
      } else {
        try run("COMMIT", deadline: deadline)
      }
      guard now <= base.version || found != nil else {
        throw StorageError(.conflict, "\(address.description): the change is forgotten.")
      }
      return found == id
    }

    /// Forgets changes that every server that is not far behind has seen.
    func forgetChanges(before version: Int) throws(StorageError) {
      try run("DELETE FROM change WHERE version < $1::bigint", [.bigint(version)])
      try run("DELETE FROM shared WHERE body IS NULL AND version < $1::bigint", [.bigint(version)])
    }
  }
#endif
