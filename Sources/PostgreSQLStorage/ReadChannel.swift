#if PostgreSQL
  import Dispatch
  import NIOConcurrencyHelpers

  /// Notices what others write, and tells which version is the newest.
  actor ReadChannel {
    private let executor = QueueExecutor("swift-json-server.reads")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let address: DatabaseAddress
    private let version: NIOLockedValueBox<Int>
    /// The newest version that was seen.
    private let newestSeen: NIOLockedValueBox<Int>
    /// Why the database cannot be asked now; `nil` while it can.
    private let failure: NIOLockedValueBox<DatabaseFailure?>
    private let onChanges: @Sendable (ForeignChanges, _ since: Int, _ version: Int) -> Void
    /// Told when the database is reached again, or is not any more.
    private let onFailure: @Sendable (DatabaseFailure?) -> Void
    private var connection: Connection?
    private var notices: (any DispatchSourceRead)?
    /// Connections whose sockets are watched still.
    private var retired: [Connection] = []
    private var lastRenewal: ContinuousClock.Instant?
    private var isClosed = false
    private var wait: Double = shortestWait

    private static let deadline = Duration.seconds(3)
    private static let shortestWait: Double = 0.05
    private static let longestWait: Double = 2
    /// How long a change may go unnoticed where there are no notices.
    private static let interval: Double = 1

    init(
      _ address: DatabaseAddress, version: NIOLockedValueBox<Int>, newest: NIOLockedValueBox<Int>,
      failure: NIOLockedValueBox<DatabaseFailure?>,
      onChanges: @escaping @Sendable (ForeignChanges, Int, Int) -> Void,
      onFailure: @escaping @Sendable (DatabaseFailure?) -> Void
    ) {
      self.address = address
      self.version = version
      newestSeen = newest
      self.failure = failure
      self.onChanges = onChanges
      self.onFailure = onFailure
    }

    /// Begins to listen. Blocks until the database is connected.
    nonisolated func start() {
      executor.queue.async { self.assumeIsolated { $0.connect() } }
    }

    /// Finds out the newest version, and reports the changes up to it first.
    nonisolated func check(_ completion: @escaping @Sendable (Result<Int, DatabaseFailure>) -> Void) {
      executor.queue.async {
        completion(self.assumeIsolated { channel in Result { () throws(DatabaseFailure) in try channel.newest() } })
      }
    }

    /// Disconnects; nothing is reported any more.
    nonisolated func close() {
      executor.queue.sync {
        self.assumeIsolated { channel in
          channel.isClosed = true
          channel.disconnect()
        }
      }
    }

    private func newest() throws(DatabaseFailure) -> Int {
      guard let connection, !connection.isLost else {
        throw failure.withLockedValue { $0 }
          ?? DatabaseFailure(.unreachable, "\(address.description): not connected yet.")
      }
      do throws(DatabaseFailure) {
        var newest = try connection.version(deadline: Self.deadline)
        let seen = newest
        newestSeen.withLockedValue { $0 = seen }
        if newest > version.withLockedValue({ $0 }) { newest = try report(connection) }
        record(nil)
        return newest
      } catch {
        guard connection.isLost else {
          // As when somebody has changed the tables.
          if error.code != .conflict { record(error) }
          throw error
        }
        guard renew(because: error) else { throw error }
        return try newest()
      }
    }

    /// Records why the database cannot be asked, or that it can be again, and tells of it once.
    private func record(_ new: DatabaseFailure?) {
      let old = failure.withLockedValue { failure in
        defer { failure = new }
        return failure
      }
      if (old == nil) != (new == nil) { onFailure(new) }
    }

    private func report(_ connection: Connection) throws(DatabaseFailure) -> Int {
      let base = version.withLockedValue { $0 }
      let (changes, newest) = try connection.changes(since: base, isInTransaction: false, deadline: .seconds(60))
      if newest > base { onChanges(changes, base, newest) }
      return newest
    }

    // MARK: The connection

    private func connect() {
      guard !isClosed else { return }
      do throws(DatabaseFailure) {
        use(try Connection.open(address))
        if failure.withLockedValue({ $0 }) != nil { _ = try newest() }
        wait = Self.shortestWait
      } catch {
        if self.connection == nil || self.connection?.isLost == true { reconnect(because: error) }
      }
    }

    private func use(_ connection: Connection) {
      self.connection = connection
      // Databases that speak the protocol but have no notices are asked at intervals alone.
      _ = try? connection.run("LISTEN json_server", deadline: Self.deadline)
      listen(connection)
      checkLater()
    }

    private func listen(_ connection: Connection) {
      let source = DispatchSource.makeReadSource(fileDescriptor: connection.socket, queue: executor.queue)
      source.setEventHandler { self.assumeIsolated { $0.takeNotices() } }
      source.setCancelHandler { self.assumeIsolated { $0.retired = [] } }
      source.resume()
      notices = source
    }

    private func takeNotices() {
      guard let connection else { return }
      guard let arrived = connection.takeNotices() else {
        let lost = DatabaseFailure(.unreachable, "\(address.description): the connection was lost.")
        if renew(because: lost) { _ = try? newest() }
        return
      }
      let newest = arrived.compactMap(Int.init).max() ?? 0
      if newest > version.withLockedValue({ $0 }) { _ = try? self.newest() }
    }

    private func checkLater() {
      let current = connection.map(ObjectIdentifier.init)
      executor.queue.asyncAfter(deadline: .now() + Self.interval) {
        self.assumeIsolated { channel in
          guard !channel.isClosed, let connection = channel.connection, ObjectIdentifier(connection) == current else {
            return
          }
          _ = try? channel.newest()
          if channel.connection != nil { channel.checkLater() }
        }
      }
    }

    private func disconnect() {
      // Its socket is watched until the source has ended.
      if let connection { retired.append(connection) }
      notices?.cancel()
      if notices == nil { retired = [] }
      notices = nil
      connection = nil
    }

    /// Makes a lost connection anew at once, so that nobody hears of a single one that was cut.
    ///
    /// - Returns: Whether that worked; otherwise it is tried again and again, later.
    private func renew(because error: DatabaseFailure) -> Bool {
      let isFirst = lastRenewal.map { .now - $0 > .seconds(1) } ?? true
      guard isFirst, !isClosed, let again = try? Connection.open(address) else {
        reconnect(because: error)
        return false
      }
      lastRenewal = .now
      disconnect()
      use(again)
      return true
    }

    private func reconnect(because error: DatabaseFailure) {
      disconnect()
      guard !isClosed else { return }
      record(error)
      executor.queue.asyncAfter(deadline: .now() + wait) { self.assumeIsolated { $0.connect() } }
      wait = min(wait * 2, Self.longestWait)
    }
  }
#endif
