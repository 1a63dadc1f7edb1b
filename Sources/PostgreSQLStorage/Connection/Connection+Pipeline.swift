#if PostgreSQL
  import JSONStorage
  import CPostgreSQL

  /// A statement, and what it is given.
  struct Statement {
    let text: String
    let parameters: [Parameter]

    init(_ text: String, _ parameters: [Parameter] = []) {
      self.text = text
      self.parameters = parameters
    }
  }

  extension Connection {
    /// Runs statements one after the other in one round trip; each is prepared at its first use.
    ///
    /// After one that fails none is carried out. What they are in is no transaction because of that: `BEGIN` and `COMMIT`
    /// may be among them.
    ///
    /// - Returns: The rows of each statement.
    /// - Throws: ``StorageError`` of the first that fails; with code `unavailable` it is not known what became of them.
    @discardableResult
    func run(_ statements: [Statement], deadline: Duration) throws(StorageError) -> [ResultRows] {
      for statement in statements { try allowTime(for: statement.parameters) }
      guard !isLost, PQenterPipelineMode(connection) == 1 else { throw lost() }
      var names: [(name: String, isNew: Bool)] = []
      for statement in statements {
        let name = Self.name(of: statement.text)
        let isNew = !prepared.contains(name) && !names.contains { $0.name == name }
        if isNew, PQsendPrepare(connection, name, statement.text, 0, nil) != 1 { throw lost() }
        guard send(name, statement.parameters) else { throw lost() }
        names.append((name, isNew))
      }
      guard PQpipelineSync(connection) == 1 else { throw lost() }
      var answers: [ResultRows] = []
      var failure: StorageError?
      for (name, isNew) in names {
        if isNew, try next(deadline, &failure) != nil, failure == nil { prepared.insert(name) }
        if let rows = try next(deadline, &failure) { answers.append(rows) }
      }
      // The end of the pipeline has an answer of its own.
      try awaitInput(deadline)
      PQclear(PQgetResult(connection))
      guard PQexitPipelineMode(connection) == 1 else { throw lost() }
      if let failure { throw failure }
      return answers
    }

    /// The answer to the next of the statements in a pipeline.
    ///
    /// - Parameter failure: The first failure; those of the statements after it say nothing.
    private func next(
      _ deadline: Duration, _ failure: inout StorageError?
    ) throws(StorageError) -> ResultRows? {
      var rows: ResultRows?
      while true {
        try awaitInput(deadline)
        guard let result = PQgetResult(connection) else { return rows }
        let next = ResultRows(result)
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows = next
        case PGRES_PIPELINE_ABORTED: break
        default: failure = failure ?? self.failure(of: result)
        }
        if isLost, let failure { throw failure }
      }
    }
  }
#endif
