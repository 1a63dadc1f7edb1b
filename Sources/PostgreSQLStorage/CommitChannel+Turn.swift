#if PostgreSQL
  import JSONStorage
  import Dispatch

  // The turn is a transaction that has locked the state: nobody else writes until it ends.

  extension CommitChannel {
    /// How long the turn is kept for a server that does not commit: longer than all but the largest writes take.
    private static let longestTurn = Duration.seconds(60)
    /// How often the database hears of a turn that is kept: it lets a transaction be idle for 3 s, so that a server that is
    /// paused loses its turn.
    private static let keepingInterval = DispatchTimeInterval.seconds(1)

    /// Takes the turn for the next commit, and finds out what others have written.
    ///
    /// - Parameters:
    ///   - mark: Called when the turn is there: what arrived before is served by what follows.
    ///   - completion: Called with what `mark` returned and what others have written, perhaps nothing.
    nonisolated func takeTurn(
      mark: @escaping @Sendable () -> Int,
      completion: @escaping @Sendable (Int, Result<LoadedSource, StorageError>) -> Void
    ) {
      executor.queue.async {
        let (number, result) = self.assumeIsolated { $0.takeTurn(mark) }
        completion(number, result)
      }
    }

    /// Gives up the turn, if it is kept.
    nonisolated func releaseTurn() {
      executor.queue.async { self.assumeIsolated { $0.endTurn() } }
    }

    private func takeTurn(_ mark: () -> Int) -> (Int, Result<LoadedSource, StorageError>) {
      let end = ContinuousClock.now + Connection.patience
      var mayReconnect = true
      while true {
        do throws(StorageError) {
          let connection = try connected()
          if turn == nil { try beginTurn(connection) }
          let number = mark()
          let source = try changes(connection).source
          if case .failure = source { endTurn() }
          return (number, source)
        } catch {
          cancelTransaction()
          let isTriedAgain =
            switch error.code {
            case .conflict: .now < end && versions.isReached
            case .unavailable: mayReconnect
            default: false
            }
          guard isTriedAgain else { return (mark(), .failure(error)) }
          if error.code == .unavailable { mayReconnect = false }
        }
      }
    }

    func beginTurn(_ connection: Connection) throws(StorageError) {
      try connection.run("BEGIN", deadline: Self.deadline)
      try connection.takeTurn(deadline: Self.deadline)
      lastTurn += 1
      turn = lastTurn
      keepTurn(lastTurn, until: .now + Self.longestTurn)
    }

    private func keepTurn(_ number: Int, until end: ContinuousClock.Instant) {
      executor.queue.asyncAfter(deadline: .now() + Self.keepingInterval) {
        self.assumeIsolated { channel in
          guard channel.turn == number else { return }
          guard .now < end, let connection = channel.connection,
            (try? connection.run("SELECT", deadline: .seconds(2))) != nil
          else { return channel.endTurn() }
          channel.keepTurn(number, until: end)
        }
      }
    }

    func endTurn() {
      guard turn != nil else { return }
      cancelTransaction()
    }

    func cancelTransaction() {
      turn = nil
      connection?.rollBack()
    }
  }
#endif
