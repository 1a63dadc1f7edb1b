#if PostgreSQL
  import Dispatch
  import NIOConcurrencyHelpers

  /// What a commit writes.
  package enum StoredCommit: Sendable {
    /// What is at the places that changed.
    case rows([StoredRow])
    /// Everything; made when it is written.
    case whole(@Sendable () -> StoredDatabase)
  }

  /// How a commit ended.
  package enum CommitResult: Sendable {
    case done
    /// Others have written meanwhile; nothing was written. The turn is kept, so that the next commit finds nothing else.
    case overtaken(ForeignChanges, since: Int, version: Int)
    /// Nothing was written.
    case failed(DatabaseFailure)
    /// The connection was lost, and it could not be found out in time whether everything was written or nothing.
    case unknown(DatabaseFailure)
  }

  /// Writes, one commit after the other, each in one transaction.
  actor CommitChannel {
    private let executor = QueueExecutor("swift-json-server.commits")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let address: DatabaseAddress
    /// The version that the server's data is built on.
    private let version: NIOLockedValueBox<Int>
    private var connection: Connection?
    /// Whether a transaction is open that has the turn; its number, so that a later one is not ended for it.
    private var turn: Int?
    private var lastTurn = 0
    private var commitCount = 0
    /// The beginning of all commits' ids, unlike that of any other server.
    private let run =
      String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)

    /// How long a statement of a commit may take, the turns of other servers included.
    private static let deadline = Duration.seconds(15)
    /// How long it is tried to find out what became of a commit.
    private static let settlingTime = Duration.seconds(10)
    /// How long the turn is kept for a server that does not commit.
    private static let longestTurn = DispatchTimeInterval.milliseconds(500)
    /// Of how many versions the changes are kept, for servers that were cut off.
    private static let keptChanges = 20_000

    init(_ address: DatabaseAddress, version: NIOLockedValueBox<Int>) {
      self.address = address
      self.version = version
    }

    /// Commits onto the version that the data is built on, which is then the next one.
    nonisolated func commit(_ commit: StoredCommit, completion: @escaping @Sendable (CommitResult) -> Void) {
      executor.queue.async {
        completion(self.assumeIsolated { $0.perform(commit) })
      }
    }

    /// Gives up the turn, if it is kept.
    nonisolated func releaseTurn() {
      executor.queue.async { self.assumeIsolated { $0.endTurn() } }
    }

    /// Waits for what is in progress, and disconnects.
    nonisolated func close() {
      executor.queue.sync { self.assumeIsolated { $0.disconnect() } }
    }

    private func disconnect() {
      endTurn()
      connection = nil
    }

    private func connected() throws(DatabaseFailure) -> Connection {
      if let connection, !connection.isLost { return connection }
      turn = nil
      connection = nil
      let new = try Connection.open(address)
      connection = new
      return new
    }

    private func perform(_ commit: StoredCommit) -> CommitResult {
      commitCount += 1
      let id = "\(run)-\(commitCount)"
      let end = ContinuousClock.now + Self.settlingTime
      while true {
        let base = version.withLockedValue { $0 }
        let hadConnection = connection.map { !$0.isLost } ?? false
        do throws(DatabaseFailure) {
          return try attempt(commit, id: id, onto: base)
        } catch {
          switch error.code {
          case .conflict:
            cancelTransaction()
            guard .now < end else { return .failed(error) }
          case .unreachable where !wasSent:
            // One that was lost since the commit before is made anew, so that nobody hears of it.
            guard hadConnection else { return .failed(error) }
          case .unreachable:
            guard let isDone = settle(id, onto: base, before: end) else {
              // Whatever the data is built on, it may not be that.
              version.withLockedValue { $0 = -1 }
              return .unknown(error)
            }
            if isDone {
              advance(from: base)
              return .done
            }
          case .address, .rights, .tables, .refused:
            cancelTransaction()
            return .failed(error)
          }
        }
      }
    }

    /// Whether a statement that may have committed was sent in the attempt before.
    private var wasSent = false

    private func attempt(
      _ commit: StoredCommit, id: String, onto base: Int
    ) throws(DatabaseFailure) -> CommitResult {
      wasSent = false
      let connection = try connected()
      switch commit {
      case .rows(let rows):
        let isFast = turn == nil && base >= 0
        wasSent = isFast
        if base >= 0, try connection.write(rows, onto: base, id: id, deadline: Self.deadline) {
          if !isFast { try endTransaction(connection) }
          advance(from: base)
          forgetChanges(connection)
          return .done
        }
        wasSent = false
      case .whole(let make):
        if turn == nil { try beginTurn(connection) }
        if try connection.version(deadline: Self.deadline) == base {
          try connection.replaceAll(make(), onto: base, id: id)
          try endTransaction(connection)
          advance(from: base)
          return .done
        }
      }
      if turn == nil { try beginTurn(connection) }
      let (changes, newest) = try connection.changes(since: base, isInTransaction: true, deadline: Self.deadline)
      // The one before had the turn, and gave it up without a change.
      guard newest != base else { throw DatabaseFailure(.conflict, "\(address.description): the data is in use.") }
      return .overtaken(changes, since: base, version: newest)
    }

    private func advance(from base: Int) {
      version.withLockedValue { $0 = base + 1 }
    }

    private func forgetChanges(_ connection: Connection) {
      guard commitCount % 1000 == 0 else { return }
      let oldest = version.withLockedValue { $0 } - Self.keptChanges
      _ = try? connection.forgetChanges(before: oldest)
    }

    // MARK: The turn

    private func beginTurn(_ connection: Connection) throws(DatabaseFailure) {
      _ = try connection.takeTurn(deadline: Self.deadline)
      lastTurn += 1
      turn = lastTurn
      let number = lastTurn
      executor.queue.asyncAfter(deadline: .now() + Self.longestTurn) {
        self.assumeIsolated { if $0.turn == number { $0.endTurn() } }
      }
    }

    private func endTransaction(_ connection: Connection) throws(DatabaseFailure) {
      wasSent = true
      try connection.run("COMMIT", deadline: Self.deadline)
      turn = nil
    }

    private func endTurn() {
      guard turn != nil else { return }
      cancelTransaction()
    }

    private func cancelTransaction() {
      turn = nil
      guard let connection, !connection.isLost else { return }
      _ = try? connection.run("ROLLBACK", deadline: .seconds(5))
    }

    // MARK: Lost connections

    /// Finds out whether a commit was carried out whose connection was lost.
    ///
    /// - Returns: `nil` when that cannot be found out in time.
    private func settle(_ id: String, onto base: Int, before end: ContinuousClock.Instant) -> Bool? {
      var wait: Double = 0.02
      while .now < end {
        connection = nil
        turn = nil
        do throws(DatabaseFailure) {
          return try connected().settle(id, onto: base, deadline: max(.seconds(1), end - .now))
        } catch {
          if error.code != .conflict, error.code != .unreachable { return nil }
        }
        // The queue is this channel's alone.
        DispatchSemaphore(value: 0).waitBriefly(seconds: wait)
        wait = min(wait * 2, 0.5)
      }
      return nil
    }
  }

  extension DispatchSemaphore {
    fileprivate func waitBriefly(seconds: Double) {
      _ = wait(timeout: .now() + seconds)
    }
  }
#endif
