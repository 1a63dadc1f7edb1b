public import JSONServerMock
public import Testing

/// Requests that wait until the test says so.
///
/// ```swift
/// let hold = await server.hold(.get("/bookmarks"))
/// async let bookmarks = store.load()
/// try await hold.arrived()
/// await hold.release()
/// ```
public struct Hold: Sendable {
  private let server: MockServer
  /// `nil` when it could not be set up, which is an issue.
  private let id: Int?
  private let request: RequestPattern

  init(_ server: MockServer, id: Int?, request: RequestPattern) {
    self.server = server
    self.id = id
    self.request = request
  }

  /// Returns the first request that waits here, once it is there.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for it.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Throws: ``MockServerError`` when the time is over or the task is cancelled.
  @discardableResult
  public func arrived(
    within timeout: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) -> Exchange {
    try await arrived(count: 1, within: timeout, sourceLocation: sourceLocation)[0]
  }

  /// Returns the first requests that wait here, once there are so many.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - timeout: How long to wait for each of them.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Throws: ``MockServerError`` when the time is over or the task is cancelled.
  @discardableResult
  public func arrived(
    count: Int, within timeout: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) -> [Exchange] {
    guard let id else {
      throw MockServerError(.invalidSetup, "No request waits in the hold for \(request), which could not be set up.")
        .at(sourceLocation.fileID, sourceLocation.line)
    }
    var found: [Exchange] = []
    while found.count < count {
      let known = found.map(\.id)
      let next = await server.exchange(within: timeout) { $0.hold == id && !known.contains($0.id) }
      guard let next else {
        let expected = count == 1 ? "\(request)" : "\(count) of \(request)"
        let outcome = count == 1 ? "it did not" : "\(found.count) did"
        let journal = JournalText.lines(await server.requests)
        throw MockServerError(
          .unmetExpectation, "Expected \(expected) to arrive within \(timeout), but \(outcome).\n\(journal)"
        ).at(sourceLocation.fileID, sourceLocation.line)
      }
      found.append(next)
    }
    server.ledger.recordExpected(found)
    return found
  }

  /// Lets the requests that wait go on; later ones do not wait.
  public func release() async {
    if let id { await server.server.releaseHold(id) }
  }

  /// Lets the requests that wait fail; later ones do not wait.
  public func fail(
    with status: HTTPResponse.Status, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await fail(with: status.code, sourceLocation: sourceLocation)
  }

  /// Lets the requests that wait fail; later ones do not wait.
  public func fail(with status: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
    guard let id else { return }
    guard (200...599).contains(status) else {
      let problem = "'status' must be a number from 200 to 599, not \(status)."
      server.report(MockServerError(.invalidSetup, problem), at: sourceLocation)
      return await release()
    }
    await server.server.releaseHold(id, failingWith: HTTPResponse.Status(code: status))
  }
}

extension MockServer {
  /// Lets requests wait from now on, until the hold is released.
  ///
  /// The requests are in the journal at once, as received. What they wait for comes after delays and faults, and before
  /// stubs and the data. ``MockServer/recover()`` and the server's end release them, too. A hold that no request meets is an
  /// issue at the end of the test. Of several holds the first one set up counts: with `times: 1`, each has one request.
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - times: How many of them wait, at least one; `nil` for all until the hold is released.
  ///   - sourceLocation: The place of the call, for issues.
  public func hold(
    _ request: RequestPattern, times: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> Hold {
    let id = await setUp(.hold, request, isNeeded: true, at: sourceLocation) { () async throws(ServerError) in
      try await server.hold(request, times: times)
    }
    return Hold(self, id: id, request: request)
  }
}
