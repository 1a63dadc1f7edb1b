public import JSONServerMock
public import Testing

extension MockServer {
  /// The requests, oldest first, with their responses; without those to `/__admin`.
  public var requests: [Exchange] {
    get async { await server.journal }
  }

  /// Returns the requests that match, oldest first.
  public func requests(
    _ request: RequestPattern, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> [Exchange] {
    do throws(MockServerError) {
      let expectation = try RequestExpectation(request)
      return await requests.filter { expectation.isMet(by: $0) }
    } catch {
      report(error, at: sourceLocation)
      return []
    }
  }

  /// Removes all requests from the journal, except those that are held.
  public func clearRequests() async {
    ledger.recordUnexpected(await server.unexpectedRequests)
    await server.clearJournal()
  }

  /// Expects that requests were received.
  ///
  /// ```swift
  /// try await server.expect(.post("/bookmarks", body: ["title": "NIO"]), times: 1)
  /// ```
  ///
  /// In Swift Testing, an unmet expectation is recorded as an issue and the test goes on; elsewhere it is thrown.
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - times: The number of requests; `nil` for one or more.
  ///   - delivery: What was sent of the responses; `nil` for anything.
  ///   - sourceLocation: The place of the expectation, for the issue.
  /// - Throws: ``MockServerError`` with the differences and the requests received.
  public func expect(
    _ request: RequestPattern, times: Int? = nil, delivery: Exchange.Delivery? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) {
    let range = times.map { $0...max($0, 0) } ?? 1...Int.max
    try await check(at: sourceLocation) { () async throws(MockServerError) in
      guard times ?? 0 >= 0 else {
        throw MockServerError("'times' must be at least 0, not \(times ?? 0).")
      }
      try await expect(try RequestExpectation(request, delivery), range, Self.text(times))
    }
  }

  /// Expects a number of requests within a range: `times: 1...3`, `times: 2...`.
  public func expect(
    _ request: RequestPattern, times: some RangeExpression<Int> & Sendable, delivery: Exchange.Delivery? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) {
    try await check(at: sourceLocation) { () async throws(MockServerError) in
      try await expect(try RequestExpectation(request, delivery), times, Self.text(times))
    }
  }

  private func expect(
    _ expectation: RequestExpectation, _ times: some RangeExpression<Int> & Sendable, _ text: String
  ) async throws(MockServerError) {
    let exchanges = await requests
    let met = exchanges.filter { expectation.isMet(by: $0) }
    guard times.contains(met.count) else {
      let count = met.count == 1 ? "once" : "\(met.count) times"
      throw Self.error("Expected \(expectation) \(text), but it came \(count).", expectation, exchanges)
    }
    ledger.recordExpected(met)
  }

  /// Expects requests in an order; other requests may come before, between and after them.
  ///
  /// - Throws: ``MockServerError`` with the requests received, elsewhere than in Swift Testing.
  public func expect(
    inOrder requests: [RequestPattern], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) {
    try await check(at: sourceLocation) { () async throws(MockServerError) in
      let exchanges = await self.requests
      var met: [Exchange] = []
      for request in requests {
        let expectation = try RequestExpectation(request)
        let last = met.last?.id ?? 0
        guard let next = exchanges.first(where: { $0.id > last && expectation.isMet(by: $0) }) else {
          let after = met.last.map { " after request \($0.id)" } ?? ""
          throw Self.error("Expected \(expectation)\(after), but it did not come.", expectation, exchanges)
        }
        met.append(next)
      }
      ledger.recordExpected(met)
    }
  }

  /// Expects no requests besides those that met an expectation or that the test waited for.
  ///
  /// - Throws: ``MockServerError`` with those requests, elsewhere than in Swift Testing.
  public func expectNoOtherRequests(
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) {
    try await check(at: sourceLocation) { () async throws(MockServerError) in
      let others = ledger.unexpected(among: await requests)
      guard !others.isEmpty else { return }
      let count = others.count == 1 ? "1 came" : "\(others.count) came"
      throw MockServerError(
        "Expected no other requests, but \(count).\n"
          + JournalText.lines(others))
    }
  }

  /// Returns the oldest request that matches; waits for it when there is none yet.
  ///
  /// ```swift
  /// let saved = try await server.waitForRequest(.post("/bookmarks")).decode(Bookmark.self)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The requests.
  ///   - state: Whether to wait for its response, too; a held request is received before.
  ///   - exchange: Looks only at requests after this one; `nil` for all.
  ///   - timeout: How long to wait.
  ///   - sourceLocation: The place of the call, for the error.
  /// - Throws: ``MockServerError`` when no request arrives in time or the task is cancelled.
  @discardableResult
  public func waitForRequest(
    _ request: RequestPattern, until state: Exchange.State = .responded, after exchange: Exchange? = nil,
    within timeout: Duration = .seconds(5), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws(MockServerError) -> Exchange {
    do throws(MockServerError) {
      let expectation = try RequestExpectation(request)
      let found = await self.exchange(after: exchange?.id ?? 0, within: timeout) {
        (state == .received || $0.state == state) && expectation.isMet(by: $0)
      }
      guard let found else {
        throw Self.error(
          "Expected \(expectation) within \(timeout), but \(reason(else: "it did not come")).", expectation,
          await requests)
      }
      ledger.recordExpected([found])
      return found
    } catch {
      throw error.at(sourceLocation)
    }
  }

  /// Returns the oldest exchange that matches, and waits for it in ten parts of the time.
  ///
  /// Between two parts all other tasks of the process have their turn, the client's too. So the time is longer where
  /// the processors have so much to do that the client does not go on.
  func exchange(
    after id: Int = 0, within timeout: Duration, where predicate: @escaping @Sendable (Exchange) -> Bool
  ) async -> Exchange? {
    for _ in 0..<10 {
      if let found = await server.exchange(after: id, timeout: timeout / 10, where: predicate) { return found }
      if Task.isCancelled { break }
    }
    return nil
  }

  /// Why a request is not waited for any longer.
  func reason(else reason: String) -> String {
    if Task.isCancelled { return "the task was cancelled" }
    return isRunning ? reason : "the server has stopped"
  }

  private static func text(_ times: Int?) -> String {
    switch times {
    case nil: "at least once"
    case 0?: "never"
    case 1?: "once"
    case let times?: "\(times) times"
    }
  }

  private static func text(_ times: some RangeExpression<Int>) -> String {
    switch times {
    case let times as ClosedRange<Int>: "\(times.lowerBound) to \(times.upperBound) times"
    case let times as Range<Int>: "\(times.lowerBound) to \(times.upperBound &- 1) times"
    case let times as PartialRangeFrom<Int>: "at least \(times.lowerBound) times"
    case let times as PartialRangeThrough<Int>: "at most \(times.upperBound) times"
    case let times as PartialRangeUpTo<Int>: "at most \(times.upperBound &- 1) times"
    default: "\(times) times"
    }
  }

  /// An error that says how the requests of the route differ, and which requests were received at all.
  private static func error(
    _ summary: String, _ expectation: RequestExpectation, _ exchanges: [Exchange]
  ) -> MockServerError {
    let others = exchanges.compactMap { exchange -> String? in
      guard let differences = expectation.differences(from: exchange), !differences.isEmpty else { return nil }
      return "Request \(exchange.id) differs:\n" + differences.map { "  \($0)" }.joined(separator: "\n")
    }
    return MockServerError(
      ([summary] + others.prefix(5) + [JournalText.lines(exchanges)]).joined(separator: "\n"))
  }
}

/// The properties of an expected request.
private struct RequestExpectation: Sendable, CustomStringConvertible {
  private let matcher: RequestMatcher
  /// The same without what a request of the route may lack.
  private let route: RequestMatcher
  /// What was sent of the response; `nil` for anything.
  private let delivery: Exchange.Delivery?

  /// - Throws: ``MockServerError`` for what no request can meet.
  init(_ request: RequestPattern, _ delivery: Exchange.Delivery? = nil) throws(MockServerError) {
    self.delivery = delivery
    do throws(RequestError) {
      matcher = try RequestMatcher(request)
      route = try RequestMatcher(RequestPattern(matcher.pattern.method, matcher.pattern.path))
    } catch {
      throw MockServerError("No request can match '\(request)': \(error.message)")
    }
  }

  func isMet(by exchange: Exchange) -> Bool {
    delivery.map { $0 == exchange.delivery } ?? true
      && matcher.matches(MatchableRequest(exchange.request, exchange.route))
  }

  /// How a request of the route differs, one difference a line; `nil` for a request of another route.
  func differences(from exchange: Exchange) -> [String]? {
    let request = exchange.request
    guard route.matches(MatchableRequest(request, exchange.route)) else { return nil }
    let pattern = matcher.pattern
    let parameters = (try? QueryParameters(target: request.target))?.items ?? []
    var lines = pattern.query.compactMap { field in
      let sent = parameters.filter { $0.name == field.name }.map(\.value)
      return Self.line("query \(field.name)", field.value, sent) { $0 == $1 }
    }
    lines += pattern.headers.compactMap { field in
      let sent = HTTPField.Name(field.name).map { request.headerFields[fields: $0].map(\.value) } ?? []
      return Self.line("header \(field.name)", field.value, sent) {
        WildcardPattern($0).matches(Array($1.utf8))
      }
    }
    switch pattern.body {
    case .including(let part): lines += JSONDifference.lines(expected: part, actual: request.json, isPart: true)
    case .equal(let value): lines += JSONDifference.lines(expected: value, actual: request.json)
    case .data(let data) where !data.elementsEqual(request.bytes):
      let expected = data.isEmpty ? "to be absent" : RequestPattern.text(of: data)
      lines.append("body: expected \(expected), was \(RequestPattern.text(of: request.bytes))")
    case .any, .data: break
    }
    lines += pattern.exceptions.filter { other in
      (try? RequestMatcher(other))?.matches(MatchableRequest(request, exchange.route)) == true
    }.map { "request: expected none that matches \($0)" }
    if let delivery, delivery != exchange.delivery {
      lines.append("delivery: expected \(delivery), was \(exchange.delivery)")
    }
    return lines
  }

  private static func line(
    _ name: String, _ expected: String?, _ sent: [String], _ isMet: (String, String) -> Bool
  ) -> String? {
    let actual = sent.map { "'\($0)'" }.joined(separator: ", ")
    guard let expected else { return sent.isEmpty ? nil : "\(name): expected to be absent, was \(actual)" }
    if sent.contains(where: { isMet(expected, $0) }) { return nil }
    return "\(name): expected '\(expected)', \(sent.isEmpty ? "is missing" : "was \(actual)")"
  }

  var description: String { matcher.pattern.description + (delivery.map { " with delivery \($0)" } ?? "") }
}

/// A journal as a person reads it.
enum JournalText {
  private static let maximumLines = 50

  /// Returns a line for each of the newest exchanges.
  static func lines(_ exchanges: [Exchange]) -> String {
    guard !exchanges.isEmpty else { return "No requests came." }
    let shown = exchanges.suffix(maximumLines)
    let others = exchanges.count - shown.count
    return "The requests that came\(others > 0 ? ", after \(others) others" : ""):\n"
      + shown.map { "  \($0.id). \($0)" }.joined(separator: "\n")
  }
}
