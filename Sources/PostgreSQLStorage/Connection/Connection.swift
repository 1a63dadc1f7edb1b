#if PostgreSQL
  import JSONStorage
  import CPostgreSQL

  /// A connection to a database. It blocks, for a bounded time, and belongs to one queue.
  ///
  /// It uses libpq, because PostgresNIO reads no service files, no `.pgpass`, no list of hosts and no `sslmode` of an address.
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

    /// Runs a statement with parameters; it is prepared at its first use.
    @discardableResult
    func run(
      _ text: String, _ parameters: [Parameter], deadline: Duration = .seconds(30)
    ) throws(StorageError) -> ResultRows {
      try allowTime(for: parameters)
      let name = String(UInt(bitPattern: text.hashValue), radix: 36)
      if !prepared.contains(name) {
        guard !isLost, PQsendPrepare(connection, name, text, 0, nil) == 1 else { throw lost() }
        try result(deadline)
        prepared.insert(name)
      }
      guard !isLost, send(name, parameters) else { throw lost() }
      return try result(deadline)
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
      guard !parameters.contains(where: { $0.bytes?.contains(0) == true }) else {
        throw StorageError(.refused, "\(address.description): PostgreSQL keeps no text with the character U+0000.")
      }
      let seconds = parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) } / Self.slowWay
      guard seconds > 0, PQtransactionStatus(connection) == PQTRANS_INTRANS else { return }
      try run("SELECT set_config('idle_in_transaction_session_timeout', $1, true)", [.text("\(3 + seconds)s")])
    }

    private func send(_ name: String, _ parameters: [Parameter]) -> Bool {
      // One buffer for all, so that their addresses hold until the call ends; each ends with a zero.
      var buffer: [UInt8] = []
      let starts = parameters.map { parameter -> Int? in
        guard let bytes = parameter.bytes else { return nil }
        defer { buffer += bytes + [0] }
        return buffer.count
      }
      return buffer.withUnsafeBytes { buffer in
        let values = starts.map { start in
          start.flatMap { buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
        }
        return PQsendQueryPrepared(connection, name, Int32(parameters.count), values, nil, nil, 0) == 1
      }
    }

    /// Waits for the answer to what was sent.
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
        default: failure = failure ?? self.failure(of: result)
        }
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
