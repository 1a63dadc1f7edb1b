/// The path of a request as the name of a file, decoded once.
struct StaticPath: Hashable {
  /// The names from the served directory on.
  let segments: [String]

  /// Whether the path ends with a slash, as a directory's does.
  let isDirectory: Bool

  /// Reads the path of a target.
  ///
  /// - Returns: `nil` for what never names a file: a bad escape, an encoded slash, a backslash, NUL, an empty segment
  ///   (`//host` in a redirect would lead away), and a segment that starts with a dot, `.` and `..` among them, except
  ///   a first one that is ``wellKnown``.
  init?(target: String) {
    let path = Array(target.utf8).prefix { $0 != UInt8(ascii: "?") }
    guard path.first == UInt8(ascii: "/") else { return nil }
    var parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    isDirectory = parts.last?.isEmpty ?? true
    if isDirectory { _ = parts.popLast() }
    var segments: [String] = []
    for part in parts {
      guard let segment = PercentEncoding.decode(part, plusIsSpace: false), let first = segment.utf8.first,
        first != UInt8(ascii: ".") || segments.isEmpty && segment == Self.wellKnown,
        !segment.utf8.contains(where: { $0 == 0 || Self.separators.contains($0) })
      else { return nil }
      segments.append(segment)
    }
    self.segments = segments
  }

  /// The one hidden name that is public (RFC 8615).
  static let wellKnown = ".well-known"

  private static let separators = Array(#"/\"#.utf8)
}
