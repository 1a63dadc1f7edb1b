/// Why a test has no server, why what it expects of the client did not happen, or what is wrong with a call.
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
    /// No request met what was set up for it.
    case unmetSetup
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
}

extension MockServerError: CustomStringConvertible {
  public var description: String { message }
}
