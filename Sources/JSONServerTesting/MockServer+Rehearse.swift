public import JSONServerMock
import Synchronization
public import Testing

extension MockServer {
  /// Runs a closure again and again, each time with a server that changes something which a backend may change without
  /// telling its clients: a member is added, a text has a value not seen before, a list is empty, …
  ///
  /// ```swift
  /// @Test(.jsonServer("database.json")) func `The list survives what the backend may change`() async throws {
  ///   try await MockServer.current.rehearse { server in
  ///     _ = try await BookmarkStore(api: server.url).load()
  ///   }
  /// }
  /// ```
  ///
  /// The first run is unchanged, and has to succeed; what it asks for is changed in the others, in responses alone. Each run
  /// has a copy of this server with its data as it is at the call; stubs and faults are set up in the closure. A change that
  /// the closure does not survive is an issue, unless it fails because it expects the value that was changed. Elsewhere
  /// than in Swift Testing it is thrown when all have run, and only what the closure throws counts as failure.
  ///
  /// - Parameters:
  ///   - only: The changes that are made: rows of the catalogue as `null`, or places as `bookmarks` and `bookmarks.tags`;
  ///     none for all.
  ///   - ignoring: Changes that are not made.
  ///   - limit: The most changes.
  ///   - recordsIssues: Whether changes that are not survived are issues; without, the outcomes say it alone.
  ///   - sourceLocation: The place of the call, for issues.
  ///   - body: Loads, and shows or decodes what was loaded. ``MockServer/current`` is the changed server there, too.
  /// - Returns: What became of each change.
  /// - Throws: What the closure throws without a change; ``MockServerError`` when it asks for no data.
  @discardableResult
  public func rehearse(
    only: [String] = [], ignoring: [String] = [], limit: Int? = nil, recordsIssues: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @Sendable (MockServer) async throws -> Void
  ) async throws -> [RehearsedChange] {
    let rehearsal = await Rehearsal(of: server)
    let exchanges = try await withCopy(rehearsal.unchanged) { copy in
      try await body(copy)
      try await copy.verify()
      return await copy.requests
    }
    let changes: [Rehearsal.Change]
    do throws(ServerError) {
      changes = try rehearsal.changes(
        for: exchanges, Rehearsal.Selection(only: only, ignored: ignoring, limit: limit))
    } catch {
      throw MockServerError(.invalidSetup, error.message).at(sourceLocation.fileID, sourceLocation.line)
    }
    var outcomes: [RehearsedChange] = []
    for change in changes {
      let failures = try await withCopy(rehearsal.configuration(for: change)) { copy in
        await Self.failures {
          try await body(copy)
          try await copy.verify()
        }
      }
      outcomes.append(change.outcome(failures))
    }
    let errors = outcomes.filter { recordsIssues && $0.verdict == .failed }.map { outcome in
      MockServerError(
        .changeNotSurvived,
        """
        The change is not survived: \(outcome.description) (\(outcome.sentence); see \(outcome.source)).
        \(outcome.request.map { "In the response to \($0): " } ?? "")\(outcome.failures.joined(separator: "\n"))
        """)
    }
    guard Test.current == nil else {
      for error in errors { try error.report(at: sourceLocation) }
      return outcomes
    }
    guard let first = errors.first else { return outcomes }
    throw MockServerError(first.code, errors.map(\.description).joined(separator: "\n"))
      .at(sourceLocation.fileID, sourceLocation.line)
  }

  /// Runs a closure with a copy of this server.
  private func withCopy<Result>(
    _ configuration: Server.Configuration, _ body: (MockServer) async throws -> Result
  ) async throws -> Result {
    let copy = try await MockServer.start(MockConfiguration(configuration, copying: self))
    do {
      let result = try await MockServer.$running.withValue(copy) { try await body(copy) }
      await copy.stop()
      return result
    } catch {
      await copy.stop()
      throw error
    }
  }

  /// What goes wrong in a closure: its issues, which are none of the test's, and what it throws.
  private static func failures(_ body: @Sendable () async throws -> Void) async -> [String] {
    let failures = Mutex<[String]>([])
    let keep = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.isFailure else { return issue }
      failures.withLock { $0.append("\(issue)") }
      return nil
    }
    do {
      if let test = Test.current {
        try await keep.provideScope(for: test, testCase: Test.Case.current, performing: body)
      } else {
        try await body()
      }
    } catch {
      failures.withLock { $0.append("\(error)") }
    }
    return failures.withLock { $0 }
  }
}
