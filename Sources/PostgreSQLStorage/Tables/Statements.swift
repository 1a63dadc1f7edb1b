#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import JSONServerValues

  extension Connection {
    /// Connects, as the servers do, to the schema of the address.
    ///
    /// Timeouts set for a role or a database must not end a write that waits for its turn: the wait is renewed every 2 s. A
    /// paused server loses its turn after 3 s. Statements are not compiled: where statistics are missing,
    /// compilation takes 0.3 s, half the time of reading 20,000 changes.
    ///
    /// - Parameter end: The end of the work that needs the connection; `nil` where nobody waits for it.
    static func open(
      _ address: DatabaseAddress, until end: ContinuousClock.Instant? = nil
    ) throws(StorageError) -> Connection {
      // libpq's shortest limit: a connection that hangs must not outlast the silence that it ends.
      let connection = if end == nil { try Connection(address) } else { try Connection(address, seconds: 2) }
      connection.end = end
      try connection.run(
        """
        SELECT set_config('search_path', quote_ident($1), false),
          set_config('idle_in_transaction_session_timeout', '3s', false), set_config('TimeZone', 'UTC', false),
          set_config('default_transaction_isolation', 'read committed', false),
          (SELECT count(set_config(name, value, false)) FROM pg_settings JOIN (VALUES ('statement_timeout', '0'),
            ('transaction_timeout', '0'), ('jit', 'off'), ('lock_timeout', '2s'), ('tcp_user_timeout', '8s'),
            ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '2'), ('tcp_keepalives_count', '3'))
            AS wanted (name, value) USING (name))
        """, [.text(address.schema)])
      // Ends what a server waits for that was killed. Not every system can do that.
      _ = try? connection.run("SET client_connection_check_interval = '2s'")
      return connection
    }

    /// The time limit of a statement on all rows.
    static let long = Duration.seconds(600)

    /// The longest time that a transaction waits for the turns of others: shorter than a balancer waits for a response.
    static let patience = Duration.seconds(25)

    /// Does work in a transaction on a new connection, and retries after conflicts.
    ///
    /// - Parameters:
    ///   - rows: The rows that the work writes from those that are staged.
    ///   - isReached: Whether to retry.
    static func transaction<Success>(
      _ address: DatabaseAddress, staging rows: [PlacedRow] = [], while isReached: () -> Bool = { true },
      _ work: (Connection) throws(StorageError) -> Success
    ) throws(StorageError) -> Success {
      let end = ContinuousClock.now + patience
      while true {
        do throws(StorageError) {
          let connection = try open(address)
          try connection.stage(rows)
          return try connection.transaction { () throws(StorageError) in try work(connection) }
        } catch {
          guard error.code == .conflict, .now < end, isReached() else { throw error }
        }
      }
    }

    /// Whether there are no resources.
    func isEmpty() throws(StorageError) -> Bool { try run("SELECT FROM resource LIMIT 1", []).count == 0 }

    private static let newestText = "SELECT version, commit_id FROM change ORDER BY version DESC LIMIT 1"

    /// The newest version of the data, which is whole and durable.
    func newest() throws(StorageError) -> VersionID { try version(in: try run(Self.newestText, [])) }

    private func version(in rows: ResultRows?) throws(StorageError) -> VersionID {
      guard let number = rows?.integer(0, 0) else {
        throw StorageError(state: "42P01", "a row of 'state' or 'change' is missing", at: address)
      }
      return VersionID(number: number, commit: rows?.text(0, 1))
    }

    /// Takes the turn within a transaction: nobody else writes until the transaction ends.
    ///
    /// - Parameter beginning: The statements that begin the transaction.
    /// - Returns: The newest version of the data.
    @discardableResult
    func takeTurn(after beginning: String = "", deadline: Duration = silence) throws(StorageError) -> VersionID {
      // The second statement reads the version when the turn is there.
      try version(in: try run("\(beginning)SELECT FROM state FOR UPDATE; \(Self.newestText)", deadline: deadline))
    }

    /// Whether somebody has the turn, or waits for it; and why this connection cannot write, `nil` if it can.
    func turn() throws(StorageError) -> (isTaken: Bool, obstacle: String?) {
      let text = """
        SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'state'::regclass
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND mode IN ('RowShareLock', 'RowExclusiveLock')),
          CASE WHEN current_setting('transaction_read_only')::boolean THEN 'the database only takes reads, as a standby does'
            WHEN EXISTS (SELECT FROM (VALUES ('state', 'UPDATE'), ('change', 'INSERT'), ('shared', 'INSERT'),
                ('record', 'INSERT'), ('record', 'UPDATE'), ('record', 'DELETE')) AS needed (name, right_)
              WHERE NOT has_table_privilege(name, right_)) THEN 'the user may not write to the tables' END
        """
      let found = try run(text, [])
      return (found.bool(0, 0), found.text(0, 1).map { "\(address.description): no write can succeed, since \($0)." })
    }

    /// The seconds for which a transaction may do nothing while others wait for it.
    static let longestIdleTurn = 5

    /// Ends the sessions that keep a server waiting and have done nothing for some seconds, or whose network takes nothing:
    /// also those for which another session waits that keeps the server waiting, as one that locks the whole table does.
    ///
    /// The database itself ends an idle transaction of a server sooner, but not while it sends something to a paused server.
    ///
    /// - Returns: The process, the user and the program of each.
    func endIdleHolders() throws(StorageError) -> [String] {
      let text = """
        WITH RECURSIVE waiting AS (
          SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
            AND application_name = current_setting('application_name')
          UNION SELECT unnest(pg_blocking_pids(pid)) FROM waiting)
        SELECT format('%s of %s (%s)', pid, usename, application_name), pg_terminate_backend(pid)
        FROM pg_stat_activity JOIN waiting USING (pid)
        WHERE wait_event_type = 'Client' AND state_change < clock_timestamp() - make_interval(secs => $1::int)
          AND pg_has_role(usesysid, 'USAGE')
        """
      let found = try run(text, [.bigint(Self.longestIdleTurn)])
      return (0..<found.count).compactMap { found.text($0, 0) }
    }

    /// Whether the writes since a version are too many to be read while nobody else can write.
    func isFar(from base: VersionID, deadline: Duration) throws(StorageError) -> Bool {
      let text = """
        SELECT CASE WHEN coalesce(bool_or(is_whole), false) OR coalesce(sum(cardinality(slots)), 0) > 100
            OR NOT EXISTS (SELECT FROM change WHERE version = $1::bigint AND commit_id = $2) THEN true
          ELSE (SELECT coalesce(sum(octet_length(body::text)), 0) > 262144
            FROM change CROSS JOIN unnest(resources, slots) AS place (resource, slot) JOIN record USING (resource, slot)
            WHERE version > $1::bigint) END
        FROM change WHERE version > $1::bigint
        """
      return try run(text, [.bigint(base.number), .optional(base.commit)], deadline: deadline).bool(0, 0)
    }

    /// Reads the writes since the version that the data is built on, as of one moment.
    ///
    /// When the database lacks this version, as after a failover, the version of the data becomes unknown, so that the server
    /// applies the whole database regardless of its number.
    func changes(since versions: SharedVersions, deadline: Duration) throws(StorageError) -> NewerVersion {
      var (base, database) = versions.base
      let found = try run(Self.changesText, [.bigint(base.number)], deadline: deadline)
      let newest = try version(in: found)
      let isSameHistory = newest.number >= base.number && base.commit != nil && found.text(0, 2) == base.commit
      // Old changes have been removed.
      guard isSameHistory, found.integer(0, 3) == newest.number - base.number, !found.bool(0, 4) else {
        if !isSameHistory { versions.forgetBase(base) }
        let (id, database, state) = try load(versions.schema)
        return NewerVersion(database, number: id.number, since: nil, commitID: id.commit, state: state)
      }
      var problem: String?
      for row in 0..<found.count {
        guard let resource = found.integer(row, 6), let slot = found.integer(row, 7) else { continue }
        // A user of the database may have written a row that no client can write.
        problem = database.apply(PlacedRow(resource: resource, slot: slot, text: found.slice(row, 8))) ?? problem
      }
      let state = found.bool(0, 5) ? try self.state(since: base.number, to: newest.number) : []
      return NewerVersion(
        database, number: newest.number, since: base.number, commitID: newest.commit, state: state, problem: problem)
    }

    private static let changesText = """
      WITH now AS (\(newestText)),
        log AS (SELECT is_whole, has_shared, resources, slots FROM change WHERE version > $1::bigint),
        place AS (SELECT DISTINCT resource, slot FROM log, unnest(log.resources, log.slots) AS place (resource, slot))
      SELECT now.version, now.commit_id, (SELECT commit_id FROM change WHERE version = $1::bigint),
        (SELECT count(*) FROM log), (SELECT coalesce(bool_or(is_whole), false) FROM log),
        (SELECT coalesce(bool_or(has_shared), false) FROM log), place.resource, place.slot, record.body
      FROM now LEFT JOIN place ON true
        LEFT JOIN record ON record.resource = place.resource AND record.slot = place.slot
      ORDER BY place.resource, place.slot
      """

    /// Reads the shared state that was written after a version and up to another. A row that was written again later comes
    /// with the later version.
    func state(since version: Int = -1, to last: Int = .max) throws(StorageError) -> [ServerState.Row] {
      let text = "SELECT kind, name, body FROM shared WHERE version > $1::bigint AND version <= $2::bigint"
      let found = try run(text, [.bigint(version), .bigint(last)])
      return (0..<found.count).compactMap { row in
        // A newer program may share other kinds of state.
        guard let kind = found.text(row, 0).flatMap(ServerState.Kind.init), let name = found.text(row, 1) else {
          return nil
        }
        return ServerState.Row(.init(kind, name), found.text(row, 2).flatMap { try? JSONValue(parsing: $0) })
      }
    }

    /// Writes rows if the data still has a version, in a new transaction unless one is in progress.
    ///
    /// - Parameter areStaged: Whether the rows are those that are staged.
    /// - Returns: Whether the rows were written.
    func write(
      _ rows: [PlacedRow], areStaged: Bool = false, _ state: [ServerState.Row] = [], onto base: VersionID, id: String,
      deadline: Duration = long
    ) throws(StorageError) -> Bool {
      let parameters: [Parameter] =
        [
          .bigint(base.number), .text(id), .bigints(rows.map(\.resource)), .bigints(rows.map(\.slot)),
          areStaged ? Parameter(bytes: nil) : .texts(rows.map(\.text)), .optional(base.commit),
        ] + Self.parameters(state)
      do throws(StorageError) {
        let text = areStaged ? Self.writeStagedText : Self.writeText
        return try run(text, parameters, deadline: deadline).count == 1
      } catch {
        throw error.unsettled
      }
    }

    // The parts of one statement see the data before the statement. Each place is in `given` once, so each part touches its
    // row once. Of several servers that wait to write the same version, one does: the others find its row in `change`, which
    // no snapshot hides.
    private static let writeText = writingText(
      given: "turn, unnest($3::int[], $4::bigint[], $5::json[]) AS given (resource, slot, body)")

    private static let writeStagedText = writingText(
      given: "turn, pg_temp.staged AS given WHERE $5::json[] IS NULL")

    private static func writingText(given: String) -> String {
      """
      WITH locked AS (SELECT is_only FROM state FOR UPDATE),
        turn AS (
          INSERT INTO change (version, commit_id, has_shared, resources, slots)
          SELECT $1::bigint + 1, $2::text, cardinality($7::text[]) > 0, $3::int[], $4::bigint[] FROM locked
          WHERE (SELECT commit_id FROM change WHERE version = $1::bigint) = $6::text
          ON CONFLICT (version) DO NOTHING RETURNING version),
        given AS (SELECT given.resource, given.slot, given.body FROM \(given)),
        gone AS (
          DELETE FROM record USING given
          WHERE record.resource = given.resource AND record.slot = given.slot AND given.body IS NULL),
        put AS (
          INSERT INTO record (resource, slot, body) SELECT resource, slot, body FROM given WHERE body IS NOT NULL
          ON CONFLICT (resource, slot) DO UPDATE SET body = excluded.body),
        told AS (\(tellText(7, from: "turn, ", at: "turn.version")))
      SELECT turn.version, pg_notify(current_schema(), turn.version::text) FROM turn
      """
    }

    /// - Parameters:
    ///   - first: The number of the first of the three parameters with kinds, names and bodies.
    ///   - version: An expression for the version that writes the rows.
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
        .texts(state.map { $0.value.map { UTF8Slice($0.utf8Text(.compact)) } }),
      ]
    }

    /// Sends rows to the database before this connection takes the turn, so that nobody waits for a slow network.
    ///
    /// Rows that the last call has sent are not sent again: a write that is carried out again on other data mostly writes
    /// the same.
    func stage(_ rows: [PlacedRow]) throws(StorageError) {
      if staged != nil {
        try run("DELETE FROM pg_temp.staged WHERE number >= $1::int", [.bigint(rows.count)], deadline: Self.long)
      } else if rows.isEmpty {
        return
      } else {
        try run(
          """
          CREATE TEMPORARY TABLE staged (number int PRIMARY KEY, resource int NOT NULL, slot bigint NOT NULL, body json)
          """)
      }
      let known = staged ?? []
      staged = []
      var numbers: [Int] = []
      var size = 0
      for number in rows.indices {
        let isKnown = number < known.count && known[number].isSame(as: rows[number])
        if !isKnown {
          numbers.append(number)
          size += rows[number].text?.count ?? 0
        }
        guard numbers.count == 10_000 || size >= 1 << 20 || number == rows.count - 1, !numbers.isEmpty else { continue }
        try run(
          """
          INSERT INTO pg_temp.staged SELECT * FROM unnest($1::int[], $2::int[], $3::bigint[], $4::json[])
          ON CONFLICT (number) DO UPDATE SET resource = excluded.resource, slot = excluded.slot, body = excluded.body
          """,
          [
            .bigints(numbers), .bigints(numbers.map { rows[$0].resource }), .bigints(numbers.map { rows[$0].slot }),
            .texts(numbers.map { rows[$0].text }),
          ], deadline: Self.long)
        (numbers, size) = ([], 0)
      }
      staged = rows
    }

    /// Whether nothing is to be sent for rows.
    func hasStaged(_ rows: [PlacedRow]) -> Bool {
      staged.map { $0.count == rows.count && zip($0, rows).allSatisfy { $0.isSame(as: $1) } } ?? false
    }

    /// Frees the space of the rows that were sent.
    func forgetStaged() throws(StorageError) {
      guard staged?.isEmpty == false else { return }
      try run("TRUNCATE pg_temp.staged")
      staged = []
    }

    /// Replaces all data within a transaction that has the turn. The rows of the data are staged.
    func replaceAll(
      _ database: Database, _ state: [ServerState.Row] = [], onto version: Int, id: String
    ) throws(StorageError) {
      let frame = database.frame
      try begin(onto: version, id: id, prefix: frame.prefix.string, suffix: frame.suffix.string)
      try run("DELETE FROM record; DELETE FROM resource", deadline: Self.long)
      try run(Self.tellText(2, at: "$1::bigint"), [.bigint(version + 1)] + Self.parameters(state))
      let resources = frame.resources
      try run(
        """
        INSERT INTO resource SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
          $7::text[])
        """,
        [
          .bigints(resources.indices), .texts(resources.map { UTF8Slice($0.name) }),
          .texts(resources.map { UTF8Slice($0.isCollection ? "collection" : "object") }),
          .texts(resources.map(\.lead)), .texts(resources.map(\.trail)), .texts(resources.map(\.tail)),
          .texts(resources.map(\.emptyTail)),
        ])
      guard staged?.isEmpty == false else { return }
      try run(
        "INSERT INTO record (resource, slot, body) SELECT resource, slot, body FROM pg_temp.staged ORDER BY number",
        deadline: Self.long)
    }

    /// Begins a version whose rows are replaced within a transaction that has the turn, and notifies all servers of it.
    func begin(onto version: Int, id: String, prefix: String, suffix: String) throws(StorageError) {
      // Before the rows, where the triggers look for it.
      try run(
        """
        WITH turn AS (
          INSERT INTO change (version, commit_id, is_whole) VALUES ($1::bigint + 1, $2, true) RETURNING version),
          around AS (UPDATE state SET prefix = $3, suffix = $4)
        SELECT version, pg_notify(current_schema(), version::text) FROM turn
        """,
        [.bigint(version), .text(id), .text(prefix), .text(suffix)])
    }

    /// Finds out, with the turn, whether a commit was carried out. If not, makes sure that it never is.
    ///
    /// A statement whose connection was lost may still be carried out. It takes effect only while the data has the version
    /// that it was made for, so an empty change replaces this version.
    func settle(_ id: String, onto base: VersionID) throws(StorageError) -> Bool {
      let now = try takeTurn(after: "BEGIN; ").number
      let found = try run("SELECT commit_id FROM change WHERE version = $1::bigint", [.bigint(base.number + 1)]).text(
        0, 0)
      if now == base.number { _ = try write([], onto: base, id: VersionID.newCommit) }
      try commit()
      guard now <= base.number || found != nil else {
        throw StorageError(.conflict, "\(address.description): the change is forgotten.")
      }
      return found == id
    }

    /// Removes old changes, which all servers that are not far behind have seen.
    func forgetChanges(before version: Int) throws(StorageError) {
      try run("DELETE FROM change WHERE version < $1::bigint", [.bigint(version)])
      try run("DELETE FROM shared WHERE body IS NULL AND version < $1::bigint", [.bigint(version)])
    }
  }

  extension PlacedRow {
    fileprivate func isSame(as other: PlacedRow) -> Bool {
      resource == other.resource && slot == other.slot && text == other.text
    }
  }
#endif
