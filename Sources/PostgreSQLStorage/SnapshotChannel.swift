#if PostgreSQL
  import JSONStorage
  import Dispatch

  /// Keeps snapshots and brings the data back to them, one after the other, on a connection of its own: that takes as long as
  /// there is data.
  actor SnapshotChannel {
    private let executor = QueueExecutor("swift-json-server.snapshots")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let address: DatabaseAddress
    private let versions: SharedVersions
    private var connection: Connection?

    init(_ address: DatabaseAddress, _ versions: SharedVersions) {
      self.address = address
      self.versions = versions
    }

    /// Does work, again when it collided with other servers', and once again when a connection was lost that took all of it
    /// back.
    nonisolated func perform<Success: Sendable>(
      _ work: @escaping @Sendable (Connection) throws(StorageError) -> Success,
      _ completion: @escaping @Sendable (Result<Success, StorageError>) -> Void
    ) {
      executor.queue.async {
        completion(
          self.assumeIsolated { channel in
            Result { () throws(StorageError) in try channel.perform(work) }
          })
      }
    }

    /// Waits for what is in progress, and disconnects.
    nonisolated func close() {
      executor.queue.sync { self.assumeIsolated { $0.connection = nil } }
    }

    private func perform<Success>(
      _ work: (Connection) throws(StorageError) -> Success
    ) throws(StorageError) -> Success {
      let end = ContinuousClock.now + CommitChannel.patience
      var mayReconnect = true
      while true {
        let connection = try connected()
        do throws(StorageError) {
          return try work(connection)
        } catch {
          // Outside of a transaction this does nothing.
          if !connection.isLost { _ = try? connection.run("ROLLBACK", deadline: .seconds(5)) }
          switch error.code {
          case .conflict where .now < end && versions.isReached: break
          case .unavailable where mayReconnect: mayReconnect = false
          default: throw error
          }
        }
      }
    }

    /// The connection, unless it was lost while nothing was asked.
    private func connected() throws(StorageError) -> Connection {
      // What a database says that ends comes before the end.
      if let connection, connection.receive(), connection.receive() { return connection }
      connection = nil
      let new = try Connection.open(address)
      connection = new
      return new
    }
  }
#endif
