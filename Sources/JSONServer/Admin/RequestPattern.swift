import HTTPTypes

/// The requests that a fault or a canned answer is for.
struct RequestPattern: Sendable {
  private let method: HTTPRequest.Method?
  private let path: PathPattern?

  /// - Parameters:
  ///   - method: The method; `nil` for all. GET is HEAD, too.
  ///   - path: The decoded path, with `*` for any characters; `nil` for all.
  init(method: HTTPRequest.Method?, path: String?) {
    self.method = method
    self.path = path.map(PathPattern.init)
  }

  /// Whether a call's request fits, by its path as it was sent or as it was rewritten.
  func matches(_ call: Call) -> Bool {
    guard method == nil || method == call.request.method || (method == .get && call.request.method == .head) else {
      return false
    }
    guard let path else { return true }
    return path.matches(Self.decodedPath(call.request.target))
      || path.matches(Self.decodedPath(call.mountedTarget))
  }

  private static func decodedPath(_ target: String) -> String {
    guard let path = try? Path(target: target) else { return "" }
    return "/" + path.segments.joined(separator: "/")
  }
}
