package import HTTPTypes

/// The requests that a fault, a stub or an expectation applies to.
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

  /// Whether a request matches, by its path as it was sent or as it was rewritten.
  package func matches(_ route: EffectiveRoute) -> Bool {
    guard method == nil || method == route.method || (method == .get && route.method == .head) else { return false }
    guard let path else { return true }
    return path.matches(route.path.description) || path.matches(route.mountedPath)
  }
}

/// A path in which a `*` stands for any characters, slashes among them.
struct PathPattern: Sendable, Hashable {
  private let pattern: [UInt8]

  init(_ text: String) {
    pattern = Array(text.utf8)
  }

  /// Whether a decoded path matches. O(length of the pattern × length of the path) at worst.
  func matches(_ path: String) -> Bool {
    let path = Array(path.utf8)
    var (place, position) = (0, 0)
    // After the last `*`: where the pattern goes on, and the first byte of the path that the `*` does not cover yet.
    var retry: (place: Int, position: Int)?
    while position < path.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        place += 1
        retry = (place, position)
      } else if place < pattern.count, pattern[place] == path[position] {
        place += 1
        position += 1
      } else if let (start, taken) = retry {
        retry = (start, taken + 1)
        (place, position) = (start, taken + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

/// What a request is matched by, whether for a fault, a stub or a test's expectation.
package struct EffectiveRoute: Sendable, Hashable {
  /// The effective method of the request, an override taken into account.
  let method: HTTPRequest.Method
  /// The path that the request is carried out with, rewritten.
  let path: Path
  /// The target before it was rewritten, below the path under which the server is mounted.
  let mountedTarget: String
}

extension EffectiveRoute {
  /// The path of ``mountedTarget``; empty when an escape in it is bad.
  fileprivate var mountedPath: String { (try? Path(target: mountedTarget))?.description ?? "" }
}
