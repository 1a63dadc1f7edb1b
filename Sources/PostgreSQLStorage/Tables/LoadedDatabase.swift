#if PostgreSQL
  import OrderedJSON

  /// A whole database as it was read.
  package struct LoadedDatabase: Sendable {
    /// Where a row is, and where its text ends, which begins where that of the row before ends.
    package struct Row: Sendable {
      package let resource: Int32
      package let slot: Int32
      package let end: Int
    }

    package let version: Int
    /// Of the commit that made the version; `nil` for the first one.
    let commitID: String?
    package let frame: StoredFrame
    /// What servers share besides the data.
    package let simulation: StoredSimulation
    /// The texts of all rows.
    package fileprivate(set) var text: [UInt8] = []
    /// By resource and slot, ascending.
    package fileprivate(set) var rows: ContiguousArray<Row> = []

    fileprivate init(version: Int, commitID: String?, frame: StoredFrame, simulation: StoredSimulation) {
      self.version = version
      self.commitID = commitID
      self.frame = frame
      self.simulation = simulation
    }
  }

  extension Connection {
    /// Reads everything as it is at one moment.
    ///
    /// - Parameter isInTransaction: Whether a transaction with the turn is under way.
    /// - Throws: ``DatabaseFailure``; with code `tables` when positions are missing.
    func load(isInTransaction: Bool) throws(DatabaseFailure) -> LoadedDatabase {
      if isInTransaction { return try loadAll() }
      try run("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
      do throws(DatabaseFailure) {
        let loaded = try loadAll()
        try run("COMMIT")
        return loaded
      } catch {
        if !isLost { _ = try? run("ROLLBACK") }
        throw error
      }
    }

    private func loadAll() throws(DatabaseFailure) -> LoadedDatabase {
      let state = try run("SELECT version, prefix, suffix FROM state", [])
      guard let version = state.integer(0, 0), let prefix = state.text(0, 1), let suffix = state.text(0, 2) else {
        throw DatabaseFailure(state: "42P01", "the row of 'state' is missing", at: address)
      }
      let found = try run(
        "SELECT position, name, kind, lead, trail, tail, empty_tail FROM resource ORDER BY position", [])
      var resources: [StoredResource] = []
      for row in 0..<found.count {
        let name = found.text(row, 1) ?? ""
        guard found.integer(row, 0) == row else {
          throw DatabaseFailure(
            state: "42P01", "the resource '\(name)' is not at position \(row); positions count from 0 without gaps",
            at: address)
        }
        resources.append(
          StoredResource(
            name: name, isCollection: found.text(row, 2) == "collection", lead: found.text(row, 3),
            trail: found.text(row, 4) ?? "", tail: found.text(row, 5) ?? "", emptyTail: found.text(row, 6) ?? ""))
      }
      var loaded = LoadedDatabase(
        version: version, commitID: try commitID(of: version),
        frame: StoredFrame(prefix: prefix, suffix: suffix, resources: resources),
        simulation: try simulation())
      try copy(
        "COPY (SELECT resource, slot, body FROM record ORDER BY resource, slot) TO STDOUT (FORMAT binary)",
        deadline: .seconds(60)
      ) { piece throws(DatabaseFailure) in loaded.append(copied: piece) }
      return loaded
    }
  }

  extension LoadedDatabase {
    /// The signature, flags and the length of further fields, before the first row (PostgreSQL's manual, COPY).
    private static let headerCount = 19

    /// Adds a row of COPY's binary form: a count of fields, and each with its length before it.
    fileprivate mutating func append(copied piece: UnsafeRawBufferPointer) {
      var piece = piece
      // The header may stand before the first row in the same piece.
      if piece.starts(with: "PGCOPY\n".utf8) {
        guard piece.count >= Self.headerCount else { return }
        piece = UnsafeRawBufferPointer(rebasing: piece[Self.headerCount...])
      }
      // Two bytes, and then 4 + 4, 4 + 8 and 4 with what is left. The end is a count of -1.
      guard piece.count >= 26 else { return }
      let resource = UnsafeRawBufferPointer(rebasing: piece[6..<10]).bigEndianInteger
      let slot = UnsafeRawBufferPointer(rebasing: piece[14..<22]).bigEndianInteger
      text += piece[26...]
      rows.append(Row(resource: Int32(clamping: resource), slot: Int32(clamping: slot), end: text.count))
    }
  }
#endif
