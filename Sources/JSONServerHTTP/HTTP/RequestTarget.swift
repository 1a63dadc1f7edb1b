/// The target of a request, read once.
///
/// A path has many spellings: `/posts/1`, `//posts/./1` and `/%70osts/1` are one path. They have the same ``segments``,
/// ``path`` and ``text``, so nothing that decides about a request depends on the spelling.
///
/// A class, since a request passes it on at each step.
package final class RequestTarget: Sendable {
  /// The decoded segments of the path, without empty ones, and with `.` and `..` resolved; none for `/`.
  ///
  /// A slash that was sent as `%2F` belongs to its segment: ids may hold slashes.
  package let segments: [String]

  /// Whether the path ends with a slash, as the path of a directory does.
  package let endsWithSlash: Bool

  /// The parameters of the query.
  package let parameters: QueryParameters

  /// The path in the one spelling that stands for all of its spellings, and the query as it was sent.
  ///
  /// The path begins with one slash. Only characters that a segment cannot have are escaped.
  package let text: String

  /// The target as it was sent, for another server; ``text`` when the path has `.` or `..`.
  package let spelling: String

  /// Reads a target: the path up to its first `?`, and then the query.
  ///
  /// Each segment is decoded once. The segments `.` and `..`, escaped or not, are resolved as browsers resolve them before
  /// they send a path (RFC 3986, section 5.2.4).
  ///
  /// - Throws: 400, when an escape in the path is bad, or the query has too many parameters.
  package convenience init(_ sent: String) throws(RequestError) {
    let reading = try sent.withBytes { bytes in Result { () throws(RequestError) in try Reading(bytes) } }.get()
    let parameters = try QueryParameters(target: sent)
    guard !reading.isPlain else {
      self.init(reading.segments, reading.endsWithSlash, parameters, text: sent, spelling: sent)
      return
    }
    let end = reading.endsWithSlash || reading.segments.isEmpty ? "/" : ""
    let query = sent.utf8.drop { $0 != Self.mark }
    let text = Self.encoded(reading.segments) + end + String(Substring(query))
    let isSpellingSafe = sent.utf8.first == Self.slash && !reading.hadDots
    self.init(
      reading.segments, reading.endsWithSlash, parameters, text: text, spelling: isSpellingSafe ? sent : text)
  }

  private init(
    _ segments: [String], _ endsWithSlash: Bool, _ parameters: QueryParameters, text: String, spelling: String
  ) {
    (self.segments, self.endsWithSlash, self.parameters) = (segments, endsWithSlash, parameters)
    (self.text, self.spelling) = (text, spelling)
  }

  /// The target of a request that was refused before its target was read.
  package static let none = RequestTarget([], true, QueryParameters(), text: "/", spelling: "/")

  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let mark = UInt8(ascii: "?")
}

extension RequestTarget {
  /// The decoded pairs of the query with their names as they were sent, such as `tags[]` and `page[size]`, which an OpenAPI
  /// document may name.
  package var sentParameters: [(name: String, value: String)] { QueryParameters.sent(in: text) }

  /// The elements of the parameters whose values have plain commas.
  package var sentElements: [String: [String]] { QueryParameters.sentElements(in: text) }

  /// The decoded path for people and patterns: `/posts/1`. A slash that belongs to a segment is `%2F`.
  package var path: String { Self.path(of: segments) }

  /// The decoded path of segments.
  package static func path(of segments: [String]) -> String {
    let shown =
      segments.contains { $0.utf8.contains(slash) } ? segments.map { $0.replacing("/", with: "%2F") } : segments
    return "/" + shown.joined(separator: "/")
  }

  /// The escaped path of segments, without a slash at its end; nothing for none.
  package static func encoded(_ segments: [String]) -> String {
    segments.map { "/" + PercentEncoding.encodePath($0) }.joined()
  }

