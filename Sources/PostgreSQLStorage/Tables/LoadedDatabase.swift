#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import JSONServerValues

  /// The data read from a database: everything, or the writes of others since a version.
  struct LoadedDatabase: Sendable {
    let id: VersionID
    /// The version after which writes of others were read; `nil` when everything was read.
    var since: Int?
    /// The shared state, or its changes.
    let state: [ServerState.Row]
    /// The reason why a row is not served; `nil` for none.
    var problem: String?
    /// The data, or the reason why the data cannot be served.
    let database: Result<Database, StorageError>

    var source: Result<LoadedSource, StorageError> {
      database.map { database in
        LoadedSource(
          .newer(database, since: since), generation: id.number, state: state, commitID: id.commit, problem: problem)
      }
    }
  }

  extension Connection {
    /// Reads everything from one snapshot.
    ///
    /// - Parameter isInTransaction: Whether a transaction with the turn is in progress.
    /// - Throws: ``StorageError``; with code `invalidDatabase` when positions are missing.
    func load(_ schema: Schema, isInTransaction: Bool) throws(StorageError) -> LoadedDatabase {
      if isInTransaction { return try loadAll(schema) }
      return try transaction("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY") { () throws(StorageError) in
        try loadAll(schema)
      }
    }

    private func loadAll(_ schema: Schema) throws(StorageError) -> LoadedDatabase {
      let found = try run("SELECT prefix, suffix, pg_table_size('record') FROM state", [])
      let id = try newest()
      let frame = DatabaseFrame(
        prefix: found.slice(0, 0) ?? UTF8Slice(""), suffix: found.slice(0, 1) ?? UTF8Slice(""),
        resources: try loadResources())
      var rows = DatabaseAssembler(frame, size: found.integer(0, 2) ?? 0)
      var last = (resource: -1, slot: -1)
      while true {
        let text = """
          SELECT resource, slot, body FROM record WHERE (resource, slot) > ($1::int, $2::bigint)
          ORDER BY resource, slot LIMIT 500
          """
        let page = try run(text, [.bigint(last.resource), .bigint(last.slot)])
        if page.count == 0 { break }
        for row in 0..<page.count {
          last = (page.integer(row, 0) ?? 0, page.integer(row, 1) ?? 0)
          page.withBytes(row, 2) { rows.append(resource: last.resource, slot: last.slot, $0) }
        }
      }
      let database = Result { () throws(StorageError) in
        do throws(JSONError) {
          return try rows.database(schema: schema)
        } catch {
          throw StorageError(
            .invalidDatabase,
            "\(address.description): the tables of the schema '\(address.schema)' hold what cannot be served: \(error.message)"
          )
        }
      }
      return LoadedDatabase(id: id, state: try state(), database: database)
    }

    private func loadResources() throws(StorageError) -> [DatabaseFrame.Resource] {
      let found = try run(
        "SELECT position, name, kind, lead, trail, tail, empty_tail FROM resource ORDER BY position", [])
      var resources: [DatabaseFrame.Resource] = []
      for row in 0..<found.count {
        let name = found.text(row, 1) ?? ""
        guard found.integer(row, 0) == row else {
          throw StorageError(
            state: "42P01", "the resource '\(name)' is not at position \(row); positions count from 0 without gaps",
            at: address)
        }
        let space = (3...6).map { found.slice(row, $0) ?? UTF8Slice("") }
        resources.append(
          DatabaseFrame.Resource(
            name: name, isCollection: found.text(row, 2) == "collection", lead: space[0], trail: space[1],
            tail: space[2], emptyTail: space[3]))
      }
      return resources
    }
  }
#endif
