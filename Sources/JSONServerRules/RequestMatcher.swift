import HTTPTypes
package import JSONServerHTTP
import JSONServerValues
import NIOConcurrencyHelpers

/// A valid pattern, prepared for comparing it with many requests.
package struct RequestMatcher: Sendable {
  /// The pattern; the query of its path is moved to ``RequestPattern/query``.
  package let pattern: RequestPattern
  /// The path; `nil` for all paths.
  package let path: PathPattern?
  private let headers: [(name: HTTPField.Name, value: WildcardPattern?)]

  /// - Throws: 400 for a pattern that no request can match, with the reason.
  package init(_ pattern: RequestPattern) throws(RequestError) {
    var pattern = pattern
    pattern.method = pattern.method.flatMap { HTTPRequest.Method($0.rawValue.uppercased()) }
    pattern.query = pattern.query.map { RequestPattern.Field(ParameterName($0.name).name, $0.value) }
    path = try Self.takePath(of: &pattern)
    headers = try pattern.headers.map { field throws(RequestError) in
      guard let name = HTTPField.Name(field.name) else {
        throw RequestError(.malformed, "'\(field.name)' is not the name of a header field.", at: ["headers"])
      }
      return (name, field.value.map(WildcardPattern.init))
    }
    self.pattern = pattern
    guard !pattern.isExact || path != nil else {
      throw RequestError(.malformed, "An exact pattern needs a path; give 'path', too.", at: ["exact"])
    }
    try Self.refuseContradiction(in: pattern.query, "query", \.name)
    try Self.refuseContradiction(in: pattern.headers, "headers") { $0.name.lowercased() }
  }

  /// Moves the query of a pattern's path to the pattern's query.
  private static func takePath(of pattern: inout RequestPattern) throws(RequestError) -> PathPattern? {
    guard let text = pattern.path else { return nil }
    let mark = text.firstIndex(of: "?") ?? text.endIndex
    let parameters = try RequestError.reading(["path"], QueryParameters(target: String(text[mark...])))
    pattern.query = parameters.items.map { RequestPattern.Field($0.name, $0.value) } + pattern.query
    let path = try PathPattern(text[..<mark], isLiteral: pattern.isExact)
    pattern.path = path.text
    return path
  }

  private static func refuseContradiction(
    in fields: [RequestPattern.Field], _ member: String, _ key: (RequestPattern.Field) -> String
  ) throws(RequestError) {
    let absent = Set(fields.filter { $0.value == nil }.map(key))
    guard let field = fields.first(where: { $0.value != nil && absent.contains(key($0)) }) else { return }
    throw RequestError(
      .malformed, "No request matches: '\(field.name)' cannot be absent and '\(field.value ?? "")'.", at: [member])
  }

  /// Whether the request's body must be read to see whether the request matches.
  package var comparesBody: Bool { pattern.isExact || pattern.body.value != nil }

  /// Whether a request matches.
  package func matches(_ request: MatchableRequest) -> Bool {
    let method = request.method
    guard pattern.method == nil || pattern.method == method || pattern.method == .get && method == .head,
      request.targets.contains(where: matches), headers.allSatisfy({ matches($0, request.request.headerFields) })
    else { return false }
    if pattern.isExact {
      guard let value = pattern.body.value else { return request.body == nil }
      return request.body?.holds(value, allowing: SecretName.matches(_:in:)) ?? false
    }
    switch pattern.body {
    case .any: return true
    case .including(let part): return request.body?.holds(part) { _, _ in true } ?? false
    case .equal(let value): return request.body == value
    case .data(let data): return data.elementsEqual(request.request.bytes)
    }
  }

  private func matches(_ target: MatchableRequest.Target) -> Bool {
    if pattern.isExact {
      return path?.text.utf8.elementsEqual(target.text.utf8) == true && isExactly(target.parameters)
    }
    if let path {
      let isMet = target.isFolded ? path.folded.matches(target.path) : path.exact.matches(target.path)
      guard isMet else { return false }
    }
    return pattern.query.allSatisfy { field in
      guard let value = field.value else { return !target.parameters.contains { $0.name == field.name } }
      return target.parameters.contains { $0.name == field.name && $0.value == value }
    }
  }

  /// Whether the parameters are exactly those of the pattern, in any order of names, apart from secrets.
  private func isExactly(_ parameters: [(name: String, value: String)]) -> Bool {
    let names = Set(pattern.query.map(\.name))
    let sent = parameters.filter { names.contains($0.name) || !SecretName.matches($0.name, with: $0.value) }
    let given = pattern.query.filter { $0.value != nil }
    return sent.count == given.count
      && names.allSatisfy { name in
        sent.filter { $0.name == name }.map(\.value) == given.filter { $0.name == name }.compactMap(\.value)
      }
  }

  private func matches(_ header: (name: HTTPField.Name, value: WildcardPattern?), _ fields: HTTPFields) -> Bool {
    guard let pattern = header.value else { return !fields.contains(header.name) }
    let values = fields[fields: header.name].map(\.value)
    return values.contains { pattern.matches(Array($0.utf8)) }
      || values.count > 1 && pattern.matches(Array((fields[header.name] ?? "").utf8))
  }
}

