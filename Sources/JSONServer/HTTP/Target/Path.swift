import HTTPTypes

/// The path of a target, split at its slashes and decoded.
struct Path: Sendable, Hashable {
  /// The segments in order; empty for `/`.
  ///
  /// A segment may hold a slash that was sent as `%2F`.
  let segments: [String]

  /// Whether there were segments `.` or `..`, which are resolved.
  private(set) var hadDots = false

  /// Reads the path of a target: what comes before its first `?`.
  ///
  /// A trailing slash and doubled slashes are ignored. Each segment is decoded once. The segments `.` and `..`, escaped
  /// or not, are resolved as browsers resolve them before they send a path (RFC 3986, section 5.2.4).
  ///
  /// - Throws: 400, when an escape is bad.
  init(target: String) throws(RequestError) {
    let segments = try target.withBytes { bytes in Result { () throws(RequestError) in try Self.segments(of: bytes) } }
      .get()
    hadDots = segments.contains { $0.utf8.first == UInt8(ascii: ".") && ($0 == "." || $0 == "..") }
    self.segments = hadDots ? Self.resolved(segments) : segments
  }

  private static func resolved(_ segments: [String]) -> [String] {
    segments.reduce(into: []) { resolved, segment in
      switch segment {
      case ".": break
      case "..": _ = resolved.popLast()
      default: resolved.append(segment)
      }
    }
  }

  /// The path of a target without its dots, encoded.
  ///
  /// - Parameter target: The target that was read.
  func resolved(_ target: String) -> String {
    let sent = target.prefix { $0 != "?" }
    let path = segments.map { "/" + PercentEncoding.encodeSegment($0) }.joined()
    return path + (path.isEmpty || sent.hasSuffix("/") ? "/" : "") + target[sent.endIndex...]
  }

  /// The path `/`.
  init() {
    segments = []
  }

  /// The path as text, decoded: `/posts/1`.
  var description: String { "/" + segments.joined(separator: "/") }

  private static func segments(of target: UnsafeBufferPointer<UInt8>) throws(RequestError) -> [String] {
    var segments: [String] = []
    segments.reserveCapacity(2)
    var start = 0
    while start < target.count, target[start] != UInt8(ascii: "?") {
      var end = start
      while end < target.count, target[end] != UInt8(ascii: "/"), target[end] != UInt8(ascii: "?") { end += 1 }
      defer { start = end < target.count && target[end] == UInt8(ascii: "/") ? end + 1 : end }
      guard start < end else { continue }
      let segment = UnsafeBufferPointer(rebasing: target[start..<end])
      guard let decoded = PercentEncoding.decode(segment, plusIsSpace: false) else {
        throw RequestError(
          .malformed,
          """
          The path segment '\(String(decoding: segment, as: UTF8.self))' is not percent-encoded UTF-8; write a % itself \
          as %25 and other characters as UTF-8.
          """)
      }
      segments.append(decoded)
    }
    return segments
  }
}
