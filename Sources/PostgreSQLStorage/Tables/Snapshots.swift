#if PostgreSQL
  import JSONStorage

  // The data stays within the database: it is copied from table to table. A reset restores the snapshot with an empty
  // name.

  extension Connection {
    /// The name of the snapshot that a reset restores.
    static let initial = ""

    /// Carries out an action within a transaction. No write waits while a snapshot is saved.
    func snapshots(_ action: SnapshotAction) throws(StorageError) -> [SnapshotEntry] {
      switch action {
      case .list:
        let found = try run(
          "SELECT name, (extract(epoch FROM at) * 1000)::bigint FROM snapshot WHERE name <> '' ORDER BY id", [])
        return (0..<found.count).map { row in
          SnapshotEntry(name: found.text(row, 0) ?? "", time: Double(found.integer(row, 1) ?? 0) / 1000)
        }
      case .save(let name):
        // Makes a second save wait.
        try run("UPDATE counter SET value = value WHERE name = 'snapshot'", [])
        let name = if let name { name } else { try freeName() }
        try keep(as: name)
        return [SnapshotEntry(name: name, time: 0)]
      case .restore(let name):
        let name = name ?? Self.initial
        return try restore(name) ? [SnapshotEntry(name: name, time: 0)] : []
      case .remove(let name): return try remove(name) ? [SnapshotEntry(name: name, time: 0)] : []
      }
    }

    /// Whether there is a snapshot with a name.
    func hasSnapshot(_ name: String) throws(StorageError) -> Bool {
      try run("SELECT FROM snapshot WHERE name = $1", [.text(name)]).count == 1
    }

    private func freeName() throws(StorageError) -> String {
      while true {
        let next = try run("UPDATE counter SET value = value + 1 WHERE name = 'snapshot' RETURNING value", [])
        let name = "snapshot-\(next.integer(0, 0) ?? 0)"
        if try !hasSnapshot(name) { return name }
      }
    }

    /// Saves the data as a snapshot, within a transaction that prevents other saves.
    func keep(as name: String) throws(StorageError) {
      _ = try remove(name)
      // One statement sees the data at one moment.
      let text = """
        WITH kept AS (
          INSERT INTO snapshot (name, prefix, suffix, resources)
          SELECT $1::text, prefix, suffix, (SELECT coalesce(json_agg(resource), '[]') FROM resource) FROM state
          RETURNING id)
        INSERT INTO snapshot_record (snapshot, resource, slot, body)
        SELECT kept.id, resource, slot, body FROM kept, record
        """
      try run(text, [.text(name)], deadline: Self.long)
    }

    /// Removes a snapshot, and returns whether it existed.
    private func remove(_ name: String) throws(StorageError) -> Bool {
      let text = """
        WITH gone AS (DELETE FROM snapshot WHERE name = $1 RETURNING id),
          records AS (DELETE FROM snapshot_record USING gone WHERE snapshot = gone.id)
        SELECT FROM gone
        """
      return try run(text, [.text(name)], deadline: Self.long).count == 1
    }

    /// Restores a snapshot within a transaction, and notifies all servers.
    ///
    /// - Returns: Whether the snapshot exists.
    private func restore(_ name: String) throws(StorageError) -> Bool {
      let name = [Parameter.text(name)]
      // Locks the snapshot before the turn, so that no write waits for its removal. Only a transaction with the turn replaces
      // the initial snapshot. While this waits, another snapshot may get the name, which only a later statement sees.
      for _ in 0..<2 {
        try run("SELECT FROM snapshot WHERE name = nullif($1, '') FOR SHARE", name, deadline: Self.long)
      }
      let version = try takeTurn().number
      let kept = try run("SELECT prefix, suffix FROM snapshot WHERE name = $1", name)
      guard let prefix = kept.text(0, 0), let suffix = kept.text(0, 1) else { return false }
      try begin(onto: version, id: VersionID.newCommit, prefix: prefix, suffix: suffix)
      // Rows that stay as they are are not written: the database frees the space of replaced rows only later.
      let (resources, records) = (
        "SELECT kept.* FROM snapshot, json_populate_recordset(NULL::resource, resources) AS kept WHERE snapshot.name = $1",
        "SELECT kept.* FROM snapshot JOIN snapshot_record AS kept ON snapshot = id WHERE name = $1"
      )
      for statement in [
        """
        DELETE FROM resource WHERE EXISTS ((TABLE resource EXCEPT \(resources)) UNION ALL (\(resources) EXCEPT TABLE resource))
        """,
        "INSERT INTO resource \(resources) ON CONFLICT DO NOTHING",
        """
        WITH kept AS (\(records)) DELETE FROM record
        WHERE NOT EXISTS (SELECT FROM kept WHERE kept.resource = record.resource AND kept.slot = record.slot)
        """,
        """
        WITH kept AS (\(records)) INSERT INTO record (resource, slot, body)
        SELECT kept.resource, kept.slot, kept.body FROM kept LEFT JOIN record USING (resource, slot)
        WHERE record.body IS NULL OR record.body::text <> kept.body::text
        ON CONFLICT (resource, slot) DO UPDATE SET body = excluded.body
        """,
      ] {
        try run(statement, name, deadline: Self.long)
      }
      return true
    }
  }
#endif
