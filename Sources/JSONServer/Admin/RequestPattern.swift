package import HTTPTypes

/// The requests that a fault, a canned answer or an expectation is about.
package struct RequestPattern: Sendable, Hashable {
  private let method: HTTPRequest.Method?
  private let path: PathPattern?

  /// - Parameters:
  ///   - method: The method; `nil` for all. GET is HEAD, too.
  ///   - path: The decoded path, with `*` for any characters; `nil` for all.
  package init(method: HTTPRequest.Method?, path: String?) {
    self.method = method
    self.path = path.map(PathPattern.init)
  }

  /// Whether a request fits, by its path as it was sent or as it was rewritten.
  package func matches(_ route: EffectiveRoute) -> Bool {
    guard method == nil || method == route.method || (method == .get && route.method == .head) else { return false }
    guard let path else { return true }
    return path.matches(Self.decodedPath(route.target)) || path.matches(Self.decodedPath(route.mountedTarget))
  }

  private static func decodedPath(_ target: String) -> String {
    guard let path = try? Path(target: target) else { return "" }
    return "/" + path.segments.joined(separator: "/")
  }
}
