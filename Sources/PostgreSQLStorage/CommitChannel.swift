#if PostgreSQL
  import Dispatch
  import JSONDatabase
  import JSONStorage

  /// What a commit writes.
  struct StoredCommit: Sendable {
    let version: Database
    /// The content of the places that changed; `nil` for everything.
    let rows: [PlacedRow]?
    let state: [ServerState.Row]
  }

  /// Writes commits one after the other, each in one transaction.
  ///
  /// The turn is a transaction that has locked the state: nobody else writes until this transaction ends. A commit that
  /// collides with another server's takes the turn, and the next commit uses this turn. Where several servers write all the
  /// time, a commit without the turn nearly always collides, so there a commit takes the turn first.
  actor CommitChannel {
    private let executor = QueueExecutor("swift-json-server.commits")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let address: DatabaseAddress
    private let versions: SharedVersions
    private var connection: Connection?
    /// The number of the current turn, which distinguishes it from later turns, and the newest version when it began.
    private var turn: (number: Int, newest: VersionID)?
    private var lastTurn = 0
    /// How many more commits must not collide before a commit is tried without the turn again.
    private var caution = 0
    private var isClosed = false
    private var commitCount = 0
    /// The beginning of all commits' ids, unlike that of any other server.
    private let run = VersionID.newCommit

    /// How long the database may be silent during a commit.
    static let deadline = Duration.seconds(15)
    /// How long it is tried to find out what became of a commit, once its connection is lost.
    private static let settlingTime = Duration.seconds(10)
    /// Of how many versions the changes are kept, for servers that were cut off.
    private static let keptChanges = 20_000
    /// How long the turn is kept for a server that does not commit: longer than all but the largest writes take.
    private static let longestTurn = Duration.seconds(60)
    /// How often the database hears of a turn that is kept: it lets a transaction be idle for 3 s, so that a server that is
    /// paused loses its turn.
    private static let keepingInterval = DispatchTimeInterval.seconds(1)

    init(_ address: DatabaseAddress, _ versions: SharedVersions) {
      self.address = address
      self.versions = versions
    }

    /// Commits onto the version that the data is built on, which is then the next one.
    ///
    /// - Parameter commit: `nil` to take the turn and write nothing.
    nonisolated func commit(_ commit: StoredCommit?, completion: @escaping @Sendable (CommitResult) -> Void) {
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
      executor.queue.sync {
        self.assumeIsolated { channel in
          channel.endTurn()
          channel.connection = nil
          channel.isClosed = true
        }
      }
    }

    private func connected() throws(StorageError) -> Connection {
      if isClosed { throw StorageError(.refused, "\(address.description): the server has stopped.") }
      if let connection, !connection.isLost { return connection }
      turn = nil
      connection = nil
      let new = try Connection.open(address)
      connection = new
      return new
    }

    private func perform(_ commit: StoredCommit?) -> CommitResult {
      commitCount += 1
      let id = "\(run)-\(commitCount)"
      let end = ContinuousClock.now + Connection.patience
      while true {
        let base = versions.base.id
        let hadConnection = connection.map { !$0.isLost } ?? false
        do throws(StorageError) {
          return try attempt(commit, id: id, onto: base)
        } catch {
          switch error.code {
          case .conflict:
            cancelTransaction()
            guard .now < end, versions.isReached else { return .failed(error) }
          case .unavailable:
            // A connection that was lost since the last commit is opened again, so that the loss is not reported.
            guard hadConnection else { return .failed(error) }
          case .durabilityUnknown:
            guard let commit, let isDone = settle(id, onto: base) else {
              // Whatever the data is built on, it may not be that.
              versions.forgetBase()
              return .failed(error)
            }
            if isDone { return done(commit, id: id, onto: base) }
          default:
            cancelTransaction()
            return .failed(error)
          }
        }
      }
    }

    private func attempt(_ commit: StoredCommit?, id: String, onto base: VersionID) throws(StorageError) -> CommitResult
    {
      let connection = try connected()
      let hadTurn = turn != nil
      if let commit, let rows = commit.rows, base.number >= 0, !hadTurn, caution == 0,
        try connection.write(rows, commit.state, onto: base, id: id, deadline: Self.deadline)
      {
        return done(commit, id: id, onto: base)
      }
      if !hadTurn { try takeTurn(connection) }
      if let commit, turn?.newest == base {
        if let rows = commit.rows {
          guard try connection.write(rows, commit.state, onto: base, id: id, deadline: Self.deadline) else {
            throw StorageError(.conflict, "\(address.description): another version was written in this server's turn.")
          }
        } else {
          try connection.replaceAll(commit.version, commit.state, onto: base.number, id: id)
        }
        try connection.commit(deadline: Self.deadline)
        if !hadTurn, caution > 0 { caution -= 1 }
        return done(commit, id: id, onto: base)
      }
      caution = Self.fullCaution
      return .moved(
        to: try connection.changes(since: versions, isInTransaction: true, deadline: Self.deadline).source.get())
    }

    private static let fullCaution = 8

    private func done(_ commit: StoredCommit, id: String, onto base: VersionID) -> CommitResult {
      turn = nil
      versions.change { $0.base = (VersionID(number: base.number + 1, commit: id), commit.version) }
      if commitCount % 1000 == 0 {
        _ = try? connection?.forgetChanges(before: base.number - Self.keptChanges)
      }
      return .done
    }

    // MARK: The turn

    private func takeTurn(_ connection: Connection) throws(StorageError) {
      let newest = try connection.takeTurn(after: "BEGIN; ", deadline: Self.deadline)
      lastTurn += 1
      turn = (lastTurn, newest)
      keepTurn(lastTurn, until: .now + Self.longestTurn)
    }

    private func keepTurn(_ number: Int, until end: ContinuousClock.Instant) {
      executor.queue.asyncAfter(deadline: .now() + Self.keepingInterval) {
        self.assumeIsolated { channel in
          guard channel.turn?.number == number else { return }
          guard .now < end, let connection = channel.connection,
            (try? connection.run("SELECT", deadline: .seconds(2))) != nil
          else { return channel.cancelTransaction() }
          channel.keepTurn(number, until: end)
        }
      }
    }

    private func endTurn() {
      if turn != nil { cancelTransaction() }
    }

    private func cancelTransaction() {
      turn = nil
      connection?.rollBack()
    }

    // MARK: Lost connections

    /// Finds out whether a commit was carried out whose connection was lost.
    ///
    /// - Returns: `nil` when nobody can tell in time.
    private func settle(_ id: String, onto base: VersionID) -> Bool? {
      // However long the commit itself was waited for; and while the database answers, as long as one may wait for others.
      let last = ContinuousClock.now + Connection.patience
      var end = ContinuousClock.now + Self.settlingTime
      var wait: Double = 0.02
      while .now < end {
        connection = nil
        do throws(StorageError) {
          return try connected().settle(id, onto: base, deadline: max(.seconds(1), end - .now))
        } catch {
          if ![.conflict, .unavailable, .durabilityUnknown].contains(error.code) { return nil }
          if error.code == .conflict, versions.isReached { end = min(last, .now + Self.settlingTime) }
        }
        // The queue is this channel's alone.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + wait)
        wait = min(wait * 2, 0.5)
      }
      return nil
    }
  }
#endif
