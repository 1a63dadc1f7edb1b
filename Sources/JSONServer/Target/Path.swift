import HTTPTypes

/// The path of a target, taken apart at its slashes and decoded.
package struct Path: Sendable, Hashable {
  /// The segments in order; empty for `/`.
  ///
  /// A segment may hold a slash that was sent as `%2F`.
  package let segments: [String]

  /// Reads the path of a target: what stands before its first `?`.
  ///
  /// A trailing slash and doubled slashes are as if they were not there. Each segment is decoded once.
  ///
  /// - Throws: 400, when an escape is bad.
  package init(target: String) throws(HTTPError) {
    let path = Array(target.utf8).prefix { $0 != UInt8(ascii: "?") }
    var segments: [String] = []
    for segment in path.split(separator: UInt8(ascii: "/")) {
      guard let decoded = PercentEncoding.decode(segment, plusIsSpace: false) else {
        throw HTTPError(
          .badRequest,
          """
          The path segment '\(String(decoding: segment, as: UTF8.self))' is not percent-encoded UTF-8; write a % itself \
          as %25 and other characters as UTF-8.
          """)
      }
      segments.append(decoded)
    }
    self.segments = segments
  }
}
