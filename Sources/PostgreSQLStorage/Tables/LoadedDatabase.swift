#if PostgreSQL
  import JSONStorage
  import JSONDatabase
  import JSONServerValues

  /// A whole database as it was read.
  struct LoadedDatabase: Sendable {
    let version: Int
    /// The id of the commit that made the version.
    let commitID: String?
    /// The state that servers share besides the data.
    let state: [ServerState.Row]
    /// The data, or why it cannot be served.
    let database: Result<Database, StorageError>
  }

  extension Connection {
    /// Reads everything as it is at one moment.
    ///
    /// - Parameter isInTransaction: Whether a transaction with the turn is under way.
    /// - Throws: ``StorageError``; with code `invalidDatabase` when positions are missing.
    func load(_ schema: Schema, isInTransaction: Bool) throws(StorageError) -> LoadedDatabase {
      if isInTransaction { return try loadAll(schema) }
      return try transaction("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY") { () throws(StorageError) in
        try loadAll(schema)
      }
    }

    private func loadAll(_ schema: Schema) throws(StorageError) -> LoadedDatabase {
      let text = "SELECT prefix, suffix, (SELECT max(version) FROM change), pg_table_size('record') FROM state"
      let found = try run(text, [])
      let version = try version(in: found, 2)
      let frame = DatabaseFrame(
        prefix: found.slice(0, 0) ?? UTF8Slice(""), suffix: found.slice(0, 1) ?? UTF8Slice(""),
        resources: try loadResources())
      var rows = DatabaseAssembler(frame, size: found.integer(0, 3) ?? 0)
      try copy(
        "COPY (SELECT resource, slot, body FROM record ORDER BY resource, slot) TO STDOUT (FORMAT binary)",
        deadline: .seconds(60)
      ) { piece throws(StorageError) in rows.append(piece) }
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
      return LoadedDatabase(
        version: version, commitID: try commitID(of: version), state: try state(), database: database)
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

  extension DatabaseAssembler {
    /// Adds a row of the binary form of `COPY`: a count of fields, and each with its length before it.
    fileprivate mutating func append(_ piece: UnsafeRawBufferPointer) {
      // The header, of 19 bytes (PostgreSQL's manual, COPY), may stand before the first row in the same piece.
      let row = UnsafeRawBufferPointer(rebasing: piece.dropFirst(piece.starts(with: "PGCOPY\n".utf8) ? 19 : 0))
      // Two bytes, and then 4 + 4, 4 + 8 and 4 with what is left. The end is a count of -1.
      guard row.count >= 26 else { return }
      append(
        resource: UnsafeRawBufferPointer(rebasing: row[6..<10]).bigEndianInteger,
        slot: UnsafeRawBufferPointer(rebasing: row[14..<22]).bigEndianInteger,
        UnsafeRawBufferPointer(rebasing: row[26...]))
    }
  }
#endif
