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
    private var refused: (id: VersionID, failure: StorageError)?
    /// When a connection may be made.
    private var renewal = ContinuousClock.now
    private var lastLoss: ContinuousClock.Instant?
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
        channel.doWhatIsDue()
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
      let connection = try connected()
      do throws(StorageError) {
        let newest = try takeChanges(connection)
        record(nil)
        return newest
      } catch {
        guard connection.isLost || error.code == .refused || error.code == .noSpace else {
          // As when somebody has changed the tables.
          if error.code != .conflict { record(error) }
          throw error
        }
        // What was cancelled, or lacked memory or space, may not be another time.
        drop(because: error)
        return try newest()
      }
    }

    private func takeChanges(_ connection: Connection) throws(StorageError) -> Int {
      let base = versions.base.id
      let newest = try connection.newest(deadline: Self.deadline)
      versions.change { $0.newest = newest.number }
      // The database is another one, which lacks what the data is built on.
      if newest.number <= base.number, newest != base {
        versions.forgetBase(base)
        reported = nil
      }
      if let refused, refused.id == newest { throw refused.failure }
      // A commit ends with what others have written before it.
      guard isToBeReported, versions.commits == 0 else { return newest.number }
      let found = try connection.changes(since: versions, isInTransaction: false, deadline: .seconds(60))
      refused = nil
      switch found.source {
      case .success(let source): if !source.isUnchanged { onChanges(source) }
      case .failure(let failure):
        refused = (found.id, failure)
        throw failure
      }
      reported = (found.since ?? versions.base.id.number, found.id.number)
      // However long it took: the server takes it over now, so that it need not be read again.
      wake(after: Self.interval)
      return found.id.number
    }

    /// Records why the database cannot be asked, or that it can be again, and tells of it once.
    private func record(_ failure: StorageError?) {
      let isNew = (versions.failure == nil) != (failure == nil)
      versions.change { $0.failure = failure }
      if isNew { onFailure(failure) }
    }

    /// Reports what others have written, unless a commit of this server is about to bring it.
    private func fetchChanges() {
      if isToBeReported, versions.commits == 0 { _ = try? newest() }
    }

    /// Whether others have written what was not reported yet, or not to data that it fits.
    private var isToBeReported: Bool {
      let (base, newest) = (versions.base.id.number, versions.newest)
      return newest > base && reported.map { base < $0.since || newest > $0.version } ?? true
    }

    /// Takes what the database has sent unasked.
    private func receive() {
      guard let connection else { return }
      guard let notices = connection.receive() else {
        drop(because: StorageError(.unavailable, "\(address.description): the connection was lost."))
        _ = try? newest()
        return
      }
      let newest = notices.compactMap { Int($0) }.max() ?? -1
      versions.change { $0.newest = max($0.newest, newest) }
      fetchChanges()
    }

    /// Connects again, or asks although nothing was heard.
    private func doWhatIsDue() {
      wake(after: Self.interval)
      reported = nil
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

    private func connected() throws(StorageError) -> Connection {
      if let connection { return connection }
      guard .now >= renewal else {
        throw versions.failure ?? StorageError(.unavailable, "\(address.description): there is no connection.")
      }
      do throws(StorageError) {
        let new = try Connection.open(address)
        use(new)
        wait = Self.shortestWait
        return new
      } catch {
        postpone(because: error)
        throw error
      }
    }

    /// Gives up the connection. Another is made at once, so that a single cut is not reported, and a second one within a
    /// second later.
    private func drop(because error: StorageError) {
      use(nil)
      if let lastLoss, .now - lastLoss < .seconds(1) { postpone(because: error) }
      lastLoss = .now
    }

    private func postpone(because error: StorageError) {
      record(error)
      renewal = .now + .seconds(wait)
      wake(after: wait)
      wait = min(wait * 2, Self.longestWait)
    }

    /// Uses another connection, and learns of its notices.
    private func use(_ new: Connection?) {
      input?.cancel()
      (input, connection) = (nil, new)
      guard let new else { return }
      // Databases that speak the protocol but have no notices are asked at intervals alone.
      _ = try? new.run("LISTEN \"\(address.schema)\"", deadline: Self.deadline)
      let input = DispatchSource.makeReadSource(fileDescriptor: new.socket, queue: executor.queue)
      input.setEventHandler { self.assumeIsolated { $0.receive() } }
      // The socket stays open as long as it is watched.
      input.setCancelHandler { withExtendedLifetime(new) {} }
      input.activate()
      self.input = input
    }
  }
#endif
