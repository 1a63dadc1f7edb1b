public import HTTPTypes

/// One HTTP request, read whole.
public struct Request: Sendable {
  /// The method, such as GET.
  public var method: HTTPRequest.Method

  /// The target in origin form, with the query and its percent-escapes as they were sent: `/posts?_page=2`.
  public var target: String

  /// The header fields, `Host` among them.
  public var headerFields: HTTPFields

  /// The body; empty when there is none.
  public var body: [UInt8]

  /// What stands before the target in addresses that lead back to the server.
  var mountPath = ""

  /// Creates a request.
  public init(method: HTTPRequest.Method, target: String, headerFields: HTTPFields = [:], body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.headerFields = headerFields
    self.body = body
  }
}
