#if PostgreSQL
  import CPostgreSQL
  import Dispatch
  import JSONDatabase
  import JSONServerValues
  import JSONStorage

  /// The content of a commit.
  struct StoredCommit: Sendable {
    let version: Database
    /// The content of the places that changed; `nil` to replace everything.
    let rows: [PlacedRow]?
    let state: [ServerState.Row]

    /// The rows to write, all of them to replace everything.
    var placedRows: [PlacedRow] { rows ?? version.placedRows }
    /// The bytes of the rows that change; 0 to replace everything.
    var size: Int { rows?.reduce(0) { $0 + ($1.text?.count ?? 0) } ?? 0 }
    /// How much longer than others a commit may take, since it is large.
    var travelTime: Duration { .seconds(size >> 20) }
  }

  /// Writes commits one after another, each in one transaction.
  ///
  /// The turn is a transaction that has locked the state: nobody else writes until this transaction ends. A commit that
  /// collides with another server's takes the turn, and the next commit uses this turn. Where several servers write all the
  /// time, a commit without the turn nearly always collides, so there a commit takes the turn first.
  actor CommitChannel: BlockingActor {
    nonisolated let executor = QueueExecutor("swift-json-server.commits")

    private let versions: SharedVersions
    private var address: DatabaseAddress { versions.address }
    private var connection: Connection?
    /// The time of the current turn, which distinguishes it from later turns, and the newest version when it began.
    private var turn: (start: ContinuousClock.Instant, newest: VersionID)?
    /// The number of commits that must succeed before the next attempt to commit without the turn.
    private var caution = 0
    /// How often in a row this server has read the writes of others without the turn.
    private var detours = 0
    private var isClosed = false
    private var commitCount = 0
    /// The prefix of this server's commit ids, unique among servers.
    private let run = VersionID.newCommit

    /// The longest time without a message from the database during a commit: longer than two waits for a lock.
    private static let deadline = Duration.seconds(6)
    /// How long a write waits for the turns of others, from its arrival: longer than a session may keep the turn and do nothing.
    private static let patience = Duration.seconds(9)
    /// How long a commit may take, from the arrival of its oldest write, whatever it waits for.
    private static let longestCommit = Duration.milliseconds(10_500)
    /// The least time for a commit whose oldest write has waited for earlier commits.
    private static let leastTime = Duration.seconds(2)
    /// The bytes of a commit that are sent before the turn is taken.
    private static let stagedSize = 64 << 10
    /// The least time for finding out whether a commit with a lost connection was carried out.
    private static let leastSettlingTime = Duration.seconds(1)
    /// The number of versions whose changes are kept, for servers that were disconnected.
    private static let keptChanges = 20_000
    /// The longest time that the turn is kept without a commit: all but the largest writes take less.
    private static let longestTurn = Duration.seconds(5)
    /// The interval of messages that keep the turn. The database ends a transaction after 3 s without a message, so that a
    /// paused server loses its turn.
    private static let keepingInterval = DispatchTimeInterval.seconds(1)

    init(_ versions: SharedVersions) {
      self.versions = versions
    }

    /// Disconnects.
    func close() {
      endTurn()
      connection = nil
      isClosed = true
    }

    private func connected(until end: ContinuousClock.Instant) throws(StorageError) -> Connection {
      if isClosed { throw StorageError(.refused, "\(address.description): the server has stopped.") }
      if let connection, !connection.isLost {
        connection.end = end
        return connection
      }
      turn = nil
      connection = nil
      let new = try Connection.open(address, until: end)
      connection = new
      return new
    }

    /// Commits the next version on top of the one that the server's data is built on.
    ///
    /// - Parameters:
    ///   - commit: `nil` to take the turn and write nothing.
    ///   - arrival: When the oldest of the writes arrived. All waits together end some time after that.
    func perform(_ commit: StoredCommit?, since arrival: ContinuousClock.Instant) -> CommitResult {
      commitCount += 1
      let id = "\(run)-\(commitCount)"
      let least = ContinuousClock.now + Self.leastTime
      let travelTime = commit?.travelTime ?? .zero
      let replacesAll = commit != nil && commit?.rows == nil
      let limits = Limits(
        lock: max(arrival + Self.patience, least) + travelTime,
        end: max(arrival + Self.longestCommit, least) + (replacesAll ? Connection.long : travelTime))
      // The turn outlasts the write that has taken it.
      defer { connection?.end = nil }
      while true {
        let base = versions.base.id
        let hadConnection = connection.map { !$0.isLost } ?? false
        do throws(StorageError) {
          let result = try attempt(commit, id: id, onto: base, limits)
          versions.change { $0.refusal = nil }
          return result
        } catch {
          switch error.code {
          case .conflict:
            cancelTransaction()
            // The statement that takes the turn is one line in the database's log.
            caution = max(caution, 1)
            guard .now < limits.lock, versions.isReached else { return .failed(error) }
          case .unavailable:
            // A connection that was lost since the last commit is reopened, and the loss is not reported.
            guard hadConnection else { return .failed(error) }
          case .durabilityUnknown:
            guard let commit, let isDone = settle(id, onto: base, until: limits.end) else {
              // Nothing tells whether the database has this version.
              versions.forgetBase()
              return .failed(error)
            }
            if isDone { return done(commit, id: id, onto: base) }
            // By now it is certain that the commit did not take place.
            guard .now < limits.end else { return .failed(StorageError(.unavailable, error.message)) }
          default:
            // A connection may have lost what was prepared on it.
            (turn, connection) = (nil, nil)
            if error.code != .refused { versions.change { $0.refusal = error.message } }
            return .failed(error)
          }
        }
      }
    }

    /// The ends of a commit's waits.
    private struct Limits {
      /// The last moment for a wait for the turns of others.
      let lock: ContinuousClock.Instant
      /// The last moment for every other wait.
      let end: ContinuousClock.Instant

      /// Whether there is time for another wait, which begins after others have had their turns.
      var isEarly: Bool { .now < lock - .seconds(6) }
    }

    private func attempt(
      _ commit: StoredCommit?, id: String, onto base: VersionID, _ limits: Limits
    ) throws(StorageError) -> CommitResult {
      let connection = try connected(until: limits.end)
      let deadline = Self.deadline + (commit?.travelTime ?? .zero)
      if let commit, let rows = commit.rows, base.number >= 0, turn == nil, caution == 0, limits.isEarly,
        try connection.write(rows, commit.state, onto: base, id: id, deadline: deadline)
      {
        return done(commit, id: id, onto: base)
      }
      // What takes long to travel does so while others can write.
      let staged = commit.flatMap { $0.rows == nil || $0.size > Self.stagedSize ? $0.placedRows : nil }
      if let staged, turn == nil || !connection.hasStaged(staged) {
        endTurn()
        try connection.stage(staged)
      }
      let hadTurn = turn != nil
      if !hadTurn {
        if limits.isEarly, try isFar(connection, from: base, deadline: deadline) { return try moved(connection) }
        let start = ContinuousClock.now
        try takeTurn(connection, until: limits.lock)
        if .now - start > Self.shortWait, turn?.newest != base, limits.isEarly,
          try isFar(connection, from: base, deadline: deadline)
        {
          endTurn()
        }
      }
      if let commit, turn?.newest == base {
        if let rows = commit.rows {
          guard
            try connection.write(
              rows, areStaged: staged != nil, commit.state, onto: base, id: id, deadline: deadline)
          else {
            throw StorageError(.conflict, "\(address.description): another version was written in this server's turn.")
          }
        } else {
          try connection.replaceAll(commit.version, commit.state, onto: base.number, id: id)
        }
        try connection.commit(deadline: deadline)
        if !hadTurn, caution > 0 { caution -= 1 }
        return done(commit, id: id, onto: base)
      }
      return try moved(connection)
    }

    /// Whether others have written much, which this server reads while they can go on; not again and again, or it would never
    /// write: each time it waits for the turn anew.
    private func isFar(
      _ connection: Connection, from base: VersionID, deadline: Duration
    ) throws(StorageError) -> Bool {
      guard detours < Self.mostDetours, try connection.isFar(from: base, deadline: deadline) else { return false }
      detours += 1
      return true
    }

    private func moved(_ connection: Connection) throws(StorageError) -> CommitResult {
      caution = Self.fullCaution
      return .moved(to: .newer(try connection.changes(since: versions, deadline: Self.deadline)))
    }

    private static let fullCaution = 8
    private static let mostDetours = 4
    /// The longest wait for the turn in which nobody writes much.
    private static let shortWait = Duration.milliseconds(50)

    private func done(_ commit: StoredCommit, id: String, onto base: VersionID) -> CommitResult {
      (turn, detours) = (nil, 0)
      _ = try? connection?.forgetStaged()
      versions.change { $0.base = (VersionID(number: base.number + 1, commit: id), commit.version) }
      if commitCount % 1000 == 0 {
        _ = try? connection?.forgetChanges(before: base.number - Self.keptChanges)
      }
      return .done
    }

    // MARK: The turn

    private func takeTurn(_ connection: Connection, until end: ContinuousClock.Instant) throws(StorageError) {
      // A row's lock takes two waits: behind those who wait, and for the one who has it.
      let limit = min(max(Int((end - .now) / .milliseconds(2)), 50), 2_000)
      let newest = try connection.takeTurn(after: "BEGIN; SET LOCAL lock_timeout = \(limit); ", deadline: Self.deadline)
      let start = ContinuousClock.now
      turn = (start, newest)
      keepTurn(since: start)
    }

    private func keepTurn(since start: ContinuousClock.Instant) {
      executor.queue.asyncAfter(deadline: .now() + Self.keepingInterval) {
        self.assumeIsolated { channel in
          guard channel.turn?.start == start else { return }
          guard .now - start < Self.longestTurn, let connection = channel.connection,
            (try? connection.run("SELECT", deadline: .seconds(2))) != nil
          else { return channel.cancelTransaction() }
          channel.keepTurn(since: start)
        }
      }
    }

    /// Lets others write, if this server has the turn.
    func endTurn() {
      if turn != nil { cancelTransaction() }
    }

    private func cancelTransaction() {
      turn = nil
      connection?.rollBack()
    }

    // MARK: Lost connections

    /// Finds out whether a commit with a lost connection was carried out.
    ///
    /// - Returns: `nil` when the database does not answer in time, or somebody else keeps the turn.
    private func settle(_ id: String, onto base: VersionID, until last: ContinuousClock.Instant) -> Bool? {
      let end = max(last, .now + Self.leastSettlingTime)
      var milliseconds: Int32 = 20
      connection = nil
      while .now < end {
        do throws(StorageError) {
          return try connected(until: end).settle(id, onto: base)
        } catch {
          // The next commit must not meet the failed transaction.
          connection = nil
          if ![.conflict, .unavailable, .durabilityUnknown].contains(error.code) { return nil }
        }
        // Only this channel uses the queue. A semaphore would wait for days when the clock is set back.
        _ = postgresql_wait(-1, 0, milliseconds)
        milliseconds = min(milliseconds * 2, 500)
      }
      return nil
    }
  }
#endif
