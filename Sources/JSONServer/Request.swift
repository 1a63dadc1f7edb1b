public import HTTPTypes

/// One HTTP request, read whole.
///
/// Copies share their parts until one of them is changed, which costs a copy of all: a request is handed on at each
/// step of its way, and changed at few.
public struct Request: Sendable {
  private final class Parts: Sendable {
    let method: HTTPRequest.Method
    let target: String
    let headerFields: HTTPFields
    let body: [UInt8]
    let mountPath: String

    init(method: HTTPRequest.Method, target: String, headerFields: HTTPFields, body: [UInt8], mountPath: String) {
      self.method = method
      self.target = target
      self.headerFields = headerFields
      self.body = body
      self.mountPath = mountPath
    }
  }

  private var parts: Parts

  /// Creates a request.
  public init(method: HTTPRequest.Method, target: String, headerFields: HTTPFields = [:], body: [UInt8] = []) {
    parts = Parts(method: method, target: target, headerFields: headerFields, body: body, mountPath: "")
  }

  /// The method, such as GET.
  public var method: HTTPRequest.Method {
    get { parts.method }
    set { change(method: newValue) }
  }

  /// The target in origin form, with the query and its percent-escapes as they were sent: `/posts?_page=2`.
  public var target: String {
    get { parts.target }
    set { change(target: newValue) }
  }

  /// The header fields, `Host` among them.
  public var headerFields: HTTPFields {
    get { parts.headerFields }
    set { change(headerFields: newValue) }
  }

  /// The body; empty when there is none.
  public var body: [UInt8] {
    get { parts.body }
    set { change(body: newValue) }
  }

  /// What stands before the target in addresses that lead back to the server.
  var mountPath: String {
    get { parts.mountPath }
    set { change(mountPath: newValue) }
  }

  private mutating func change(
    method: HTTPRequest.Method? = nil, target: String? = nil, headerFields: HTTPFields? = nil, body: [UInt8]? = nil,
    mountPath: String? = nil
  ) {
    parts = Parts(
      method: method ?? parts.method, target: target ?? parts.target, headerFields: headerFields ?? parts.headerFields,
      body: body ?? parts.body, mountPath: mountPath ?? parts.mountPath)
  }
}
