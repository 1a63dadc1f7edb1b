extension Server {
  /// The newest exchanges, oldest first; requests to `/__admin` are left out.
  ///
  /// At most ``Configuration/journalCapacity``, and fewer when their bodies are larger than
  /// ``Configuration/journalByteCapacity`` together.
  public var journal: [Exchange] {
    get async { await engine.run { $0.journal.exchanges } }
  }

  /// The exchanges whose requests were refused because the server is strict, oldest first; the first thousand.
  public var unexpectedRequests: [Exchange] {
    get async { await engine.run { $0.journal.unexpected } }
  }

  /// Removes the exchanges.
  public func clearJournal() async {
    await engine.run { $0.journal.removeAll() }
  }

  /// Returns the oldest exchange that matches, and waits for it when it is yet to come.
  ///
  /// ```swift
  /// let saved = await server.exchange(timeout: .seconds(5)) { $0.request.method == .post }
  /// ```
  ///
  /// - Parameters:
  ///   - id: Exchanges up to this id are passed over, such as those that a test has seen.
  ///   - timeout: How long to wait.
  ///   - predicate: Says which exchange matches; runs on the server's event loop and must return immediately.
  /// - Returns: The exchange; `nil` when the time is up, the task was cancelled or the server stopped.
  public func exchange(
    after id: Int = 0, timeout: Duration, where predicate: @escaping @Sendable (Exchange) -> Bool
  ) async -> Exchange? {
    await engine.run { await $0.journal.exchange(after: id, timeout: timeout, where: predicate, on: $0) }
  }
}
