#if PostgreSQL
  import JSONStorage

  // The data stays within the database: it is copied from table to table.

  extension Connection {
    /// How long a copy may take.
    private static let long = Duration.seconds(600)
    /// The snapshot without a name.
    private static let initial = 0

    /// The snapshots that have a name, oldest first.
    func snapshots() throws(StorageError) -> [SnapshotEntry] {
      let found = try run(
        "SELECT name, (extract(epoch FROM at) * 1000)::bigint FROM snapshot WHERE name IS NOT NULL ORDER BY id", [])
      return (0..<found.count).map { row in
        SnapshotEntry(name: found.text(row, 0) ?? "", time: Double(found.integer(row, 1) ?? 0) / 1000)
      }
    }

    /// Keeps the data as it is, in a transaction; nobody's write waits for that.
    ///
    /// - Parameter name: Its name, which a snapshot of before loses; `nil` for the next of `snapshot-1`, `snapshot-2`, …
    ///   that is free.
    /// - Returns: The name.
    func saveSnapshot(named name: String?) throws(StorageError) -> String {
      try run("BEGIN")
      // A second one that is saved waits.
      try run("UPDATE counter SET value = value WHERE name = 'snapshot'", [])
      let chosen = if let name { name } else { try freeName() }
      _ = try removeSnapshot(chosen)
      try run(
        Self.copyText("INSERT INTO snapshot (name, prefix, suffix) SELECT $1::text, prefix, suffix FROM state"),
        [.text(chosen)], deadline: Self.long)
      try commit()
      return chosen
    }

    private func freeName() throws(StorageError) -> String {
      while true {
        let next = try run("UPDATE counter SET value = value + 1 WHERE name = 'snapshot' RETURNING value", [])
        let name = "snapshot-\(next.integer(0, 0) ?? 0)"
        if try run("SELECT FROM snapshot WHERE name = $1", [.text(name)]).count == 0 { return name }
      }
    }

    /// Keeps the data as what a reset goes back to, within a transaction.
    func keepInitial() throws(StorageError) {
      try removeSnapshot(id: Self.initial)
      try run(
        Self.copyText("INSERT INTO snapshot (id, prefix, suffix) SELECT 0, prefix, suffix FROM state"), [],
        deadline: Self.long)
    }

    /// Whether there is something that a reset goes back to.
    func hasInitial() throws(StorageError) -> Bool {
      try run("SELECT FROM snapshot WHERE name IS NULL", []).count == 1
    }

    /// One statement, so that it sees the data at one moment.
    private static func copyText(_ insert: String) -> String {
      """
      WITH kept AS (\(insert) RETURNING id),
        resources AS (
          INSERT INTO snapshot_resource (snapshot, position, name, kind, lead, trail, tail, empty_tail)
          SELECT kept.id, position, name, kind, lead, trail, tail, empty_tail FROM kept, resource)
      INSERT INTO snapshot_record (snapshot, resource, slot, body)
      SELECT kept.id, resource, slot, body FROM kept, record
      """
    }

    /// Removes a snapshot.
    ///
    /// - Returns: Whether it was there.
    func removeSnapshot(_ name: String) throws(StorageError) -> Bool {
      guard let id = try run("SELECT id FROM snapshot WHERE name = $1", [.text(name)]).integer(0, 0) else {
        return false
      }
      try removeSnapshot(id: id)
      return true
    }

    private func removeSnapshot(id: Int) throws(StorageError) {
      for (table, column) in [("snapshot_record", "snapshot"), ("snapshot_resource", "snapshot"), ("snapshot", "id")] {
        try run("DELETE FROM \(table) WHERE \(column) = $1::bigint", [.bigint(id)], deadline: Self.long)
      }
    }

    /// Brings the data back to a snapshot, in a transaction of its own, and tells all servers.
    ///
    /// - Parameter name: Its name; `nil` for what a reset goes back to.
    /// - Returns: Whether there is such a snapshot.
    func restoreSnapshot(named name: String?) throws(StorageError) -> Bool {
      try run("BEGIN")
      // Before the turn, so that no write waits for its removal.
      var id: Int?
      if let name { id = try keptSnapshot(name) }
      _ = try takeTurn(isInTransaction: true, deadline: .seconds(15))
      // What a reset goes back to is replaced with the turn alone.
      if name == nil, try hasInitial() { id = Self.initial }
      if let id {
        guard try run(Self.restoredChangeText, [.bigint(id)], deadline: Self.long).count == 1 else {
          throw StorageError(.conflict, "\(address.description): the snapshot is gone.")
        }
        for statement in Self.restoreTexts { try run(statement, [.bigint(id)], deadline: Self.long) }
      }
      try commit()
      return id != nil
    }

    /// Finds a snapshot that nobody removes before the transaction ends; `nil` when there is none.
    private func keptSnapshot(_ name: String) throws(StorageError) -> Int? {
      let text = "SELECT id FROM snapshot WHERE name = $1 FOR SHARE"
      if let id = try run(text, [.text(name)], deadline: Self.long).integer(0, 0) { return id }
      // Who removed it while that waited may have kept another by the name, which only a later statement sees.
      return try run(text, [.text(name)], deadline: Self.long).integer(0, 0)
    }

    /// Before the rows, where the triggers look for it.
    private static let restoredChangeText = """
      WITH turn AS (
          INSERT INTO change (version, is_whole)
          SELECT max(version) + 1, true FROM change HAVING EXISTS (SELECT FROM snapshot WHERE id = $1::bigint)
          RETURNING version),
        around AS (
          UPDATE state SET prefix = snapshot.prefix, suffix = snapshot.suffix FROM snapshot WHERE snapshot.id = $1::bigint)
      SELECT pg_notify(current_schema(), version::text) FROM turn
      """

    private static let restoreTexts = [
      "DELETE FROM record WHERE $1::bigint >= 0",
      "DELETE FROM resource WHERE $1::bigint >= 0",
      """
      INSERT INTO resource (position, name, kind, lead, trail, tail, empty_tail)
      SELECT position, name, kind, lead, trail, tail, empty_tail FROM snapshot_resource WHERE snapshot = $1::bigint
      """,
      "INSERT INTO record (resource, slot, body) SELECT resource, slot, body FROM snapshot_record WHERE snapshot = $1::bigint",
    ]
  }
#endif
