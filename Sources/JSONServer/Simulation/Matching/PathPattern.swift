/// A text in which a `*` stands for any characters.
package struct WildcardPattern: Sendable, Hashable {
  private let pattern: [UInt8]

  package init(_ text: String) {
    pattern = Array(text.utf8)
  }

  /// What comes before the first `*`; all, when there is none.
  var literalPrefix: ArraySlice<UInt8> { pattern.prefix { $0 != UInt8(ascii: "*") } }

  /// Whether there is no `*`.
  var isLiteral: Bool { !pattern.contains(UInt8(ascii: "*")) }

  /// Whether a text matches. O(length of the pattern × length of the text) at worst.
  package func matches(_ text: [UInt8]) -> Bool {
    var (place, position) = (0, 0)
    // After the last `*`: where the pattern goes on, and the first byte of the text that the `*` does not cover yet.
    var retry: (place: Int, position: Int)?
    while position < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        place += 1
        retry = (place, position)
      } else if place < pattern.count, pattern[place] == text[position] {
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

/// The path of a pattern, decoded: `/posts/*`.
struct PathPattern: Sendable {
  /// The path as it is shown.
  let text: String
  /// The same as the paths of requests are compared with it.
  let exact: WildcardPattern
  /// The same without regard to letter case.
  let folded: WildcardPattern

  /// Reads a path, without its query: a missing slash is added at the beginning, empty segments are left out, and escapes
  /// are decoded, as with the path of a request.
  ///
  /// - Parameter isLiteral: Whether a `*` stands for nothing but itself.
  /// - Throws: 400 for a path that no request has.
  init(_ path: Substring, isLiteral: Bool) throws(RequestError) {
    guard path.firstRange(of: "://") == nil else {
      throw Self.refusal(of: path, "it is a whole address; leave out what comes before the path")
    }
    guard !path.contains("#") else {
      throw Self.refusal(of: path, "clients keep to themselves what follows a #; write %23 for the character")
    }
    let decoded = PercentEncoding.decode(path.utf8, plusIsSpace: false) ?? String(path)
    let segments = decoded.split(separator: "/")
    guard !segments.contains("."), !segments.contains("..") else {
      throw Self.refusal(of: path, "clients resolve '.' and '..' before they send it; write the path they lead to")
    }
    guard segments.first.map(String.init) != AdminRoute.root else {
      throw Self.refusal(of: path, "requests to /\(AdminRoute.root) meet no stubs, faults and holds, and are not kept")
    }
    let joined = segments.joined(separator: "/")
    text = joined.hasPrefix("*") && !isLiteral ? joined : "/" + joined
    exact = WildcardPattern(text)
    folded = WildcardPattern(text.lowercased())
  }

  private static func refusal(of path: Substring, _ reason: String) -> RequestError {
    RequestError(.malformed, "The path '\(path)' never matches: \(reason).", at: ["path"])
  }
}
