#if PostgreSQL
  import JSONStorage

  /// A connection that hears of changes, and is made again when it is lost. It belongs to one thread.
  struct Listener {
    private let address: DatabaseAddress
    private let versions: SharedVersions
    private let onChanges: @Sendable (LoadedSource) -> Void
    private let onFailure: @Sendable (StorageError?) -> Void
    private(set) var connection: Connection?
    /// When to connect again, or to ask although nothing was heard.
    private(set) var due = ContinuousClock.now
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
    private static let shortestWait = Duration.milliseconds(50)
    private static let longestWait = Duration.seconds(2)
    /// How long a change may go unnoticed where there are no notices.
    private static let interval = Duration.seconds(1)

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

    // MARK: Versions

    /// The newest version, after the changes up to it were reported.
    ///
    /// - Throws: ``StorageError``, also while the newest version is one that cannot be served.
    mutating func newest() throws(StorageError) -> Int {
      guard let connection, !connection.isLost else {
        throw versions.failure ?? StorageError(.unavailable, "\(address.description): not connected yet.")
      }
      do throws(StorageError) {
        if !isVerified { try verifyBase(connection) }
        let base = versions.base
        let newest = try connection.version(deadline: Self.deadline)
        versions.newest = newest
        if newest < base { forgetBase(base) }
        if let refused, refused.version == newest,
          try connection.commitID(of: newest, deadline: Self.deadline) == refused.id
        {
          throw refused.failure
        }
        // A commit ends with what others have written before it.
        guard isToBeReported, !versions.isCommitting else {
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
        due = .now + Self.interval
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
      versions.failure = failure
      if isNew { onFailure(failure) }
    }

    /// Finds out whether the database is another one since the last time, one that lacks what the data is built on.
    private mutating func verifyBase(_ connection: Connection) throws(StorageError) {
      let (version, id) = versions.baseAndID
      if version >= 0, try connection.commitID(of: version, deadline: Self.deadline) != id { forgetBase(version) }
      isVerified = true
    }

    private mutating func forgetBase(_ version: Int) {
      versions.forgetBase(version)
      reported = nil
    }

    /// Reports what others have written, unless a commit of this server is about to bring it.
    mutating func fetchChanges() {
      for notice in connection?.takeNotices() ?? [] { note(notice) }
      if isToBeReported, !versions.isWriting { _ = try? newest() }
    }

    /// Whether others have written what was not reported yet, or not to data that it fits.
    private var isToBeReported: Bool {
      guard versions.isBehind else { return false }
      return reported.map { versions.base < $0.since || versions.newest > $0.version } ?? true
    }

    /// Takes what the database has sent unasked.
    mutating func receive() {
      guard let connection, !connection.receive() else { return }
      let lost = StorageError(.unavailable, "\(address.description): the connection was lost.")
      if renew(because: lost) { _ = try? newest() }
    }

    private func note(_ notice: String) {
      if let version = Int(notice), version > versions.newest { versions.newest = version }
    }

    /// Connects again, or asks although nothing was heard, when it is time to.
    mutating func doWhatIsDue() {
      guard .now >= due else { return }
      guard let connection, !connection.isLost else { return connect() }
      due = .now + Self.interval
      reported = nil
      isVerified = false
      _ = try? newest()
      watchTurn()
      // The connection may have been lost.
      receive()
    }

    /// Notes since when nobody can write.
    private mutating func watchTurn() {
      guard let connection, !connection.isLost else { return }
      let isTaken = (try? connection.isTurnTaken(deadline: Self.deadline)) ?? false
      if !isTaken || watched != versions.newest {
        versions.stall = nil
      } else if versions.stall == nil {
        versions.stall = .now
      }
      watched = versions.newest
    }

    // MARK: The connection

    mutating func connect() {
      do throws(StorageError) {
        use(try Connection.open(address))
        if versions.failure != nil { _ = try newest() }
        wait = Self.shortestWait
      } catch {
        if connection == nil || connection?.isLost == true { reconnect(because: error) }
      }
    }

    private mutating func use(_ connection: Connection) {
      self.connection = connection
      isVerified = false
      // Databases that speak the protocol but have no notices are asked at intervals alone.
      _ = try? connection.run("LISTEN \(connection.identifier(address.schema))", deadline: Self.deadline)
      due = .now + Self.interval
    }

    /// Reconnects at once, so that a single cut is not reported.
    ///
    /// - Returns: Whether that worked; otherwise it is tried again and again, later.
    private mutating func renew(because error: StorageError) -> Bool {
      let isFirst = lastRenewal.map { .now - $0 > .seconds(1) } ?? true
      guard isFirst, let again = try? Connection.open(address) else {
        reconnect(because: error)
        return false
      }
      lastRenewal = .now
      use(again)
      return true
    }

    private mutating func reconnect(because error: StorageError) {
      connection = nil
      record(error)
      due = .now + wait
      wait = min(wait * 2, Self.longestWait)
    }
  }
#endif
