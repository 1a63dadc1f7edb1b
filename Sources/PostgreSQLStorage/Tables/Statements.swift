#if PostgreSQL
  import OrderedJSON

  /// What others have written from one version to another.
  package struct ForeignWrites: Sendable {
    package let changes: ForeignChanges
    package let since: Int
    package let version: Int
    /// Of the commit that made the version; `nil` for the first one.
    package let commitID: String?

    /// Whether there is anything.
    var isNew: Bool {
      switch changes {
      case .rows: version > since
      case .whole: true
      }
    }
  }

  package enum ForeignChanges: Sendable {
    /// What is at the places that changed, and what servers share besides the data when that changed, too.
    case rows([StoredRow], simulation: StoredSimulation?)
    /// So much that all was read again.
    case whole(LoadedDatabase)
  }

  extension Connection {
    /// Connects, as the servers do, to the schema of the address.
    ///
    /// What a role or a database sets for its connections must not end what waits for its turn: that hears every 5 s that it
    /// still waits. A server that takes nothing any more, as one that is paused, keeps its turn for seconds. Statements are
    /// not compiled: where statistics are missing that takes 0.3 s, half the time of reading 20,000 changes.
    static func open(_ address: DatabaseAddress) throws(DatabaseFailure) -> Connection {
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

    /// The version of the data, which is whole and durable.
    func version(deadline: Duration) throws(DatabaseFailure) -> Int {
      guard let version = try run("SELECT version FROM state", [], deadline: deadline).integer(0, 0) else {
        throw DatabaseFailure(state: "42P01", "the row of 'state' is missing", at: address)
      }
      return version
    }

    /// Takes the turn in a transaction, until that ends: nobody else writes meanwhile.
    ///
    /// - Parameter isInTransaction: Whether the transaction is under way.
    /// - Returns: The version of the data.
    func takeTurn(isInTransaction: Bool = false, deadline: Duration) throws(DatabaseFailure) -> Int {
      let turn = [Statement("BEGIN"), Statement("SELECT version FROM state FOR UPDATE")]
      guard let version = try run(isInTransaction ? [turn[1]] : turn, deadline: deadline).last?.integer(0, 0) else {
        throw DatabaseFailure(state: "42P01", "the row of 'state' is missing", at: address)
      }
      return version
    }

    /// Whether somebody has the turn, or waits for it.
    func isTurnTaken(deadline: Duration) throws(DatabaseFailure) -> Bool {
      let text = """
        SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'state'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND mode IN ('RowShareLock', 'RowExclusiveLock'))
        """
      return try run(text, [], deadline: deadline).bool(0, 0) == true
    }

    /// The id of the commit that made a version; `nil` when that is the first one, or one that is forgotten.
    func commitID(of version: Int, deadline: Duration = .seconds(30)) throws(DatabaseFailure) -> String? {
      let text = "SELECT commit_id FROM change WHERE version = $1::bigint"
      return try run(text, [.bigint(version)], deadline: deadline).text(0, 0)
    }

    /// What has been written since the version that the data is built on, as of one moment.
    ///
    /// When the database has no such version any more, as one that took the place of another may, the data is not known to be
    /// built on any, so that the whole is taken over whatever its number is.
    ///
    /// - Parameter isInTransaction: Whether a transaction with the turn is under way.
    func changes(
      since versions: SharedVersions, isInTransaction: Bool, deadline: Duration
    ) throws(DatabaseFailure) -> ForeignWrites {
      let (version, id) = versions.baseAndID
      let found = try run(Self.changesText, [.bigint(version)], deadline: deadline)
      guard let newest = found.integer(0, 0) else {
        throw DatabaseFailure(state: "42P01", "the row of 'state' is missing", at: address)
      }
      let isSameHistory = newest >= version && found.text(0, 6) == id
      // Old changes are forgotten.
      guard isSameHistory, found.integer(0, 1) == newest - version, found.bool(0, 2) == false else {
        let loaded = try load(isInTransaction: isInTransaction)
        if !isSameHistory { versions.forgetBase(version) }
        return ForeignWrites(
          changes: .whole(loaded), since: version, version: loaded.version, commitID: loaded.commitID)
      }
      let rows = (0..<found.count).compactMap { row -> StoredRow? in
        guard let resource = found.integer(row, 3), let slot = found.integer(row, 4) else { return nil }
        return StoredRow(resource: resource, slot: slot, text: found.slice(row, 5))
      }
      let simulation = found.bool(0, 8) == true ? try simulation() : nil
      return ForeignWrites(
        changes: .rows(rows, simulation: simulation), since: version, version: newest, commitID: found.text(0, 7))
    }

    private static let changesText = """
      WITH now AS (SELECT version FROM state),
        log AS (SELECT is_whole, is_simulation, resources, slots FROM change WHERE version > $1::bigint),
        place AS (SELECT DISTINCT resource, slot FROM log, unnest(log.resources, log.slots) AS place (resource, slot))
      SELECT now.version, (SELECT count(*) FROM log), (SELECT coalesce(bool_or(is_whole), false) FROM log),
        place.resource, place.slot, record.body, (SELECT commit_id FROM change WHERE version = $1::bigint),
        (SELECT commit_id FROM change WHERE change.version = now.version),
        (SELECT coalesce(bool_or(is_simulation), false) FROM log)
      FROM now LEFT JOIN place ON true
        LEFT JOIN record ON record.resource = place.resource AND record.slot = place.slot
      ORDER BY place.resource, place.slot
      """

    /// Writes rows if the data is of a version still: in a transaction of its own, or in the one with the turn, which ends then.
    ///
    /// - Returns: Whether it was, and the rows are committed.
    func write(
      _ rows: [StoredRow], onto base: (version: Int, id: String?), id: String, endingTransaction: Bool,
      deadline: Duration
    ) throws(DatabaseFailure) -> Bool {
      let parameters: [Parameter] = [
        .bigint(base.version), .text(id), .integers(rows.map(\.resource)), .bigIntegers(rows.map(\.slot)),
        .documents(rows), .optional(base.id),
      ]
      do throws(DatabaseFailure) {
        guard endingTransaction else { return try run(Self.writeText, parameters, deadline: deadline).count == 1 }
        return try run([Statement(Self.writeText, parameters), Statement("COMMIT")], deadline: deadline)[0].count == 1
      } catch {
        throw error.unsettled
      }
    }

    // The parts of one statement see the data as it was before it. Of a place that is in `given` once, each touches its
    // row once.
    private static let writeText = """
      WITH turn AS (
          UPDATE state SET version = version + 1
          WHERE version = $1::bigint
            AND (SELECT commit_id FROM change WHERE version = $1::bigint) IS NOT DISTINCT FROM $6::text
          RETURNING version),
        given AS (
          SELECT given.* FROM turn, unnest($3::int[], $4::bigint[], $5::json[]) AS given (resource, slot, body)),
        gone AS (
          DELETE FROM record USING given
          WHERE record.resource = given.resource AND record.slot = given.slot AND given.body IS NULL),
        put AS (
          INSERT INTO record (resource, slot, body) SELECT resource, slot, body FROM given WHERE body IS NOT NULL
          ON CONFLICT (resource, slot) DO UPDATE SET body = excluded.body),
        log AS (
          INSERT INTO change (version, commit_id, resources, slots)
          SELECT turn.version, $2::text, $3::int[], $4::bigint[] FROM turn)
      SELECT turn.version, pg_notify(current_schema(), turn.version::text) FROM turn
      """

    /// Replaces all data within a transaction that has the turn.
    func replaceAll(
      _ database: StoredDatabase, onto version: Int, id: String
    ) throws(DatabaseFailure) {
      let long = Duration.seconds(600)
      // Before the rows, where the triggers look for it.
      try run(
        """
        WITH turn AS (
          UPDATE state SET version = version + 1, prefix = $3, suffix = $4 WHERE version = $1::bigint RETURNING version),
          log AS (INSERT INTO change (version, commit_id, is_whole) SELECT version, $2, true FROM turn)
        SELECT version, pg_notify(current_schema(), version::text) FROM turn
        """,
        [.bigint(version), .text(id), .text(database.frame.prefix), .text(database.frame.suffix)])
      try run("DELETE FROM record", deadline: long)
      try run("DELETE FROM resource", deadline: long)
      for (position, resource) in database.frame.resources.enumerated() {
        try run(
          """
          INSERT INTO resource (position, name, kind, lead, trail, tail, empty_tail)
          VALUES ($1::bigint::int, $2, CASE WHEN $3::boolean THEN 'collection' ELSE 'object' END, $4, $5, $6, $7)
          """,
          [
            .bigint(position), .text(resource.name), .bool(resource.isCollection), .optional(resource.lead),
            .text(resource.trail), .text(resource.tail), .text(resource.emptyTail),
          ])
      }
      var start = 0
      while start < database.rows.count {
        // A message travels in seconds, even on a slow way: only between messages it is known that the server goes on.
        var end = start
        var size = 0
        while end < database.rows.count, end - start < 10_000, size < 1 << 20 {
          size += database.rows[end].text?.count ?? 0
          end += 1
        }
        let rows = database.rows[start..<end]
        try run(
          """
          INSERT INTO record (resource, slot, body)
          SELECT * FROM unnest($1::int[], $2::bigint[], $3::json[])
          """,
          [.integers(rows.map(\.resource)), .bigIntegers(rows.map(\.slot)), .documents(rows)], deadline: long)
        start = end
      }
    }

    /// Finds out, with the turn, whether a commit onto a version was carried out; when not, makes sure that it never is.
    ///
    /// A statement whose connection was lost may be carried out still. It takes effect only while the data is of the
    /// version that it was made for, so that an empty change takes that version away.
    func settle(
      _ id: String, onto base: (version: Int, id: String?), deadline: Duration
    ) throws(DatabaseFailure) -> Bool {
      let now = try takeTurn(deadline: deadline)
      let found = try commitID(of: base.version + 1)
      if now == base.version {
        _ = try write([], onto: base, id: CommitID.random, endingTransaction: true, deadline: deadline)
      } else {
        try run("COMMIT", deadline: deadline)
      }
      guard now <= base.version || found != nil else {
        throw DatabaseFailure(.conflict, "\(address.description): the change is forgotten.")
      }
      return found == id
    }

    /// Forgets changes that every server that is not far behind has seen.
    func forgetChanges(before version: Int) throws(DatabaseFailure) {
      try run("DELETE FROM change WHERE version < $1::bigint", [.bigint(version)])
    }
  }
#endif
