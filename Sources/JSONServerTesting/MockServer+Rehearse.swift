public import JSONServerMock
import Synchronization
public import Testing

extension MockServer {
  /// Runs a closure again and again, each time with a server that changes something which a backend may change without
  /// telling its clients: a member is added, a text has a value not seen before, a list is empty.
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
  /// is not survived is an issue, unless the failure quotes the value that was changed. Elsewhere than in Swift Testing it
  /// is thrown when all have run, and only what the closure throws counts.
  ///
  /// - Parameters:
  ///   - only: The changes that are made, by rows of the catalogue (`null`), places (`bookmarks.tags`), or both
  ///     (`bookmarks.tags:null`); none for all.
  ///   - ignoring: The changes that are not made.
  ///   - limit: The most changes.
  ///   - recordsIssues: Whether changes that are not survived are issues; otherwise only the outcomes say it.
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
    let exchanges = try await withCopy(rehearsal.unchanged, body)
    let changes: [Rehearsal.Change]
    do throws(ServerError) {
      changes = try rehearsal.changes(for: exchanges, only: only, ignored: ignoring, limit: limit)
    } catch {
      throw MockServerError(.invalidSetup, error.message).at(sourceLocation.fileID, sourceLocation.line)
    }
    var outcomes: [RehearsedChange] = []
    for change in changes {
      let failures = await Self.failures { _ = try await self.withCopy(rehearsal.configuration(for: change), body) }
      outcomes.append(change.outcome(failures))
    }
    let errors = outcomes.filter { recordsIssues && $0.verdict == .failed }.map { outcome in
      let request = outcome.request.map { "In the response to \($0): " } ?? ""
      return "Not survived: \(outcome) (\(outcome.sentence); see \(outcome.source)).\n"
        + request + outcome.failures.joined(separator: "\n")
    }
    // Without a test that has issues, the first error would hide the others.
    for text in Test.current == nil && !errors.isEmpty ? [errors.joined(separator: "\n")] : errors {
      try MockServerError(.changeNotSurvived, text).report(at: sourceLocation)
    }
    return outcomes
  }

  /// Runs a closure with a copy of this server, and returns the requests that came.
  private func withCopy(
    _ configuration: Server.Configuration, _ body: @Sendable (MockServer) async throws -> Void
  ) async throws -> [Exchange] {
    let configuration = MockConfiguration(configuration, listens: !server.url.isEmpty)
    return try await withJSONServer(configuration) { copy in
      try await body(copy)
      return await copy.requests
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
      guard let test = Test.current else {
        try await body()
        return []
      }
      try await keep.provideScope(for: test, testCase: Test.Case.current, performing: body)
    } catch {
      failures.withLock { $0.append("\(error)") }
    }
    return failures.withLock { $0 }
  }
}
