public import HTTPTypes
public import JSONServer

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
  private let id: Int
  private let route: Route

  init(_ server: MockServer, id: Int, route: Route) {
    self.server = server
    self.id = id
    self.route = route
  }

  /// Returns the first request that waits here, once it is there.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for it.
  ///   - filePath: The file of the call, for the error.
  ///   - line: The line of the call.
  /// - Throws: ``MockServerError`` with code `unmetExpectation` when the time is over or the task is cancelled.
  @discardableResult
  public func arrived(
    within timeout: Duration = .seconds(5), filePath: String = #filePath, line: Int = #line
  ) async throws(MockServerError) -> Exchange {
    try await arrived(count: 1, within: timeout, filePath: filePath, line: line)[0]
  }

  /// Returns the first requests that wait here, once there are so many.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - timeout: How long to wait for each of them.
  ///   - filePath: The file of the call, for the error.
  ///   - line: The line of the call.
  /// - Throws: ``MockServerError`` with code `unmetExpectation` when the time is over or the task is cancelled.
  @discardableResult
  public func arrived(
    count: Int, within timeout: Duration = .seconds(5), filePath: String = #filePath, line: Int = #line
  ) async throws(MockServerError) -> [Exchange] {
    var found: [Exchange] = []
    while found.count < count {
      let known = found.map(\.id)
      let isNext: @Sendable (Exchange) -> Bool = { [id] in $0.hold == id && !known.contains($0.id) }
      let next = id == 0 ? nil : await server.exchange(within: timeout, where: isNext)
      guard let next else {
        let expected = count == 1 ? "\(route)" : "\(count) of \(route)"
        let outcome = count == 1 ? "it did not" : "\(found.count) did"
        let journal = JournalText.lines(await server.requests)
        throw MockServerError(
          .unmetExpectation, "Expected \(expected) to arrive within \(timeout), but \(outcome).\n\(journal)"
        ).at(filePath, line)
      }
      found.append(next)
    }
    server.ledger.recordExpected(found)
    return found
  }

  /// Lets the requests that wait go on; later ones do not wait.
  public func release() async {
    await server.server.releaseHold(id)
  }

  /// Lets the requests that wait fail; later ones do not wait.
  public func fail(
    with status: HTTPResponse.Status,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    await fail(with: status.code, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Lets the requests that wait fail; later ones do not wait.
  public func fail(
    with status: Int,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async {
    guard (200...599).contains(status) else {
      let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
      server.report(MockServerError(.invalidSetup, "'\(status)' is no status of a response."), at: place)
      return await release()
    }
    await server.server.releaseHold(id, failingWith: HTTPResponse.Status(code: status))
  }
}

extension MockServer {
  /// Lets requests wait from now on, until the hold is released.
  ///
  /// The requests are in the journal at once, as received. What they wait for comes after delays and faults, and before
  /// stubs and the data. ``recover()`` and the server's end release them, too. A hold that no request meets is an issue at
  /// the end of the test.
  ///
  /// - Parameters:
  ///   - route: The requests.
  ///   - times: How many of them wait; `nil` for all until the hold is released.
  ///   - fileID: The place of the call, for issues, as are the next three.
  ///   - filePath: The path of its file.
  ///   - line: Its line.
  ///   - column: Its column.
  public func hold(
    _ route: Route, times: Int? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async -> Hold {
    let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    let id = await setUp(.hold, route, isNeeded: true, at: place) { try await server.hold(route, times: times) }
    return Hold(self, id: id, route: route)
  }
}
