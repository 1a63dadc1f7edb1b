/// Why a test has no server, why what it expects of the client did not happen, or what is wrong with a call.
public struct MockServerError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, to switch over.
  public enum Code: Sendable, Hashable {
    /// The code does not run within a test that has a server.
    case noServer
    /// The file of the data does not exist.
    case fileMissing
    /// The file of the data cannot be read.
    case fileUnreadable
    /// The client did not do what was expected.
    case unmetExpectation
    /// A record cannot be read as the type that was asked for.
    case unreadableRecord
    /// No request met what was set up for it.
    case unmetSetup
    /// A request came that nothing responds to, or with a parameter that nothing understands.
    case unexpectedRequest
    /// What was to be set up, or expected, cannot be: a status, a name or a number that there is not, or requests that no
    /// client sends.
    case invalidSetup
  }

  /// What is wrong.
  public let code: Code

  /// What is wrong, for a person; for an unmet expectation with the difference and the requests received.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The same error, with the place of the call that fails: XCTest shows no other for what is thrown.
  func at(_ filePath: String, _ line: Int) -> MockServerError {
    MockServerError(code, "\(filePath):\(line): \(message)")
  }

  /// The same error, with where to find all of the requests.
  var namingAttachment: MockServerError {
    MockServerError(
      code,
      message + "\nTheir header fields and bodies are attached as requests.txt, which Xcode shows in its report, and "
        + "`swift test --attachments-path DIRECTORY` saves.")
  }

  public var description: String { message }
}

/// What becomes of requests that nothing responds to: whose path leads nowhere, whose method does not apply there, or with a
/// parameter that nothing understands.
public enum UnexpectedRequests: Sendable, Hashable {
  /// They get a 404 or 405, and such a parameter is ignored.
  case allow
  /// They get a 400 that says what was probably meant, and are issues at the end of the test.
  case issue
}
