#if PostgreSQL
  extension Connection {
    private static let deadline = Duration.seconds(5)

    /// The rules and settings, as of one moment.
    func simulation() throws(DatabaseFailure) -> StoredSimulation {
      let found = try run(Self.simulationText, [], deadline: Self.deadline)
      guard let version = found.integer(0, 0) else {
        throw DatabaseFailure(state: "42P01", "the row of 'state' is missing", at: address)
      }
      let rules = (0..<found.count).compactMap { row -> StoredRule? in
        guard let kind = found.text(row, 2), let id = found.integer(row, 3), let text = found.text(row, 4) else {
          return nil
        }
        return StoredRule(kind: kind, id: id, text: text, timesLeft: found.integer(row, 5))
      }
      return StoredSimulation(version: version, rules: rules, settings: found.text(0, 1))
    }

    private static let simulationText = """
      SELECT state.version, (SELECT json_object_agg(name, value) FROM setting), rule.kind, rule.id, rule.body,
        rule.times_left
      FROM state LEFT JOIN rule ON rule.times_left IS NULL OR rule.times_left > 0
      ORDER BY rule.kind, rule.id
      """

    /// Changes what servers share besides the data, in a transaction of its own, and tells all of them.
    ///
    /// - Parameter body: Makes the change, and is the only one who does meanwhile.
    /// - Returns: What `body` returns, and what there is then.
    func changeSimulation<Result>(
      _ body: () throws(DatabaseFailure) -> Result
    ) throws(DatabaseFailure) -> (Result, StoredSimulation) {
      _ = try takeTurn(deadline: .seconds(15))
      let result = try body()
      try run(
        """
        WITH turn AS (UPDATE state SET version = version + 1 RETURNING version),
          log AS (INSERT INTO change (version, is_simulation) SELECT version, true FROM turn)
        SELECT pg_notify(current_schema(), version::text) FROM turn
        """, [])
      let simulation = try simulation()
      try commit()
      return (result, simulation)
    }

    /// Ends a transaction. When the connection is lost meanwhile, nobody knows whether it took place.
    func commit(deadline: Duration = .seconds(30)) throws(DatabaseFailure) {
      do throws(DatabaseFailure) {
        try run("COMMIT", deadline: deadline)
      } catch {
        throw error.unsettled
      }
    }

    // MARK: Within a change

    /// Adds a rule after those of its kind.
    ///
    /// - Parameter own: The last id that the server has given rules of its own of this kind.
    /// - Returns: The rule's id.
    func addRule(_ kind: String, _ text: String, times: Int?, after own: Int) throws(DatabaseFailure) -> Int {
      try run("DELETE FROM rule WHERE times_left = 0", [])
      let number = try run(
        "UPDATE counter SET value = greatest(value, $2::bigint) + 1 WHERE name = $1 RETURNING value",
        [.text(kind), .bigint(own)])
      guard let id = number.integer(0, 0) else {
        throw DatabaseFailure(state: "42P01", "the row '\(kind)' of 'counter' is missing", at: address)
      }
      try run(
        "INSERT INTO rule (kind, id, body, times_left) VALUES ($1, $2::bigint, $3::json, $4::bigint)",
        [.text(kind), .bigint(id), .text(text), .optional(times)])
      return id
    }

    /// Removes a rule, or all of a kind.
    ///
    /// - Returns: Whether one was there that is for requests still.
    func removeRules(_ kind: String, _ id: Int?) throws(DatabaseFailure) -> Bool {
      let removed = try run(
        "DELETE FROM rule WHERE kind = $1 AND id = coalesce($2::bigint, id) RETURNING times_left",
        [.text(kind), .optional(id)])
      return (0..<removed.count).contains { removed.integer($0, 0) != 0 }
    }

    /// Gives settings values, which are JSON.
    func set(_ settings: [(name: String, value: String)]) throws(DatabaseFailure) {
      for (name, value) in settings {
        try run(
          "INSERT INTO setting VALUES ($1, $2::json) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
          [.text(name), .text(value)])
      }
    }

    // MARK: Counting

    /// Counts a request that matches a rule.
    ///
    /// - Returns: `nil` when the rule is for no request any more.
    func meetRule(_ kind: String, _ id: Int) throws(DatabaseFailure) -> StoredMeeting? {
      let text = """
        UPDATE rule SET meetings = meetings + 1, times_left = times_left - 1
        WHERE kind = $1 AND id = $2::bigint AND (times_left IS NULL OR times_left > 0)
        RETURNING meetings, times_left
        """
      do throws(DatabaseFailure) {
        let met = try run(text, [.text(kind), .bigint(id)], deadline: Self.deadline)
        return met.integer(0, 0).map { StoredMeeting(count: $0, timesLeft: met.integer(0, 1)) }
      } catch {
        // Counted a second time, it would be for one request less.
        throw error.unsettled
      }
    }
  }
#endif
