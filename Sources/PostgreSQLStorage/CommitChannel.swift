#if PostgreSQL
  import Dispatch
  import JSONDatabase
  import JSONStorage

  /// The data that a commit writes.
  enum StoredCommit: Sendable {
    /// The content of the places that changed.
    case rows([PlacedRow])
    /// Everything.
    case whole(Database)
  }

  /// Writes, one commit after the other, each in one transaction.
  actor CommitChannel {
    let executor = QueueExecutor("swift-json-server.commits")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let address: DatabaseAddress
    let versions: SharedVersions
    var connection: Connection?
    /// Whether a transaction is open that has the turn; its number, so that a later one is not ended for it.
    var turn: Int?
    var lastTurn = 0
    private var isClosed = false
    private var commitCount = 0
    /// The beginning of all commits' ids, unlike that of any other server.
    private let run = CommitID.random

    /// How long the database may be silent during a commit.
    static let deadline = Duration.seconds(15)
    /// How long it is tried to find out what became of a commit, once its connection is lost.
    static let settlingTime = Duration.seconds(10)
    /// Of how many versions the changes are kept, for servers that were cut off.
    private static let keptChanges = 20_000

    init(_ address: DatabaseAddress, _ versions: SharedVersions) {
      self.address = address
      self.versions = versions
    }

    /// Commits onto the version that the data is built on, which is then the next one.
    nonisolated func commit(
      _ commit: StoredCommit, _ state: [ServerState.Row], completion: @escaping @Sendable (CommitResult) -> Void
    ) {
      executor.queue.async {
        completion(self.assumeIsolated { $0.perform(commit, state) })
      }
    }

    /// Waits for what is in progress, and disconnects.
    nonisolated func close() {
      executor.queue.sync { self.assumeIsolated { $0.disconnect() } }
    }

    private func disconnect() {
      endTurn()
      connection = nil
      isClosed = true
    }

    func connected() throws(StorageError) -> Connection {
      if isClosed { throw StorageError(.refused, "\(address.description): the server has stopped.") }
      if let connection, !connection.isLost { return connection }
      turn = nil
      connection = nil
      let new = try Connection.open(address)
      connection = new
      return new
    }

    private func perform(_ commit: StoredCommit, _ state: [ServerState.Row]) -> CommitResult {
      commitCount += 1
      let id = "\(run)-\(commitCount)"
      let end = ContinuousClock.now + Connection.patience
      while true {
        let base = versions.base
        let hadConnection = connection.map { !$0.isLost } ?? false
        do throws(StorageError) {
          return try attempt(commit, state, id: id, onto: base)
        } catch {
          switch error.code {
          case .conflict:
            cancelTransaction()
            guard .now < end, versions.isReached else { return .failed(error) }
          case .unavailable:
            // A connection that was lost since the last commit is opened again, so that the loss is not reported.
            guard hadConnection else { return .failed(error) }
          case .durabilityUnknown:
            guard let isDone = settle(id, onto: base) else {
              // Whatever the data is built on, it may not be that.
              versions.change { $0.base = (-1, nil) }
              return .failed(error)
            }
            if isDone {
              advance(from: base.version, id: id)
              return .done
            }
          default:
            cancelTransaction()
            return .failed(error)
          }
        }
      }
    }

    private func attempt(
      _ commit: StoredCommit, _ state: [ServerState.Row], id: String, onto base: (version: Int, id: String?)
    ) throws(StorageError) -> CommitResult {
      let connection = try connected()
      switch commit {
      case .rows(let rows) where base.version >= 0:
        let isWritten = try connection.write(
          rows, state, onto: base, id: id, endingTransaction: turn != nil, deadline: Self.deadline)
        turn = nil
        if isWritten {
          advance(from: base.version, id: id)
          forgetChanges(connection)
          return .done
        }
      case .rows: break
      case .whole(let database):
        if turn == nil { try beginTurn(connection) }
        if try connection.version(deadline: Self.deadline) == base.version,
          try connection.commitID(of: base.version) == base.id
        {
          try connection.replaceAll(database, state, onto: base.version, id: id)
          try connection.commit(deadline: Self.deadline)
          turn = nil
          advance(from: base.version, id: id)
          return .done
        }
      }
      if turn == nil { try beginTurn(connection) }
      let found = try changes(connection)
      // The one before had the turn, and gave it up without a change.
      switch found.source {
      case .success(let source) where source.isUnchanged:
        throw StorageError(.conflict, "\(address.description): the data is in use.")
      case .success(let source): return .moved(to: source)
      case .failure(let error): throw error
      }
    }

    private func advance(from base: Int, id: String) {
      versions.change { $0.base = (base + 1, id) }
    }

    /// The writes of others, while this server has the turn.
    func changes(_ connection: Connection) throws(StorageError) -> ForeignWrites {
      try connection.changes(since: versions, isInTransaction: true, deadline: Self.deadline)
    }

    private func forgetChanges(_ connection: Connection) {
      guard commitCount % 1000 == 0 else { return }
      let oldest = versions.base.version - Self.keptChanges
      _ = try? connection.forgetChanges(before: oldest)
    }

    // MARK: Lost connections

    /// Finds out whether a commit was carried out whose connection was lost.
    ///
    /// - Returns: `nil` when nobody can tell in time.
    private func settle(_ id: String, onto base: (version: Int, id: String?)) -> Bool? {
      // However long the commit itself was waited for; and while the database answers, as long as one may wait for others.
      let last = ContinuousClock.now + Connection.patience
      var end = ContinuousClock.now + Self.settlingTime
      var wait: Double = 0.02
      while .now < end {
        connection = nil
        turn = nil
        do throws(StorageError) {
          return try connected().settle(id, onto: base, deadline: max(.seconds(1), end - .now))
        } catch {
          if ![.conflict, .unavailable, .durabilityUnknown].contains(error.code) { return nil }
          if error.code == .conflict, versions.isReached { end = min(last, .now + Self.settlingTime) }
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
