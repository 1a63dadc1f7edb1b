public import JSONServer
public import OrderedJSON

extension MockServer {
  /// The requests received, oldest first, with their responses; those to `/__admin` are left out.
  ///
  /// All of them, unless the test's `configure` bounds the journal.
  public var requests: [Exchange] {
    get async { await server.journal }
  }

  /// Returns the requests of a route, oldest first.
  public func requests(_ route: Route) async -> [Exchange] {
    await server.journal.filter { route.matches($0) }
  }

  /// Clears the journal of requests.
  public func forgetRequests() async {
    await server.clearJournal()
  }

  /// Expects that requests were received.
  ///
  /// In Swift Testing, an unmet expectation is recorded as an issue and the test goes on; elsewhere it is thrown.
  ///
  /// - Parameters:
  ///   - route: The method and the path.
  ///   - times: How often; `nil` for once or more.
  ///   - query: Parameters that the query has, among others.
  ///   - headers: Header fields that the request has, among others.
  ///   - body: The whole body as JSON; `nil` for any. A form is compared by its members. The order of members and the
  ///     spelling of numbers make no difference.
  ///   - fileID: The place of the expectation, for the issue, as are the next three.
  ///   - filePath: The path of its file.
  ///   - line: Its line.
  ///   - column: Its column.
  /// - Throws: ``MockServerError`` with code `unmetExpectation`, the differences and the requests received.
  public func expect(
    _ route: Route, times: Int? = nil, query: KeyValuePairs<String, String> = [:],
    headers: KeyValuePairs<String, String> = [:], body: JSONValue? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws(MockServerError) {
    let expectation = RequestExpectation(route, query: query, headers: headers, body: body)
    let exchanges = await requests
    let count = exchanges.count { expectation.isMet(by: $0) }
    guard times.map({ $0 == count }) ?? (count > 0) else {
      let place = CodePlace(fileID: fileID, filePath: filePath, line: line, column: column)
      return try place.report(
        Self.error(
          "Expected \(expectation) \(Self.text(times)), but it came \(count == 1 ? "once" : "\(count) times").",
          expectation, exchanges))
    }
  }

  /// Returns the oldest request that matches, and waits for it when it is yet to arrive.
  ///
  /// - Parameters:
  ///   - route: The method and the path.
  ///   - query: Parameters that the query has, among others.
  ///   - headers: Header fields that the request has, among others.
  ///   - body: The whole body as JSON; `nil` for any.
  ///   - exchange: Requests up to this one are passed over; `nil` looks at all.
  ///   - timeout: How long to wait.
  /// - Throws: ``MockServerError`` with code `unmetExpectation` when the time is over or the task is cancelled.
  @discardableResult
  public func waitForRequest(
    _ route: Route, query: KeyValuePairs<String, String> = [:], headers: KeyValuePairs<String, String> = [:],
    body: JSONValue? = nil, after exchange: Exchange? = nil, within timeout: Duration = .seconds(5)
  ) async throws(MockServerError) -> Exchange {
    let expectation = RequestExpectation(route, query: query, headers: headers, body: body)
    let found = await server.exchange(after: exchange?.id ?? 0, timeout: timeout) { expectation.isMet(by: $0) }
    if let found { return found }
    throw Self.error("Expected \(expectation) within \(timeout), but it did not come.", expectation, await requests)
  }

  private static func text(_ times: Int?) -> String {
    switch times {
    case nil: "at least once"
    case 0?: "never"
    case 1?: "once"
    case let times?: "\(times) times"
    }
  }

  /// An error that says how the requests of the route differ, and which requests were received at all.
  private static func error(
    _ summary: String, _ expectation: RequestExpectation, _ exchanges: [Exchange]
  ) -> MockServerError {
    let others = exchanges.filter { expectation.route.matches($0) }.compactMap { exchange -> String? in
      let differences = expectation.differences(from: exchange.request)
      guard !differences.isEmpty else { return nil }
      return "Request \(exchange.id) differs:\n" + differences.map { "  \($0)" }.joined(separator: "\n")
    }
    return MockServerError(
      .unmetExpectation, ([summary] + others.prefix(5) + [JournalText.lines(exchanges)]).joined(separator: "\n"))
  }
}
