#if PostgreSQL
  // What servers share besides the data. Completions are called once, on any thread.

  extension SharedDatabase {
    /// Reads the rules and settings.
    package func readSimulation(_ completion: @escaping @Sendable (Result<StoredSimulation, DatabaseFailure>) -> Void) {
      perform(completion) { connection throws(DatabaseFailure) in try connection.simulation() }
    }

    /// Adds a rule after those of its kind; passes on its id.
    ///
    /// - Parameter own: The last id that the server has given rules of its own of this kind.
    package func addRule(
      _ kind: String, _ text: String, times: Int?, after own: Int,
      completion: @escaping @Sendable (Result<(Int, StoredSimulation), DatabaseFailure>) -> Void
    ) {
      change(completion) { connection throws(DatabaseFailure) in
        try connection.addRule(kind, text, times: times, after: own)
      }
    }

    /// Removes a rule, or all of a kind; passes on whether one was there.
    package func removeRules(
      _ kind: String, _ id: Int?,
      completion: @escaping @Sendable (Result<(Bool, StoredSimulation), DatabaseFailure>) -> Void
    ) {
      change(completion) { connection throws(DatabaseFailure) in try connection.removeRules(kind, id) }
    }

    /// Gives settings values, which are JSON.
    package func set(
      _ settings: [(name: String, value: String)],
      completion: @escaping @Sendable (Result<(Void, StoredSimulation), DatabaseFailure>) -> Void
    ) {
      change(completion) { connection throws(DatabaseFailure) in try connection.set(settings) }
    }

    /// Counts a request that matches a rule; passes on `nil` when the rule is for no request any more.
    package func meetRule(
      _ kind: String, _ id: Int, completion: @escaping @Sendable (Result<StoredMeeting?, DatabaseFailure>) -> Void
    ) {
      perform(completion) { connection throws(DatabaseFailure) in try connection.meetRule(kind, id) }
    }

    // MARK: Snapshots

    /// The snapshots that have a name, oldest first.
    package func snapshots(_ completion: @escaping @Sendable (Result<[StoredSnapshot], DatabaseFailure>) -> Void) {
      perform(on: snapshots, completion) { connection throws(DatabaseFailure) in try connection.snapshots() }
    }

    /// Keeps the data as it is; passes on the snapshot's name.
    ///
    /// - Parameter name: `nil` for the next of `snapshot-1`, `snapshot-2`, … that is free.
    package func saveSnapshot(
      named name: String?, completion: @escaping @Sendable (Result<String, DatabaseFailure>) -> Void
    ) {
      perform(on: snapshots, completion) { connection throws(DatabaseFailure) in
        try connection.saveSnapshot(named: name)
      }
    }

    /// Brings the data back to a snapshot; passes on whether there is such a one.
    ///
    /// - Parameter name: `nil` for what a reset goes back to.
    package func restoreSnapshot(
      named name: String?, completion: @escaping @Sendable (Result<Bool, DatabaseFailure>) -> Void
    ) {
      perform(on: snapshots, completion) { connection throws(DatabaseFailure) in
        try connection.restoreSnapshot(named: name)
      }
    }

    /// Removes a snapshot; passes on whether it was there.
    package func removeSnapshot(
      _ name: String, completion: @escaping @Sendable (Result<Bool, DatabaseFailure>) -> Void
    ) {
      perform(on: snapshots, completion) { connection throws(DatabaseFailure) in
        try connection.run("BEGIN")
        let wasThere = try connection.removeSnapshot(name)
        try connection.commit()
        return wasThere
      }
    }

    // MARK: Tokens

    /// Keeps tokens that were just made.
    ///
    /// - Parameter now: In milliseconds since 1970, here and below.
    package func add(
      _ tokens: [StoredToken], now: Int, completion: @escaping @Sendable (Result<Void, DatabaseFailure>) -> Void
    ) {
      perform(completion) { connection throws(DatabaseFailure) in
        try connection.run("BEGIN")
        try connection.add(tokens, now: now)
        try connection.commit()
      }
    }

    /// Passes on what is known of a token.
    package func token(
      _ text: String, completion: @escaping @Sendable (Result<StoredToken?, DatabaseFailure>) -> Void
    ) {
      perform(completion) { connection throws(DatabaseFailure) in try connection.token(text) }
    }

    /// Gives tokens for a refresh token, which is void from then on; passes on whether it was not yet.
    package func renew(
      _ text: String, as tokens: [StoredToken], now: Int,
      completion: @escaping @Sendable (Result<Bool, DatabaseFailure>) -> Void
    ) {
      perform(completion) { connection throws(DatabaseFailure) in try connection.renew(text, as: tokens, now: now) }
    }

    /// Voids all tokens of the sign-in that one goes back to; passes on whether there was one.
    package func revoke(
      _ text: String, completion: @escaping @Sendable (Result<(Bool, StoredSimulation), DatabaseFailure>) -> Void
    ) {
      change(completion) { connection throws(DatabaseFailure) in try connection.revoke(text) }
    }

    /// Has all access tokens expire; passes on how many did.
    package func expireTokens(
      now: Int, completion: @escaping @Sendable (Result<(Int, StoredSimulation), DatabaseFailure>) -> Void
    ) {
      change(completion) { connection throws(DatabaseFailure) in try connection.expireTokens(now: now) }
    }

    // MARK: The channels

    private func perform<Success: Sendable>(
      on channel: SimulationChannel? = nil,
      _ completion: @escaping @Sendable (Result<Success, DatabaseFailure>) -> Void,
      _ work: @escaping @Sendable (Connection) throws(DatabaseFailure) -> Success
    ) {
      // What cannot be served can be replaced still, by a reset.
      if let failure, !versions.isReached { return completion(.failure(failure)) }
      (channel ?? simulation).perform(work, completion)
    }

    private func change<Success: Sendable>(
      _ completion: @escaping @Sendable (Result<(Success, StoredSimulation), DatabaseFailure>) -> Void,
      _ body: @escaping @Sendable (Connection) throws(DatabaseFailure) -> Success
    ) {
      perform(on: rules, completion) { connection throws(DatabaseFailure) in
        try connection.changeSimulation { () throws(DatabaseFailure) in try body(connection) }
      }
    }
  }
#endif
