#if PostgreSQL
  import Dispatch
  import JSONServerValues
  import JSONStorage

  /// Reads the writes of other servers, and finds out the newest version.
  ///
  /// The channel reconnects when its connection is lost.
  actor ReadChannel: BlockingActor {
    nonisolated let executor = QueueExecutor("swift-json-server.reads")

    private let versions: SharedVersions
    private let onEdit: @Sendable (SourceEdit) -> Void
    private let onWarning: @Sendable (String) -> Void
    private var address: DatabaseAddress { versions.address }
    private var connection: Connection?
    /// Fires when the connection has something to read.
    private var input: (any DispatchSourceRead)?
    /// Fires when it is time to reconnect, or to query without a notice.
    private var timer: (any DispatchSourceTimer)?
    /// The version that was reported last, which the server may not have applied yet.
    private var reported: (since: Int, version: Int, time: ContinuousClock.Instant)?
    /// The newest version at the last check whether somebody has the turn.
    private var watched: Int?
    /// The version that cannot be served, which is not read again, and the reason.
    private var refused: (id: VersionID, failure: StorageError)?
    /// The earliest time to reconnect.
    private var renewal = ContinuousClock.now
    private var wait = shortestWait
    /// How long the database may be silent when it is asked for changes. What took longer gets more time.
    private var changesDeadline = shortestChangesDeadline

    /// How long the database may be silent when it is asked for the newest version: an idle connection may be lost unseen.
    private static let deadline = Duration.seconds(1)
    /// How long it may take to find the newest version, on whatever connections, before the database is unreachable.
    private static let patience = Duration.milliseconds(2_500)
    private static let shortestWait = 0.05
    private static let longestWait = 0.4
    private static let shortestChangesDeadline = Duration.milliseconds(1_500)
    /// The interval between queries in seconds, for databases without notices.
    private static let interval = 1.0

    /// Creates a channel that does not listen yet.
    ///
    /// - Parameters:
    ///   - onEdit: Called on any thread with writes of others that can be served.
    ///   - onWarning: Called when the database becomes unreachable, and when it is reached again.
    init(
      _ versions: SharedVersions, onEdit: @escaping @Sendable (SourceEdit) -> Void,
      onWarning: @escaping @Sendable (String) -> Void
    ) {
      self.versions = versions
      self.onEdit = onEdit
      self.onWarning = onWarning
    }

    /// Starts to listen.
    func listen() {
      let timer = DispatchSource.makeTimerSource(queue: executor.queue)
      timer.setEventHandler { self.assumeIsolated { $0.doWhatIsDue() } }
      self.timer = timer
      doWhatIsDue()
      timer.activate()
    }

    /// Finds out the newest version, after reporting the changes up to it.
    func check() -> Result<Int, StorageError> {
      defer { receive() }
      return Result { () throws(StorageError) in try newest() }
    }

    /// Reports the writes of others, also those that a notice has announced meanwhile.
    func catchUp() {
      fetchChanges()
      receive()
    }

    /// Disconnects and stops reporting.
    func close() {
      timer?.cancel()
      timer = nil
      use(nil)
    }

    // MARK: Versions

    /// Returns the newest version, after reporting the changes up to it.
    ///
    /// - Throws: ``StorageError``, also while the newest version cannot be served.
    private func newest() throws(StorageError) -> Int {
      let end = ContinuousClock.now + Self.patience
      var isRetry = false
      while true {
        let connection = try connected(until: end)
        do throws(StorageError) {
          connection.end = isRetry ? end : min(end, .now + Self.deadline)
          let newest = try takeChanges(connection)
          record(nil)
          wait = Self.shortestWait
          return newest
        } catch {
          guard connection.isLost || error.code == .refused || error.code == .noSpace else {
            // For example, when somebody has changed the tables.
            if error.code != .conflict { record(error) }
            throw error
          }
          // A query that was canceled, or that lacked memory or space, may succeed on another connection. A connection
          // that is lost at once says nothing about the next one.
          use(nil)
          if isRetry, !connection.isLost || .now >= end {
            postpone(because: error)
            throw error
          }
          isRetry = true
        }
      }
    }

    private func takeChanges(_ connection: Connection) throws(StorageError) -> Int {
      let base = versions.base.id
      let newest = try connection.newest()
      versions.change { $0.newest = newest.number }
      // After a failover, the database lacks the version that the data is built on.
      if newest.number <= base.number, newest != base {
        versions.forgetBase(base)
        reported = nil
      }
      if let refused, refused.id == newest { throw refused.failure }
      guard isToBeReported else { return newest.number }
      let expectation = versions.expectation
      guard expectation == .zero else {
        wake(after: expectation / .seconds(1))
        return newest.number
      }
      do throws(StorageError) {
        connection.end = nil
        let newer = try connection.changes(since: versions, deadline: changesDeadline)
        (refused, changesDeadline) = (nil, Self.shortestChangesDeadline)
        if newer.since != newer.number { onEdit(.changed(.newer(newer))) }
        reported = (newer.since ?? versions.base.id.number, newer.number, .now)
        // The server applies the changes now, so the next query can wait for the whole interval.
        wake(after: Self.interval)
        return newer.number
      } catch {
        refused = error.cause is JSONError ? (newest, error) : nil
        if connection.isLost { changesDeadline = min(changesDeadline * 4, Connection.long) }
        throw error
      }
    }

    /// Records the failure of the database, or `nil` for its recovery, and reports each once.
    private func record(_ failure: StorageError?) {
      let isNew = (versions.failure == nil) != (failure == nil)
      versions.change { $0.failure = failure }
      guard isNew else { return }
      onWarning(
        failure.map { "\($0.message) Until that is corrected, requests are refused with 503." }
          ?? "\(address.description) is reached again.")
    }

    /// Reports the writes of others, unless a commit of this server is about to do so.
    private func fetchChanges() {
      if isToBeReported, versions.expectation == .zero { _ = try? newest() }
    }

    /// Whether there are writes of others that were not reported, or were reported for other data.
    private var isToBeReported: Bool {
      let (base, newest) = (versions.base.id.number, versions.newest)
      return newest > base && reported.map { base < $0.since || newest > $0.version } ?? true
    }

    /// Receives the notices that the database has sent.
    private func receive() {
      guard let connection else { return }
      guard let notices = connection.receive() else {
        use(nil)
        _ = try? newest()
        return
      }
      let newest = notices.compactMap { Int($0) }.max() ?? -1
      versions.change { $0.newest = max($0.newest, newest) }
      fetchChanges()
    }

    /// Reconnects, or queries without a notice.
    private func doWhatIsDue() {
      wake(after: Self.interval)
      // What a commit keeps the server from applying may be large.
      if let reported, .now - reported.time > Self.patience { self.reported = nil }
      _ = try? newest()
      watchTurn()
      // The connection may have been lost.
      receive()
    }

    /// Records whether this server could write, and the time since which nobody can.
    private func watchTurn() {
      guard let connection else { return }
      // Requests wait meanwhile.
      connection.end = .now + Self.deadline
      guard let (isTaken, obstacle) = try? connection.turn() else { return }
      let isStalled = isTaken && watched == versions.newest
      versions.change {
        $0.stall = isStalled ? $0.stall ?? .now : nil
        $0.obstacle = obstacle
      }
      watched = versions.newest
      guard isStalled else { return }
      for session in (try? connection.endIdleHolders()) ?? [] {
        onWarning(
          "\(address.description): the session \(session) kept others from writing, and did nothing for \(Connection.longestIdleTurn) seconds; it was ended."
        )
      }
    }

    // MARK: The connection

    private func wake(after seconds: Double) { timer?.schedule(deadline: .now() + seconds) }

    private func connected(until end: ContinuousClock.Instant) throws(StorageError) -> Connection {
      if let connection { return connection }
      guard .now >= renewal else {
        throw versions.failure ?? StorageError(.unavailable, "\(address.description): there is no connection.")
      }
      do throws(StorageError) {
        let new = try Connection.open(address, until: end)
        use(new)
        return new
      } catch {
        postpone(because: error)
        throw error
      }
    }

    private func postpone(because error: StorageError) {
      record(error)
      renewal = .now + .seconds(wait)
      wake(after: wait)
      wait = min(wait * 2, Self.longestWait)
    }

    /// Uses another connection, and listens to its notices.
    private func use(_ new: Connection?) {
      input?.cancel()
      (input, connection) = (nil, new)
      guard let new else { return }
      // Standbys, and databases that speak the protocol but have no notices, are only queried at intervals.
      if (try? new.run("SELECT pg_is_in_recovery()").bool(0, 0)) != true {
        _ = try? new.run("LISTEN \"\(address.schema)\"")
      }
      // The next use of a connection that is lost by now finds the loss.
      input = new.watch(on: executor.queue) { self.assumeIsolated { $0.receive() } }
    }
  }
#endif