  /// The target without the first segments of its path, as below a path prefix.
  package func dropping(_ count: Int) -> RequestTarget {
    RequestTarget(
      Array(segments.dropFirst(count)), endsWithSlash, parameters, text: Self.rest(of: text, after: count),
      spelling: Self.rest(of: spelling, after: count))
  }

  /// The rest of a target, which has no dots, after some segments.
  private static func rest(of text: String, after count: Int) -> String {
    var rest = text.utf8[...]
    for _ in 0..<count { rest = rest.drop { $0 == slash }.drop { $0 != slash && $0 != mark } }
    return (rest.first == slash ? "" : "/") + String(Substring(rest))
  }

  /// What a rewrite rule has removed from the beginning of the path: `/api` when the rest of `/api/posts` is `/posts`;
  /// nothing when the rest is another path.
  package func beginning(before rest: RequestTarget) -> Substring {
    let (whole, end) = (Self.encodedPath(of: text), Self.encodedPath(of: rest.text))
    return end.utf8.count > 1 && whole.hasSuffix(end) ? whole.dropLast(end.count) : ""
  }

  /// The part of a target up to its query.
  package static func encodedPath(of text: String) -> Substring { Substring(text.utf8.prefix { $0 != mark }) }

  /// Whether the path would lead upwards on a server that takes an escaped slash, or a backslash, for a separator.
  package var leadsUpwardsElsewhere: Bool {
    segments.contains { segment in
      segment.utf8.split { $0 == Self.slash || $0 == UInt8(ascii: "\\") }.contains { part in
        part.prefix { $0 != UInt8(ascii: ";") }.elementsEqual("..".utf8)
      }
    }
  }
}

extension RequestTarget {
  /// The path in the bytes of a target.
  private struct Reading {
    var segments: [String] = []
    var endsWithSlash = false
    /// Whether the path is spelled as ``RequestTarget/text`` spells it.
    var isPlain: Bool
    var hadDots = false

    init(_ target: UnsafeBufferPointer<UInt8>) throws(RequestError) {
      segments.reserveCapacity(2)
      isPlain = target.first == slash
      let literal = PercentEncoding.allowedInSegment
      var start = isPlain ? 1 : 0
      while true {
        var (end, isLiteral) = (start, true)
        while end < target.count, target[end] != slash, target[end] != mark {
          isLiteral = isLiteral && literal.contains(target[end])
          end += 1
        }
        let isLast = end == target.count || target[end] == mark
        try take(UnsafeBufferPointer(rebasing: target[start..<end]), isLiteral: isLiteral, isLast: isLast)
        if isLast { return }
        start = end + 1
      }
    }

    /// - Parameter isLiteral: Whether the segment is spelled as it is, without an escape or a character that needs one.
    private mutating func take(
      _ segment: UnsafeBufferPointer<UInt8>, isLiteral: Bool, isLast: Bool
    ) throws(RequestError) {
      guard !segment.isEmpty else {
        endsWithSlash = isLast
        if !isLast { isPlain = false }
        return
      }
      let text = isLiteral ? String(decoding: segment, as: UTF8.self) : try Self.decoded(segment)
      if !isLiteral { isPlain = false }
      guard text.utf8.first == UInt8(ascii: "."), text == "." || text == ".." else { return segments.append(text) }
      if text == ".." { _ = segments.popLast() }
      (isPlain, hadDots, endsWithSlash) = (false, true, isLast)
    }

    private static func decoded(_ segment: UnsafeBufferPointer<UInt8>) throws(RequestError) -> String {
      if let text = PercentEncoding.decode(segment, plusIsSpace: false) { return text }
      throw RequestError(
        .malformed,
        """
        The path segment '\(String(decoding: segment, as: UTF8.self))' is not percent-encoded UTF-8; write a % itself \
        as %25 and other characters as UTF-8.
        """)
    }
  }
}

extension RequestTarget {
  /// The first segment of the admin interface's paths.
  package static let adminRoot = "__admin"

  /// Whether the path leads to the admin interface.
  package var isAdministrative: Bool { segments.first == Self.adminRoot }
}
