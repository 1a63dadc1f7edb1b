#if PostgreSQL
  extension Connection {
    /// Keeps tokens that were just made, and forgets those that nobody can use any more.
    ///
    /// - Parameter now: In milliseconds since 1970.
    func add(_ tokens: [StoredToken], now: Int) throws(DatabaseFailure) {
      try run("DELETE FROM token WHERE ends < $1::bigint", [.bigint(now - Self.remembered)])
      for token in tokens {
        try run(
          "INSERT INTO token VALUES ($1, $2::boolean, $3, $4, $5::bigint, $6, $7::bigint)",
          [
            .text(token.text), .bool(token.isRefresh), .text(token.origin), .text(token.user), .bigint(token.slot),
            .text(token.email), .bigint(token.end),
          ])
      }
    }

    /// How long it is known of a token that it has expired, in milliseconds: a day.
    private static let remembered = 24 * 3600 * 1000

    /// Returns what is known of a token.
    func token(_ text: String) throws(DatabaseFailure) -> StoredToken? {
      let found = try run(
        "SELECT is_refresh, origin, user_id, slot, email, ends FROM token WHERE token = $1", [.text(text)])
      guard let isRefresh = found.bool(0, 0), let slot = found.integer(0, 3), let end = found.integer(0, 5) else {
        return nil
      }
      return StoredToken(
        text, isRefresh: isRefresh, origin: found.text(0, 1) ?? "", user: found.text(0, 2) ?? "", slot: slot,
        email: found.text(0, 4) ?? "", end: end)
    }

    /// Gives tokens for a refresh token, which is void from then on; of several who ask at once, one gets them.
    ///
    /// - Returns: Whether it was not void yet.
    func renew(_ text: String, as tokens: [StoredToken], now: Int) throws(DatabaseFailure) -> Bool {
      try run("BEGIN")
      let isValid = try run("DELETE FROM token WHERE token = $1 RETURNING token", [.text(text)]).count == 1
      if isValid { try add(tokens, now: now) }
      try commit()
      return isValid
    }

    /// Voids all tokens of the sign-in that one goes back to, within a change.
    ///
    /// - Returns: Whether there was one.
    func revoke(_ text: String) throws(DatabaseFailure) -> Bool {
      try run(
        "DELETE FROM token WHERE origin = (SELECT origin FROM token WHERE token = $1) RETURNING token", [.text(text)]
      ).count > 0
    }

    /// Has all access tokens expire, within a change.
    ///
    /// - Returns: How many did.
    func expireTokens(now: Int) throws(DatabaseFailure) -> Int {
      try run(
        "UPDATE token SET ends = $1::bigint WHERE NOT is_refresh AND ends > $1::bigint RETURNING token", [.bigint(now)]
      ).count
    }
  }
#endif
