public import JSONServerMock
public import Testing

/// Requests that wait until the test releases them.
///
/// ```swift
/// let hold = await server.hold(.get("/bookmarks"))
/// async let bookmarks = store.load()
/// try await hold.arrived()
/// await hold.release()
/// ```
public struct Hold: Sendable {
  private let server: MockServer
  /// `nil` when the hold could not be set up, which is an issue.
  private let id: Int?
  private let request: RequestPattern

  init(_ server: MockServer, id: Int?, request: RequestPattern) {
    self.server = server
    self.id = id
    self.request = request
  }

  /// Waits for the first held request, and returns it.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Throws: ``MockServerError`` when no request arrives in time or the task is cancelled.
  @discardableResult
  public func arrived(
    within timeout: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) -> Exchange {
    try await arrived(count: 1, within: timeout, sourceLocation: sourceLocation)[0]
  }

  /// Waits for several held requests, and returns them.
  ///
  /// - Parameters:
  ///   - count: The number of requests.
  ///   - timeout: How long to wait for each request.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Throws: ``MockServerError`` when a request does not arrive in time or the task is cancelled.
  @discardableResult
  public func arrived(
    count: Int, within timeout: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) -> [Exchange] {
    guard let id else {
      throw MockServerError("The hold for \(request) could not be set up, so no request waits in it.")
        .at(sourceLocation)
    }
    var found: [Exchange] = []
    while found.count < count {
      let known = found.map(\.id)
      let next = await server.exchange(within: timeout) { $0.hold == id && !known.contains($0.id) }
      guard let next else {
        let expected = count == 1 ? "\(request)" : "\(count) of \(request)"
        let outcome = server.reason(else: count == 1 ? "it did not" : "\(found.count) did")
        let journal = JournalText.lines(await server.requests)
        throw MockServerError(
          "Expected \(expected) to arrive within \(timeout), but \(outcome).\n\(journal)"
        ).at(sourceLocation)
      }
      found.append(next)
    }
    server.ledger.recordExpected(found)
    return found
  }

  /// Continues the held requests; later requests are not held.
  public func release() async {
    if let id { await server.server.releaseHold(id) }
  }

  /// Fails the held requests with a response, `.reset`, `.hang` or `.truncated`; later requests are not held.
  public func fail(with response: Response, sourceLocation: SourceLocation = #_sourceLocation) async {
    guard let id else { return }
    do throws(ServerError) {
      try await server.server.releaseHold(id, failingWith: response)
    } catch {
      server.report(MockServerError(error.message), at: sourceLocation)
      await release()
    }
  }

  /// Fails the held requests with a status: `with: 503`.
  public func fail(with status: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
    await fail(with: .status(status), sourceLocation: sourceLocation)
  }

  /// Fails the held requests with a status: `with: .serviceUnavailable`.
  public func fail(with status: HTTPResponse.Status, sourceLocation: SourceLocation = #_sourceLocation) async {
    await fail(with: .status(status), sourceLocation: sourceLocation)
  }
}

extension MockServer {
  /// Holds requests until the hold is released.
  ///
  /// The journal has a held request at once, as received. A hold comes after delays and faults, and before stubs and the
  /// data. ``MockServer/recover()`` and the server's end release it, too. A hold that no request meets is an issue at the end
  /// of the test. Of several holds that match, the first one set up applies: with `times: 1`, each has one request.
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - times: The number of requests to hold, at least one; `nil` for all.
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
