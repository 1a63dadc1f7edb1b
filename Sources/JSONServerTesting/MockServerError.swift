/// Why a test has no server, or why what it expects of the client did not happen.
public struct MockServerError: Error, Sendable {
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
  }

  /// What is wrong.
  public let code: Code

  /// What is wrong, for a person; for an unmet expectation with the difference and the requests received.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension MockServerError: CustomStringConvertible {
  public var description: String { message }
}
