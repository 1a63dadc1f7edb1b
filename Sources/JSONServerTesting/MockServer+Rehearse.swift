public import JSONServerMock
import Synchronization
public import Testing

extension MockServer {
  /// Runs a closure once for each change that a backend may make without telling its clients: a new member, a new value, an
  /// empty list.
  ///
  /// ```swift
  /// @Test(.jsonServer("database.json")) func `The list survives what the backend may change`() async throws {
  ///   try await MockServer.current.rehearse { server in
  ///     _ = try await BookmarkStore(api: server.url).load()
  ///   }
  /// }
  /// ```
  ///
  /// The first run is without changes, and must succeed. Each later run changes one thing that the first run asked for, in
  /// responses only. Each run has a copy of this server with its current data; the closure sets up stubs and faults. A change
  /// that the closure does not survive is an issue, unless the failure quotes the value from before the change. Outside of
  /// Swift Testing, only errors of the closure count, and one error is thrown after all runs.
  ///
  /// - Parameters:
  ///   - only: The changes to make, by their names (`null`), places (`bookmarks.tags`), or both
  ///     (`bookmarks.tags:null`); none for all.
  ///   - ignoring: The changes to leave out.
  ///   - limit: The maximum number of changes.
  ///   - recordsIssues: Whether failed changes are issues of the test.
  ///   - sourceLocation: The place of the call, for issues.
  ///   - body: Loads data, and shows or decodes it. ``MockServer/current`` is the changed server in the closure.
  /// - Returns: The outcome of each change.
  /// - Throws: The closure's error in the first run; ``MockServerError`` when the closure asks for no data.
  @discardableResult
  public func rehearse(
    only: [String] = [], ignoring: [String] = [], limit: Int? = nil, recordsIssues: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: (MockServer) async throws -> Void
  ) async throws -> [RehearsedChange] {
    // Each run ends before the next one starts, and the caller waits for all of them.
    nonisolated(unsafe) let body = body
    let rehearsal = await Rehearsal(of: server)
    let exchanges = try await withCopy(rehearsal.unchanged, body)
    let changes: [Rehearsal.Change]
    do throws(ServerError) {
      changes = try rehearsal.changes(for: exchanges, only: only, ignored: ignoring, limit: limit)
    } catch {
      throw MockServerError(error.message).at(sourceLocation)
    }
    var outcomes: [RehearsedChange] = []
    for change in changes {
      let failures = await Self.failures { _ = try await self.withCopy(rehearsal.configuration(for: change), body) }
      try Task.checkCancellation()
      outcomes.append(change.outcome(failures))
    }
    let errors = outcomes.filter { recordsIssues && $0.verdict == .failed }.map { outcome in
      let request = outcome.request.map { "In the response to \($0): " } ?? ""
      return "Not survived: \(outcome) (\(outcome.sentence); see \(outcome.source)).\n"
        + request + outcome.failures.joined(separator: "\n")
    }
    try MockServerError.report(errors, at: sourceLocation)
    return outcomes
  }

  /// Runs a closure with a copy of this server, and returns the copy's requests.
  private func withCopy(
    _ configuration: Server.Configuration, _ body: (MockServer) async throws -> Void
  ) async throws -> [Exchange] {
    try await withJSONServer(configuration, listens: !server.url.isEmpty) { copy in
      try await body(copy)
      return await copy.server.allExchanges
    }
  }

  /// Runs a closure, and returns its issues, which the test does not get, and its error.
  static func failures(_ body: @Sendable () async throws -> Void) async -> [String] {
    let failures = Mutex<[String]>([])
    let keep = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.failsTest else { return issue }
      failures.withLock { $0.append("\(issue)") }
      return nil
    }
    do {
      guard let test = Test.current else {
        try await body()
        return []
      }
      try await keep.provideScope(for: test, testCase: Test.Case.current, performing: body)
    } catch {
      // What #require throws is an issue already.
      failures.withLock { if $0.isEmpty || !(error is ExpectationFailedError) { $0.append("\(error)") } }
    }
    return failures.withLock { $0 }
  }
}
