#if PostgreSQL
  import JSONStorage
  import CPostgreSQL
  import JSONServerValues

  /// A connection to a database. It blocks, for a bounded time, and belongs to one queue.
  final class Connection {
    let address: DatabaseAddress
    let connection: OpaquePointer
    /// The names of the statements that were prepared.
    var prepared: Set<String> = []
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
        throw Self.failure(PQerrorMessage(connection), address)
      }
      PQsetNoticeProcessor(connection, { _, _ in }, nil)
      PQsetnonblocking(connection, 1)
    }

    deinit {
      PQfinish(connection)
    }

    private static func failure(_ message: UnsafePointer<CChar>?, _ address: DatabaseAddress) -> StorageError {
      let lines = message.map { String(cString: $0) } ?? ""
      let text = lines.split(separator: "\n").map { $0.trimmingSpaces }.joined(separator: " ")
      let isAddress = ["invalid", "unrecognized", "missing"].contains { text.hasPrefix($0) } && !text.contains("FATAL")
      guard !isAddress else { return StorageError(.invalidAddress, "\(address.description): \(text).") }
      if text.contains("FATAL"),
        ["does not exist", "authentication failed", "no pg_hba.conf entry", "permission denied"]
          .contains(where: text.contains)
      {
        return StorageError(.forbidden, "\(address.description): \(text).")
      }
      return StorageError(.unavailable, "\(address.description): \(text).")
    }

    /// The socket, to learn of notices.
    var socket: Int32 { PQsocket(connection) }

    /// The version of the server: 150020 for 15.20.
    var serverVersion: Int { Int(PQserverVersion(connection)) }

    /// A name as it stands in a statement.
    func identifier(_ name: String) -> String { "\"\(name.split(separator: "\"").joined(separator: "\"\""))\"" }

    // MARK: Statements

    /// Runs a statement, or several without parameters, and returns the last one's rows.
    ///
    /// - Parameters:
    ///   - deadline: How long the database may be silent; then the connection is lost.
    /// - Throws: ``StorageError``; with code `unavailable` it is not known what became of the statement.
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
      try allowTime(for: parameters)
      let name = Self.name(of: text)
      if !prepared.contains(name) {
        guard !isLost, PQsendPrepare(connection, name, text, 0, nil) == 1 else { throw lost() }
        try result(deadline)
        prepared.insert(name)
      }
      guard !isLost, send(name, parameters) else { throw lost() }
      return try result(deadline)
    }

    /// Has the database wait longer for what takes long to travel, where it waits for 3 s alone: within a transaction.
    func allowTime(for parameters: [Parameter]) throws(StorageError) {
      let seconds = parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) } / Self.slowWay
      guard seconds > 0, PQtransactionStatus(connection) == PQTRANS_INTRANS else { return }
      try run("SELECT set_config('idle_in_transaction_session_timeout', $1, true)", [.text("\(3 + seconds)s")])
    }

    /// The name under which a statement is prepared.
    static func name(of text: String) -> String { String(UInt(bitPattern: text.hashValue), radix: 36) }

    func send(_ name: String, _ parameters: [Parameter]) -> Bool {
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
        case PGRES_COPY_OUT: return next
        default: failure = failure ?? self.failure(of: result)
        }
      }
      if let failure { throw failure }
      return rows
    }

    /// Waits until the next result can be taken without blocking: as long as something travels, and the deadline beyond that.
    func awaitInput(_ deadline: Duration) throws(StorageError) {
      while true {
        let flushed = PQflush(connection)
        guard flushed >= 0 else { throw lost() }
        if flushed == 0, PQisBusy(connection) == 0 { return }
        try consumeInput(deadline, isSending: flushed == 1)
      }
    }

    private func consumeInput(_ deadline: Duration, isSending: Bool) throws(StorageError) {
      let ready = postgresql_wait(socket, isSending ? 1 : 0, Int32(clamping: Int(deadline / .milliseconds(1))))
      if ready == 0 { throw lost("no answer came in time") }
      guard ready > 0, PQconsumeInput(connection) == 1 else { throw lost() }
    }

    func lost(_ reason: String? = nil) -> StorageError {
      isLost = true
      if let reason { return StorageError(.unavailable, "\(address.description): \(reason).") }
      let failure = Self.failure(PQerrorMessage(connection), address)
      return StorageError(.unavailable, failure.message)
    }

    func failure(of result: OpaquePointer) -> StorageError {
      // The fields of libpq's postgres_ext.h: 'C' is the code of the error, 'M' its message.
      let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
      let text = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      guard let state else { return lost() }
      let failure = StorageError(state: state, text ?? state, at: address)
      if failure.code == .unavailable || PQstatus(connection) != CONNECTION_OK {
        isLost = true
        return StorageError(.unavailable, failure.message)
      }
      return failure
    }

    // MARK: Copying and notices

    /// Runs `COPY … TO STDOUT` and passes on each piece.
    func copy(
      _ text: String, deadline: Duration, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
      guard !isLost, PQsendQuery(connection, text) == 1 else { throw lost() }
      try result(deadline)
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

    /// Takes what has arrived, and returns whether the connection is still there.
    func receive() -> Bool {
      if !isLost, PQconsumeInput(connection) != 1 { isLost = true }
      return !isLost
    }

    /// Takes the notices that have arrived, and returns what they say.
    func takeNotices() -> [String] {
      var notices: [String] = []
      while let notice = PQnotifies(connection) {
        notices.append(String(cString: notice.pointee.extra))
        PQfreemem(notice)
      }
      return notices
    }
  }

  extension Substring {
    fileprivate var trimmingSpaces: Substring {
      var text = self[(firstIndex { $0 != " " && $0 != "\t" } ?? endIndex)...]
      while let last = text.last, last == " " || last == "." || last == "\t" { text.removeLast() }
      return text
    }
  }
#endif
