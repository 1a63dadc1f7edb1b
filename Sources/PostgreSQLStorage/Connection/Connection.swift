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

  /// A connection to a database. It blocks, for a bounded time, and belongs to one queue.
  final class Connection {
    let address: DatabaseAddress
    private let connection: OpaquePointer
    /// The names of the statements that were prepared.
    private var prepared: Set<String> = []
    /// Whether an answer stayed away, so that nothing more can be asked.
    private(set) var isLost = false
    /// How many bytes a second a way carries that is slow, but not too slow to write while nobody else can.
    private static let slowWay = 50_000

    /// Connects. Blocks until that is done, at most some seconds.
    ///
    /// - Throws: ``StorageError`` with what libpq says, in one sentence.
    init(_ address: DatabaseAddress) throws(StorageError) {
      self.address = address
      guard let connection = postgresql_connect(address.connection) else {
        throw StorageError(.unavailable, "\(address.description): there is no memory for a connection.")
      }
      self.connection = connection
      guard PQstatus(connection) == CONNECTION_OK else {
        throw StorageError(connecting: PQerrorMessage(connection), to: address)
      }
      PQsetNoticeProcessor(connection, { _, _ in }, nil)
      PQsetnonblocking(connection, 1)
    }

    deinit {
      PQfinish(connection)
    }

    /// The socket, to learn of notices.
    var socket: Int32 { PQsocket(connection) }

    /// The version of the server: 150020 for 15.20.
    var serverVersion: Int { Int(PQserverVersion(connection)) }

    // MARK: Statements

    /// Runs a text of statements without parameters, and returns the last one's rows.
    ///
    /// - Parameters:
    ///   - deadline: How long the database may be silent; then the connection is lost.
    /// - Throws: ``StorageError``; with code `unavailable` it is not known what became of the statements.
    @discardableResult
    func run(_ text: String, deadline: Duration = .seconds(30)) throws(StorageError) -> ResultRows {
      guard !isLost, PQsendQuery(connection, text) == 1 else { throw lost() }
      return try result(deadline)
    }

    /// Runs a statement with parameters; it is prepared at its first use. Rows come in binary form.
    @discardableResult
    func run(
      _ text: String, _ parameters: [Parameter], deadline: Duration = .seconds(30)
    ) throws(StorageError) -> ResultRows {
      try run([Statement(text, parameters)], deadline: deadline)[0]
    }

    /// Runs statements one after the other in one round trip; each is prepared at its first use.
    ///
    /// After one that fails none is carried out. What they are in is no transaction because of that: `BEGIN` and `COMMIT`
    /// may be among them.
    ///
    /// - Returns: The rows of each statement.
    /// - Throws: ``StorageError`` of the first that fails; with code `unavailable` it is not known what became of them.
    @discardableResult
    func run(_ statements: [Statement], deadline: Duration = .seconds(30)) throws(StorageError) -> [ResultRows] {
      for statement in statements { try allowTime(for: statement.parameters) }
      guard !isLost, PQenterPipelineMode(connection) == 1 else { throw lost() }
      // What is sent, with the name of what it prepares.
      var sent: [String?] = []
      for statement in statements {
        let name = String(UInt(bitPattern: statement.text.hashValue), radix: 36)
        if !prepared.contains(name), !sent.contains(name) {
          guard PQsendPrepare(connection, name, statement.text, 0, nil) == 1 else { throw lost() }
          sent.append(name)
        }
        guard send(name, statement.parameters) else { throw lost() }
        sent.append(nil)
      }
      guard PQpipelineSync(connection) == 1 else { throw lost() }
      var answers: [ResultRows] = []
      var failure: StorageError?
      for name in sent {
        do throws(StorageError) {
          let rows = try result(deadline)
          guard failure == nil else { continue }
          if let name { prepared.insert(name) } else { answers.append(rows) }
        } catch {
          failure = failure ?? error
          if isLost { break }
        }
      }
      if let failure, isLost { throw failure }
      // The end of the pipeline has an answer of its own.
      try awaitInput(deadline)
      PQclear(PQgetResult(connection))
      guard PQexitPipelineMode(connection) == 1 else { throw lost() }
      if let failure { throw failure }
      return answers
    }

    /// Does work in a transaction, which is taken back when that fails.
    ///
    /// - Throws: What the work throws; with code `durabilityUnknown` the connection was lost while the transaction ended.
    func transaction<Success>(
      _ beginning: String = "BEGIN", _ body: () throws(StorageError) -> Success
    ) throws(StorageError) -> Success {
      do throws(StorageError) {
        try run(beginning)
        let success = try body()
        try commit()
        return success
      } catch {
        rollBack()
        throw error
      }
    }

    /// Ends a transaction. When the connection is lost before the response, nobody knows whether it took place.
    func commit(deadline: Duration = .seconds(600)) throws(StorageError) {
      do throws(StorageError) {
        try run("COMMIT", deadline: deadline)
      } catch {
        throw error.unsettled
      }
    }

    /// Takes a transaction back, if there is one.
    func rollBack() {
      if !isLost { _ = try? run("ROLLBACK", deadline: .seconds(5)) }
    }

    /// Has the database wait longer for what takes long to travel, where it waits for 3 s alone: within a transaction.
    private func allowTime(for parameters: [Parameter]) throws(StorageError) {
      let seconds = parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) } / Self.slowWay
      guard seconds > 0, PQtransactionStatus(connection) == PQTRANS_INTRANS else { return }
      try run("SELECT set_config('idle_in_transaction_session_timeout', $1, true)", [.text("\(3 + seconds)s")])
    }

    private func send(_ name: String, _ parameters: [Parameter]) -> Bool {
      // One buffer for all, so that their addresses hold until the call ends.
      var buffer: [UInt8] = []
      for parameter in parameters { buffer += parameter.bytes ?? [] }
      // An empty text has an address, too: only null has none.
      buffer.append(0)
      let lengths = parameters.map { Int32(truncatingIfNeeded: $0.bytes?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: parameters.count)
      return buffer.withUnsafeBufferPointer { buffer in
        var offset = 0
        let values = parameters.map { parameter -> UnsafePointer<CChar>? in
          guard let bytes = parameter.bytes else { return nil }
          defer { offset += bytes.count }
          return buffer.baseAddress.map { UnsafeRawPointer($0 + offset).assumingMemoryBound(to: CChar.self) }
        }
        return PQsendQueryPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1) == 1
      }
    }

    /// Waits for the answer to the next of what was sent; none is there for what stands behind a failure in a pipeline.
    @discardableResult
    private func result(_ deadline: Duration) throws(StorageError) -> ResultRows {
      var rows = ResultRows(nil)
      var failure: StorageError?
      while true {
        try awaitInput(deadline)
        guard let result = PQgetResult(connection) else { break }
        let next = ResultRows(result)
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows = next
        case PGRES_COPY_OUT: return next
        case PGRES_PIPELINE_ABORTED: break
        default: failure = failure ?? self.failure(of: result)
        }
        if isLost { break }
      }
      if let failure { throw failure }
      return rows
    }

    /// Waits until the next result can be taken without blocking: as long as something travels, and the deadline beyond that.
    private func awaitInput(_ deadline: Duration) throws(StorageError) {
      while true {
        let flushed = PQflush(connection)
        guard flushed >= 0 else { throw lost() }
        if flushed == 0, PQisBusy(connection) == 0 { return }
        try consumeInput(deadline, isSending: flushed == 1)
      }
    }

    private func consumeInput(_ deadline: Duration, isSending: Bool) throws(StorageError) {
      let ready = postgresql_wait(socket, isSending ? 1 : 0, Int32(clamping: Int(deadline / .milliseconds(1))))
      if ready == 0 {
        isLost = true
        throw StorageError(.unavailable, "\(address.description): no answer came in time.")
      }
      guard ready > 0, PQconsumeInput(connection) == 1 else { throw lost() }
    }

    private func lost() -> StorageError {
      isLost = true
      return StorageError(.unavailable, StorageError(connecting: PQerrorMessage(connection), to: address).message)
    }

    private func failure(of result: OpaquePointer) -> StorageError {
      // The fields of libpq's postgres_ext.h: 'C' is the code of the error, 'M' its message.
      let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
      let text = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      guard let state else { return lost() }
      let failure = StorageError(state: state, text ?? state, at: address)
      guard failure.code == .unavailable || PQstatus(connection) != CONNECTION_OK else { return failure }
      isLost = true
      return StorageError(.unavailable, failure.message)
    }

    // MARK: Copying and notices

    /// Runs `COPY … TO STDOUT` and passes on each piece.
    func copy(
      _ text: String, deadline: Duration, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
      try run(text, deadline: deadline)
      while true {
        var piece: UnsafeMutablePointer<CChar>?
        let count = PQgetCopyData(connection, &piece, 1)
        defer { PQfreemem(piece) }
        if count > 0 {
          try body(UnsafeRawBufferPointer(start: piece, count: Int(count)))
        } else if count == 0 {
          try consumeInput(deadline, isSending: false)
        } else if count == -1 {
          break
        } else {
          throw lost()
        }
      }
      try result(deadline)
    }

    /// Takes what has arrived, and returns what notices say; `nil` when the connection is lost.
    func receive() -> [String]? {
      if !isLost, PQconsumeInput(connection) != 1 { isLost = true }
      guard !isLost else { return nil }
      var notices: [String] = []
      while let notice = PQnotifies(connection) {
        notices.append(String(cString: notice.pointee.extra))
        PQfreemem(notice)
      }
      return notices
    }
  }
#endif
