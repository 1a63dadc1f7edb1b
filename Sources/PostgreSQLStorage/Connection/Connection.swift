#if PostgreSQL
  import Dispatch
  import JSONDatabase
  import JSONStorage
  import CPostgreSQL

  /// A connection to a database. Its calls block for a limited time, on one queue.
  ///
  /// The connection uses libpq, because PostgresNIO does not support service files, `.pgpass`, lists of hosts and an
  /// address's `sslmode`.
  final class Connection {
    let address: DatabaseAddress
    private let connection: OpaquePointer
    /// The names of the prepared statements.
    private var prepared: Set<String> = []
    /// Whether a response did not come, so that the connection cannot be used.
    private(set) var isLost = false
    /// The rows that the database keeps for this connection's next large write, by number.
    var staged: [PlacedRow]?
    /// The end of the work in progress: no wait is longer, whatever the deadline of its statement; `nil` for none.
    var end: ContinuousClock.Instant?

    /// Connects. Blocks for some seconds at most.
    ///
    /// - Parameter seconds: The time limit for each host, unless the address has another.
    /// - Throws: ``StorageError`` with libpq's message, in one sentence.
    init(_ address: DatabaseAddress, seconds: Int = 5) throws(StorageError) {
      self.address = address
      guard let connection = postgresql_connect(address.connection, "\(seconds)") else {
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

    /// Calls a closure whenever there is something to read, until the returned source is canceled.
    ///
    /// - Returns: `nil` when the connection is lost.
    func watch(on queue: DispatchQueue, _ onInput: @escaping @Sendable () -> Void) -> (any DispatchSourceRead)? {
      // libpq closes its own socket when the connection is lost. The next connection would get the same number, and Dispatch
      // would not watch that number while the old source is ending.
      let socket = postgresql_copy_socket(connection)
      guard socket >= 0 else { return nil }
      let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
      source.setEventHandler(handler: onInput)
      source.setCancelHandler { postgresql_close(socket) }
      source.activate()
      return source
    }

    /// The process of the database that serves this connection, as the database says it when the connection is made.
    var process: Int { Int(PQbackendPID(connection)) }

    /// The version of the server: 150020 for 15.20.
    var serverVersion: Int { Int(PQserverVersion(connection)) }

    // MARK: Statements

    /// How long the database may be silent during a statement that reads or writes no more than a page.
    static let silence = Duration.seconds(10)

    /// Runs statements without parameters, and returns the rows of the last one.
    ///
    /// - Parameters:
    ///   - deadline: How long the database may be silent; then the connection is lost.
    /// - Throws: ``StorageError``; with code `unavailable` the statements may have been carried out or not.
    @discardableResult
    func run(_ text: String, deadline: Duration = silence) throws(StorageError) -> ResultRows {
      guard !isLost, PQsendQuery(connection, text) == 1 else { throw lost() }
      return try result(deadline)
    }

    /// Runs a statement with parameters, and prepares it at its first use.
    @discardableResult
    func run(
      _ text: String, _ parameters: [Parameter], deadline: Duration = silence
    ) throws(StorageError) -> ResultRows {
      guard !parameters.contains(where: { $0.bytes?.contains(0) == true }) else {
        throw StorageError(.refused, "\(address.description): PostgreSQL cannot store the character U+0000.")
      }
      let name = String(UInt(bitPattern: text.hashValue), radix: 36)
      if !prepared.contains(name) {
        guard !isLost, PQsendPrepare(connection, name, text, 0, nil) == 1 else { throw lost() }
        try result(deadline)
        prepared.insert(name)
      }
      guard !isLost, send(name, parameters) else { throw lost() }
      return try result(deadline)
    }

    /// Does work in a transaction, which is rolled back when the work fails; if one is in progress, does it within that.
    ///
    /// - Throws: The work's error; with code `durabilityUnknown` the connection was lost while the transaction ended.
    func transaction<Success>(
      _ beginning: String = "BEGIN", _ body: () throws(StorageError) -> Success
    ) throws(StorageError) -> Success {
      if PQtransactionStatus(connection) == PQTRANS_INTRANS { return try body() }
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

    /// Commits a transaction. When the connection is lost before the response, the outcome is unknown.
    func commit(deadline: Duration = .seconds(600)) throws(StorageError) {
      do throws(StorageError) {
        try run("COMMIT", deadline: deadline)
      } catch {
        throw error.unsettled
      }
    }

    /// Rolls back the transaction, if there is one.
    func rollBack() {
      guard !isLost, PQtransactionStatus(connection) != PQTRANS_IDLE else { return }
      _ = try? run("ROLLBACK", deadline: .seconds(2))
    }

    private func send(_ name: String, _ parameters: [Parameter]) -> Bool {
      // One buffer for all texts keeps their addresses valid until the call ends. Each text ends with a zero.
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

    /// Waits for the response.
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
        default:
          // Also a later failure tells whether the connection is lost.
          let other = self.failure(of: result)
          failure = failure ?? other
        }
      }
      if let failure { throw failure }
      return rows
    }

    /// Waits until the next result can be read without blocking: while data is transferred, and then up to the deadline; in
    /// both cases no longer than up to ``end``.
    private func awaitInput(_ deadline: Duration) throws(StorageError) {
      while true {
        let flushed = PQflush(connection)
        guard flushed >= 0 else { throw lost() }
        if flushed == 0, PQisBusy(connection) == 0 { return }
        let wait = end.map { min(deadline, max(.zero, $0 - .now)) } ?? deadline
        let ready = postgresql_wait(PQsocket(connection), flushed, Int32(clamping: Int(wait / .milliseconds(1))))
        if ready == 0 {
          isLost = true
          throw StorageError(.unavailable, "\(address.description): PostgreSQL did not respond in time.")
        }
        guard ready > 0, PQconsumeInput(connection) == 1 else { throw lost() }
      }
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

    /// Reads what has arrived, and returns the notices' texts; `nil` when the connection is lost.
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
