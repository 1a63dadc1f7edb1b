#if PostgreSQL
  import JSONStorage
  import Dispatch

  /// Notices what others write, and tells which version is the newest.
  ///
  /// Its connection is made again when it is lost.
  actor ReadChannel {
    private let executor = QueueExecutor("swift-json-server.reads")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let address: DatabaseAddress
    private let versions: SharedVersions
    private let onChanges: @Sendable (LoadedSource) -> Void
    private let onFailure: @Sendable (StorageError?) -> Void
    private var connection: Connection?
    /// Tells when the connection has something to read.
    private var input: (any DispatchSourceRead)?
    /// Tells when to connect again, or to ask although nothing was heard.
    private var timer: (any DispatchSourceTimer)?
    /// The version that was reported last, which the server may not have taken over yet.
    private var reported: (since: Int, version: Int)?
    /// The newest version when it was looked at last whether somebody has the turn.
    private var watched: Int?
    /// The version that cannot be served, and why: it is not read again.
    private var refused: (version: Int, id: String?, failure: StorageError)?
    /// Whether the data is built on a version of this very database.
    private var isVerified = false
    private var lastRenewal: ContinuousClock.Instant?
    private var wait = shortestWait

    private static let deadline = Duration.seconds(3)
    private static let shortestWait = 0.05
    private static let longestWait = 2.0
    /// How many seconds a change may go unnoticed where there are no notices.
    private static let interval = 1.0

    /// Creates a channel that does not listen yet.
    ///
    /// - Parameters:
    ///   - onChanges: Called with what others have written that can be served, on any thread.
    ///   - onFailure: Called when the database is not reached any more, and with `nil` when it is again.
    init(
      _ address: DatabaseAddress, _ versions: SharedVersions,
      onChanges: @escaping @Sendable (LoadedSource) -> Void,
      onFailure: @escaping @Sendable (StorageError?) -> Void
    ) {
      self.address = address
      self.versions = versions
      self.onChanges = onChanges
      self.onFailure = onFailure
    }

    /// Does work after what the channel is at, and looks at what has arrived beside the answers.
    private nonisolated func perform(_ work: @escaping @Sendable (isolated ReadChannel) -> Void) {
      executor.queue.async {
        self.assumeIsolated { channel in
          work(channel)
          channel.receive()
        }
      }
    }

    /// Begins to listen.
    nonisolated func open() {
      perform { channel in
        let timer = DispatchSource.makeTimerSource(queue: channel.executor.queue)
        timer.setEventHandler { self.assumeIsolated { $0.doWhatIsDue() } }
        channel.timer = timer
        channel.connect()
        timer.activate()
      }
    }

    /// Finds out the newest version, and reports the changes up to it first.
    nonisolated func check(_ completion: @escaping @Sendable (Result<Int, StorageError>) -> Void) {
      perform { channel in completion(Result { () throws(StorageError) in try channel.newest() }) }
    }

    /// Reports what others have written while a commit was under way.
    nonisolated func catchUp() {
      if versions.isBehind { perform { $0.fetchChanges() } }
    }

    /// Disconnects; nothing is reported any more. Blocks until that is done.
    nonisolated func close() {
      executor.queue.sync {
        self.assumeIsolated { channel in
          channel.timer?.cancel()
          channel.timer = nil
          channel.use(nil)
        }
      }
    }

    // MARK: Versions

    /// The newest version, after the changes up to it were reported.
    ///
    /// - Throws: ``StorageError``, also while the newest version is one that cannot be served.
    private func newest() throws(StorageError) -> Int {
      guard let connection, !connection.isLost else {
        throw versions.failure ?? StorageError(.unavailable, "\(address.description): there is no connection.")
      }
      do throws(StorageError) {
        let base = versions.base
        if !isVerified {
          if base.version >= 0, try connection.commitID(of: base.version, deadline: Self.deadline) != base.id {
            forgetBase(base.version)
          }
          isVerified = true
        }
        let newest = try connection.version(deadline: Self.deadline)
        versions.change { $0.newest = newest }
        if newest < base.version { forgetBase(base.version) }
        if let refused, refused.version == newest,
          try connection.commitID(of: newest, deadline: Self.deadline) == refused.id
        {
          throw refused.failure
        }
        // A commit ends with what others have written before it.
        guard isToBeReported, versions.commits == 0 else {
          record(nil)
          return newest
        }
        let found = try connection.changes(since: versions, isInTransaction: false, deadline: .seconds(60))
        switch found.source {
        case .success(let source): if !source.isUnchanged { onChanges(source) }
        case .failure(let failure):
          refused = (found.version, found.commitID, failure)
          throw failure
        }
        refused = nil
        record(nil)
        reported = (found.since, found.version)
        // However long it took: the server takes it over now, so that it need not be read again.
        wake(after: Self.interval)
        return found.version
      } catch {
        // What was cancelled, or lacked memory or space, may not be another time.
        guard connection.isLost || error.code == .refused || error.code == .noSpace else {
          // As when somebody has changed the tables.
          if error.code != .conflict { record(error) }
          throw error
        }
        guard renew(because: error) else { throw error }
        return try newest()
      }
    }

    /// Records why the database cannot be asked, or that it can be again, and tells of it once.
    private func record(_ failure: StorageError?) {
      let isNew = (versions.failure == nil) != (failure == nil)
      versions.change { $0.failure = failure }
      if isNew { onFailure(failure) }
    }

    /// Records that the database is another one, which lacks what the data is built on.
    private func forgetBase(_ version: Int) {
      versions.forgetBase(version)
      reported = nil
    }

    /// Reports what others have written, unless a commit of this server is about to bring it.
    private func fetchChanges() {
      if isToBeReported, versions.commits + versions.turns == 0 { _ = try? newest() }
    }

    /// Whether others have written what was not reported yet, or not to data that it fits.
    private var isToBeReported: Bool {
      let (base, newest) = (versions.base.version, versions.newest)
      return newest > base && reported.map { base < $0.since || newest > $0.version } ?? true
    }

    /// Takes what the database has sent unasked.
    private func receive() {
      guard let connection else { return }
      guard let notices = connection.receive() else {
        let lost = StorageError(.unavailable, "\(address.description): the connection was lost.")
        if renew(because: lost) { _ = try? newest() }
        return
      }
      let newest = notices.compactMap { Int($0) }.max() ?? -1
      versions.change { $0.newest = max($0.newest, newest) }
      fetchChanges()
    }

    /// Connects again, or asks although nothing was heard.
    private func doWhatIsDue() {
      guard let connection, !connection.isLost else { return connect() }
      wake(after: Self.interval)
      reported = nil
      isVerified = false
      _ = try? newest()
      watchTurn()
      // The connection may have been lost.
      receive()
    }

    /// Notes since when nobody can write.
    private func watchTurn() {
      guard let connection, !connection.isLost else { return }
      let isTaken = (try? connection.isTurnTaken(deadline: Self.deadline)) ?? false
      let isStalled = isTaken && watched == versions.newest
      versions.change { $0.stall = isStalled ? $0.stall ?? .now : nil }
      watched = versions.newest
    }

    // MARK: The connection

    private func wake(after seconds: Double) { timer?.schedule(deadline: .now() + seconds) }

    private func connect() {
      do throws(StorageError) {
        use(try Connection.open(address))
        if versions.failure != nil { _ = try newest() }
        wait = Self.shortestWait
      } catch {
        if connection == nil || connection?.isLost == true { reconnect(because: error) }
      }
    }

    /// Uses another connection, and learns of its notices.
    private func use(_ new: Connection?) {
      input?.cancel()
      (input, connection, isVerified) = (nil, new, false)
      guard let new else { return }
      // Databases that speak the protocol but have no notices are asked at intervals alone.
      _ = try? new.run("LISTEN \"\(address.schema)\"", deadline: Self.deadline)
      let input = DispatchSource.makeReadSource(fileDescriptor: new.socket, queue: executor.queue)
      input.setEventHandler { self.assumeIsolated { $0.receive() } }
      // The socket stays open as long as it is watched.
      input.setCancelHandler { withExtendedLifetime(new) {} }
      input.activate()
      self.input = input
      wake(after: Self.interval)
    }

    /// Reconnects at once, so that a single cut is not reported.
    ///
    /// - Returns: Whether that worked; otherwise it is tried again and again, later.
    private func renew(because error: StorageError) -> Bool {
      let isFirst = lastRenewal.map { .now - $0 > .seconds(1) } ?? true
      guard isFirst, let again = try? Connection.open(address) else {
        reconnect(because: error)
        return false
      }
      lastRenewal = .now
      use(again)
      return true
    }

    private func reconnect(because error: StorageError) {
      use(nil)
      record(error)
      wake(after: wait)
      wait = min(wait * 2, Self.longestWait)
    }
  }
#endif
