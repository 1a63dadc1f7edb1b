extension Server {
  /// The newest exchanges, oldest first, without requests to `/__admin`.
  ///
  /// At most ``Configuration/journalCapacity``, and fewer when they together are larger than
  /// ``Configuration/journalByteCapacity``.
  public var journal: [Exchange] {
    get async { await engine.run { $0.journal.exchanges } }
  }

  /// The first thousand exchanges whose requests a strict server refused, oldest first; fewer when they together are larger
  /// than half of ``Configuration/journalByteCapacity``.
  public var unexpectedRequests: [Exchange] {
    get async { await engine.run { $0.journal.unexpected.all } }
  }

  /// The unexpected requests of a session; or of the server and then of its sessions, with the first thousand of ended
  /// sessions.
  package var allUnexpectedRequests: [Exchange] {
    get async { await engine.run { $0.journal.unexpected.all + ($0.isSession ? [] : $0.sessions.unexpected) } }
  }

  /// The exchanges of a session; or of the server and then of its sessions.
  package var allExchanges: [Exchange] {
    get async { await engine.run { $0.journal.exchanges + ($0.isSession ? [] : $0.sessions.exchanges) } }
  }

  /// Removes all exchanges that have a response.
  public func clearJournal() async {
    await engine.run { $0.journal.removeAll() }
  }

  /// Returns the oldest exchange that matches, and waits for it if necessary.
  ///
  /// ```swift
  /// let saved = await server.exchange(timeout: .seconds(5)) { $0.request.method == .post }
  /// ```
  ///
  /// - Parameters:
  ///   - id: Skips exchanges up to this id, whose requests arrived earlier.
  ///   - timeout: How long to wait.
  ///   - predicate: Returns whether an exchange matches; runs on the server's event loop and must return immediately.
  /// - Returns: The exchange; `nil` after the time limit, or when the task is canceled or the server stops.
  public func exchange(
    after id: Int = 0, timeout: Duration, where predicate: @escaping @Sendable (Exchange) -> Bool
  ) async -> Exchange? {
    await engine.run { await $0.journal.exchange(after: id, timeout: timeout, where: predicate, on: $0) }
  }
}
