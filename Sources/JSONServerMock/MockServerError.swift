/// A server that does not start, an expectation that is not met, or a wrong call.
public struct MockServerError: Error, Sendable, CustomStringConvertible {
  /// The message; for an unmet expectation with the difference and the requests.
  public let description: String

  package init(_ description: String) {
    self.description = description
  }
}
