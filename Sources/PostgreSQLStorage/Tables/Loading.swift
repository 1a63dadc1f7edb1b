#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import JSONServerValues

  extension Connection {
    /// All data of a database at one moment.
    typealias Everything = (id: VersionID, database: Database, state: [ServerState.Row])

    /// Reads everything from one snapshot, or within the transaction that has the turn.
    ///
    /// - Throws: ``StorageError`` with code `invalidDatabase` when positions are missing, and with a ``JSONError`` as its cause
    ///   when the data cannot be served.
    func load(_ schema: Schema) throws(StorageError) -> Everything {
      // Without a limit for a slow network, since nobody waits for this transaction.
      let beginning = """
        BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0
        """
      return try transaction(beginning) { () throws(StorageError) in
        try loadAll(schema)
      }
    }

    /// The bytes in the database of the records that are read at once; at least one record.
    private static let pageSize = 256 << 10

    private func loadAll(_ schema: Schema) throws(StorageError) -> Everything {
      let found = try run("SELECT prefix, suffix, pg_table_size('record') FROM state", [])
      let id = try newest()
      let frame = DatabaseFrame(
        prefix: found.slice(0, 0) ?? UTF8Slice(""), suffix: found.slice(0, 1) ?? UTF8Slice(""),
        resources: try loadResources())
      var rows = DatabaseAssembler(frame, size: found.integer(0, 2) ?? 0)
      var last = (resource: -1, slot: -1)
      while true {
        let text = """
          SELECT resource, slot, body FROM (
            SELECT record.*, sum(pg_column_size(body)) OVER (ORDER BY resource, slot) - pg_column_size(body) AS before
            FROM record WHERE (resource, slot) > ($1::int, $2::bigint) ORDER BY resource, slot LIMIT 500) AS page
          WHERE before < \(Self.pageSize) ORDER BY resource, slot
          """
        let page = try run(text, [.bigint(last.resource), .bigint(last.slot)])
        if page.count == 0 { break }
        for row in 0..<page.count {
          last = (page.integer(row, 0) ?? 0, page.integer(row, 1) ?? 0)
          page.withBytes(row, 2) { rows.append(resource: last.resource, slot: last.slot, $0) }
        }
      }
      let state = try state()
      do throws(JSONError) {
        return (id, try rows.database(schema: schema), state)
      } catch {
        throw StorageError(
          .invalidDatabase,
          "\(address.description): the tables of the schema '\(address.schema)' hold data that cannot be served: \(error.message)",
          cause: error)
      }
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
