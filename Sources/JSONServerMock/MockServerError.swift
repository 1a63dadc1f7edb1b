/// A server that does not start, an expectation that is not met, or a wrong call.
public struct MockServerError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: Sendable, Hashable {
    /// The code does not run within a test that has a server.
    case noServer
    /// The file of the data does not exist.
    case fileMissing
    /// The file of the data cannot be read.
    case fileUnreadable
    /// The client did not do what was expected.
    case unmetExpectation
    /// The client does not survive a change that its backend may make.
    case changeNotSurvived
    /// A record cannot be read as the type that was asked for.
    case unreadableRecord
    /// No request met what was set up for it.
    case unmetSetup
    /// A request came that nothing responds to, or with a parameter that nothing understands.
    case unexpectedRequest
    /// A setup or expectation is impossible: a status, a name or a number that there is not, or requests that no
    /// client sends.
    case invalidSetup
  }

  /// The kind of failure.
  package let code: Code

  /// The message; for an unmet expectation with the difference and the requests.
  public let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
