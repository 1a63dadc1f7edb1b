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

/// The parameters of a target's query, decoded.
package struct QueryParameters: Sendable {
  /// The parameters in the order they were sent; a name may occur more than once.
  package let items: [(name: String, value: String)]

  /// The most parameters that are accepted; one that is repeated in a row, as in a list of ids, counts once.
  static let maximumCount = 100

  /// Reads the query of a target: what follows its first `?`.
  ///
  /// `+` is a space, a parameter without `=` is empty, and one without a name is skipped. `tags[]=x` and `tags[0]=x`
  /// are read as `tags=x`. A name or a value that is not percent-encoded UTF-8, such as `100%`, stands for itself.
  ///
  /// - Throws: 400, when there are more than ``maximumCount`` parameters.
  package init(target: String) throws(RequestError) {
    items = try target.withBytes { bytes in Result { () throws(RequestError) in try Self.items(of: bytes) } }.get()
  }

  private static func items(of target: UnsafeBufferPointer<UInt8>) throws(RequestError) -> [(
    name: String, value: String
  )] {
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    var items: [(name: String, value: String)] = []
    var count = 0
    for pair in target[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
      let (name, value) = read(pair)
      guard !name.isEmpty else { continue }
      if items.last?.name != name { count += 1 }
      guard count <= maximumCount else {
        throw RequestError(
          .malformed, "The query has more than \(maximumCount) parameters; send fewer, or split the request.")
      }
      items.append((name, value))
    }
    return items
  }

  /// The value of the first parameter with a name.
  package func first(_ name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// The values of all parameters with a name, in the order they were sent.
  package func all(_ name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }

  /// The names, each once, in the order they were sent.
  var names: [String] {
    var names: [String] = []
    for item in items where !names.contains(item.name) { names.append(item.name) }
    return names
  }

  /// The parameters except those with certain names.
  func excluding(_ names: Set<String>) -> QueryParameters {
    QueryParameters(items: items.filter { !names.contains($0.name) })
  }

  init(items: [(name: String, value: String)] = []) {
    self.items = items
  }

  private static func read(_ pair: Slice<UnsafeBufferPointer<UInt8>>) -> (name: String, value: String) {
    let sign = pair.firstIndex(of: UInt8(ascii: "="))
    let name = PercentEncoding.decodeForm(pair[..<(sign ?? pair.endIndex)])
    let value = sign.map { PercentEncoding.decodeForm(pair[$0...].dropFirst()) } ?? ""
    return (ParameterName(name).name, value)
  }
}

/// The name of a form field or query parameter, without the brackets that mark one of many.
struct ParameterName: Hashable {
  /// The name: `tags` of `tags`, `tags[]` and `tags[0]`.
  let name: String

  /// Whether brackets said that the value is one of a list, even when it is sent alone.
  let isListElement: Bool

  /// Reads a decoded name. Only empty or numbered brackets at the end count: `a[b]` is a name of its own.
  init(_ text: String) {
    let head = text.utf8.dropLast()
    guard text.utf8.last == UInt8(ascii: "]"), let bracket = head.lastIndex(of: UInt8(ascii: "[")),
      bracket > text.startIndex,
      head[bracket...].dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else {
      name = text
      isListElement = false
      return
    }
    name = String(text[..<bracket])
    isListElement = true
  }
}
