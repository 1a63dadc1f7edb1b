import JSONServerMock
import Testing

extension MockServerError {
  /// Records the error as an issue of the running test: at a place in its source, or else at its declaration.
  ///
  /// - Throws: The error, with the place, when no test of Swift Testing runs.
  func report(at location: SourceLocation?) throws(MockServerError) {
    guard let test = Test.current else {
      throw location.map { at($0) } ?? self
    }
    Issue.record(Comment(rawValue: description), sourceLocation: location ?? test.sourceLocation)
  }

  /// Records each error as an issue of the running test.
  ///
  /// - Throws: One error, with the place, when no test of Swift Testing runs: the first would hide the others.
  static func report(_ errors: [String], at location: SourceLocation) throws(MockServerError) {
    for text in Test.current == nil && !errors.isEmpty ? [errors.joined(separator: "\n")] : errors {
      try MockServerError(text).report(at: location)
    }
  }

  /// The same error, with the place of the call that fails: XCTest shows no other for what is thrown.
  func at(_ location: SourceLocation) -> MockServerError {
    MockServerError("\(location.fileID):\(location.line): \(description)")
  }

  /// The same error, with the place of all requests.
  var namingAttachment: MockServerError {
    MockServerError(
      description
        + "\nTheir header fields and bodies are attached as requests.txt, which Xcode shows in its report, and "
        + "`swift test --attachments-path DIRECTORY` saves.")
  }
}

extension Ledger {
  /// Records a failure to report at a place in the test's source; `nil` when the message has the place.
  func recordFailure(_ error: MockServerError, at location: SourceLocation?) {
    recordFailure { () throws(MockServerError) in
      guard let location else { throw error }
      try error.report(at: location)
    }
  }
}

extension MockServer {
  /// Records an error as an issue, or for the next call that throws.
  func report(_ error: MockServerError, at location: SourceLocation?) {
    do throws(MockServerError) {
      try error.report(at: location)
    } catch {
      // It has its place by now.
      ledger.recordFailure(error, at: nil)
    }
  }

  /// Calls a closure, and reports its error at a place.
  func check(
    at location: SourceLocation, _ body: () async throws(MockServerError) -> Void
  ) async throws(MockServerError) {
    try reportFailures()
    do throws(MockServerError) {
      try await body()
    } catch {
      let namesAttachment = await !requests.isEmpty && ledger.takesAttachment()
      try (namesAttachment ? error.namingAttachment : error).report(at: location)
    }
  }

  func reportFailures() throws(MockServerError) {
    var failures: [MockServerError] = []
    for failure in ledger.takeFailures() {
      do throws(MockServerError) {
        try failure()
      } catch {
        failures.append(error)
      }
    }
    guard !failures.isEmpty else { return }
    throw MockServerError(failures.map(\.description).joined(separator: "\n"))
  }

  /// Sets up a fault, a hold or a stub, and reports an error.
  ///
  /// - Parameter isNeeded: Whether at least one request should meet it.
  /// - Returns: Its id; `nil` when it cannot be set up.
  @discardableResult
  func setUp(
    _ kind: Rule.Kind, _ request: RequestPattern, isNeeded: Bool, at location: SourceLocation,
    _ body: () async throws(ServerError) -> Int
  ) async -> Int? {
    guard isRunning else {
      let message = "The server has stopped, so no request can meet the \(kind.rawValue) for \(request)."
      report(MockServerError(message), at: location)
      return nil
    }
    do throws(ServerError) {
      let id = try await body()
      if isNeeded {
        ledger.recordSetup(kind, id, request) { [weak self] in self?.report($0, at: location) }
      }
      return id
    } catch {
      report(
        MockServerError("The \(kind.rawValue) for \(request) cannot be set up: \(error)"), at: location)
      return nil
    }
  }
}