/// The parts of a request that patterns compare. The body is parsed once, when a pattern needs it.
package final class MatchableRequest: Sendable {
  /// A path and a query that a pattern may match.
  package struct Target: Sendable {
    /// The decoded path.
    package let text: String
    /// The decoded path, in lower case when ``isFolded``.
    let path: [UInt8]
    let isFolded: Bool
    package let parameters: [(name: String, value: String)]

    fileprivate init(_ target: RequestTarget, isFolded: Bool) {
      text = target.path
      path = Array((isFolded ? text.lowercased() : text).utf8)
      self.isFolded = isFolded
      parameters = target.parameters.items
    }
  }

  let method: HTTPRequest.Method
  package let targets: [Target]
  fileprivate let request: Request
  /// The parsed body; `nil` until a pattern needs it.
  private let knownBody = NIOLockedValueBox<JSONValue??>(nil)

  /// The body as JSON; `nil` when there is none, or none that the server can read.
  var body: JSONValue? { knownBody.withLockedValue { $0 } ?? readBody() }

  /// Reads the body, which takes long when it is large.
  @discardableResult
  package func readBody() -> JSONValue? {
    let body = request.json
    knownBody.withLockedValue { $0 = .some(body) }
    return body
  }

  deinit {
    guard request.bytes.count > RequestBody.largestQuick else { return }
    knownBody.withLockedValue { WorkerThreads.release(&$0, leaving: nil) }
  }

  package init(_ request: Request, _ route: EffectiveRoute) {
    self.request = request
    method = route.method
    targets = ([route.target] + route.earlierTargets).map { Target($0, isFolded: route.ignoresCase) }
  }
}

/// The method and the targets of a request that patterns match.
package struct EffectiveRoute: Sendable {
  /// The method, or the method that overrides it.
  package let method: HTTPRequest.Method
  /// The target after rewriting.
  package let target: RequestTarget
  /// The targets before it: with the path prefix, and before rewriting.
  var earlierTargets: [RequestTarget] = []
  /// Whether letter case makes no difference in paths, as in json-server 0.17's routes.
  let ignoresCase: Bool

  package init(
    method: HTTPRequest.Method, target: RequestTarget, earlierTargets: [RequestTarget] = [], ignoresCase: Bool
  ) {
    self.method = method
    self.target = target
    self.earlierTargets = earlierTargets
    self.ignoresCase = ignoresCase
  }
}

/// A text in which a `*` stands for any characters.
package struct WildcardPattern: Sendable, Hashable {
  /// The texts before, between and after the stars.
  private let pieces: [ArraySlice<UInt8>]

  package init(_ text: String) {
    pieces = Array(text.utf8).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
  }

  /// The text up to and including the first `*`; the whole text without a `*`.
  fileprivate var beginning: [UInt8] { pieces[0] + (pieces.count > 1 ? [UInt8(ascii: "*")] : []) }

  /// Whether a text matches. O(length of the pattern × length of the text) at worst.
  package func matches(_ text: [UInt8]) -> Bool {
    let (first, last) = (pieces[0], pieces[pieces.count - 1])
    guard pieces.count > 1 else { return text[...] == first }
    guard text.count >= first.count + last.count, text.starts(with: first), text.suffix(last.count) == last else {
      return false
    }
    var rest = text[first.count..<(text.count - last.count)]
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      // The first occurrence leaves the most for the other pieces.
      guard let place = rest.firstRange(of: piece) else { return false }
      rest = rest[place.upperBound...]
    }
    return true
  }
}

/// The decoded path of a pattern: `/posts/*`.
package struct PathPattern: Sendable {
  /// The path for people.
  let text: String
  /// The path for comparing with letter case.
  let exact: WildcardPattern
  /// The path for comparing without letter case.
  let folded: WildcardPattern
  /// The beginning of all matching paths in lower case, up to and including the first `*`; the whole path without a `*`.
  package let key: [UInt8]

  /// Reads a path without query. Adds a missing slash at the beginning, leaves out empty segments, and decodes escapes, as
  /// for ``RequestTarget/path``.
  ///
  /// - Parameter isLiteral: Whether a `*` is an ordinary character.
  /// - Throws: 400 for a path that no request has.
  init(_ path: Substring, isLiteral: Bool) throws(RequestError) {
    guard path.firstRange(of: "://") == nil else {
      throw Self.refusal(of: path, "it is a whole address; leave out what comes before the path")
    }
    guard !path.contains("#") else {
      throw Self.refusal(of: path, "clients do not send what follows a #; write %23 for the character")
    }
    guard isLiteral || !path.contains("/:") else {
      throw Self.refusal(of: path, "no client sends a name after a colon; write * for any characters, %3A for a colon")
    }
    let segments = path.split(separator: "/").map { segment in
      PercentEncoding.decode(segment.utf8, plusIsSpace: false) ?? String(segment)
    }
    guard !segments.contains("."), !segments.contains("..") else {
      throw Self.refusal(of: path, "clients resolve '.' and '..' before they send it; write the path they lead to")
    }
    guard segments.first != RequestTarget.adminRoot else {
      throw Self.refusal(
        of: path, "stubs, faults, holds and the journal leave out requests to /\(RequestTarget.adminRoot)")
    }
    let decoded = RequestTarget.path(of: segments)
    text = decoded.hasPrefix("/*") && !isLiteral ? String(decoded.dropFirst()) : decoded
    exact = WildcardPattern(text)
    folded = WildcardPattern(text.lowercased())
    key = isLiteral ? Array(text.lowercased().utf8) : folded.beginning
  }

  private static func refusal(of path: Substring, _ reason: String) -> RequestError {
    RequestError(.malformed, "The path '\(path)' never matches: \(reason).", at: ["path"])
  }
}
