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
  private let exceptions: [RequestMatcher]

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
      return (name, field.value.map { WildcardPattern($0) })
    }
    exceptions = try pattern.exceptions.map { other throws(RequestError) in
      guard other != RequestPattern() else {
        throw RequestError(.malformed, "No request matches: 'unless' without a member is all requests.", at: ["unless"])
      }
      return try RequestError.reading(["unless"], RequestMatcher(other))
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
  package var comparesBody: Bool {
    pattern.isExact || pattern.body.value != nil || exceptions.contains(where: \.comparesBody)
  }

  /// The parts of a matching request's path that the wildcards of the pattern stand for: by name, and by number from 1.
  func pathParts(of request: MatchableRequest) -> [(name: String, text: String)] {
    guard let path, let target = request.targets.first(where: matches) else { return [] }
    return path.parts(of: target)
  }

  /// Whether a request matches.
  package func matches(_ request: MatchableRequest) -> Bool {
    let method = request.method
    guard pattern.method == nil || pattern.method == method || pattern.method == .get && method == .head,
      request.targets.contains(where: matches), headers.allSatisfy({ matches($0, request.headerFields) }),
      !exceptions.contains(where: { $0.matches(request) })
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

  var headerFields: HTTPFields { request.headerFields }

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
  /// The texts before, between and after the wildcards.
  private var pieces: [ArraySlice<UInt8>]
  /// The names of the wildcards that stand for a segment of a path; `nil` for a `*`.
  private(set) var names: [String?]

  package init(_ text: String) {
    pieces = Array(text.utf8).split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
    names = Array(repeating: nil, count: pieces.count - 1)
  }

  /// Reads a path, in which also `/:name` stands for a segment, and `/%3A` for a colon at the beginning of one.
  fileprivate init(path: String) {
    (pieces, names) = ([], [])
    var (piece, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(path.utf8)[...])
    func end(_ name: String?) {
      pieces.append(piece[...])
      names.append(name)
      piece = []
    }
    while let byte = rest.popFirst() {
      let isAtStart = piece.last == UInt8(ascii: "/")
      let name: ArraySlice<UInt8> = byte == UInt8(ascii: ":") ? rest.prefix(while: ByteSet.words.contains) : []
      if byte == UInt8(ascii: "*") {
        end(nil)
      } else if isAtStart, !name.isEmpty {
        rest = rest[name.endIndex...]
        end(String(decoding: name, as: UTF8.self))
      } else if isAtStart, byte == UInt8(ascii: "%"), rest.prefix(2).map({ $0 | 0x20 }) == Array("3a".utf8) {
        rest.removeFirst(2)
        piece.append(UInt8(ascii: ":"))
      } else {
        piece.append(byte)
      }
    }
    pieces.append(piece[...])
  }

  /// The text up to and including the first `*`; the whole text without a `*`.
  fileprivate var beginning: [UInt8] { pieces[0] + (pieces.count > 1 ? [UInt8(ascii: "*")] : []) }

  /// Whether a text matches. O(length of the pattern × length of the text) at worst.
  package func matches(_ text: [UInt8]) -> Bool {
    guard names.allSatisfy({ $0 == nil }) else { return parts(of: text) != nil }
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

  /// The parts of a matching text that the wildcards stand for; `nil` when the text does not match. As fast as ``matches(_:)``.
  fileprivate func parts(of text: [UInt8]) -> [Range<Int>]? {
    // The pieces that were tried at a place in vain, so that each is tried there once.
    var failed: Set<[Int]> = []
    func parts(from index: Int, at start: Int) -> [Range<Int>]? {
      guard text[start...].starts(with: pieces[index]), !failed.contains([index, start]) else { return nil }
      let begin = start + pieces[index].count
      guard index < names.count else { return begin == text.count ? [] : nil }
      let isSegment = names[index] != nil
      let limit = isSegment ? text[begin...].firstIndex(of: UInt8(ascii: "/")) ?? text.count : text.count
      for end in stride(from: isSegment ? begin + 1 : begin, through: limit, by: 1) {
        if let others = parts(from: index + 1, at: end) { return [begin..<end] + others }
      }
      failed.insert([index, start])
      return nil
    }
    return parts(from: 0, at: 0)
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

  /// Reads a path without query. `:name` stands for a segment, `*` for any characters. Adds a missing slash at the beginning,
  /// leaves out empty segments, and decodes escapes, as for ``RequestTarget/path``.
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
    let segments = path.split(separator: "/").map { segment in
      let decoded = PercentEncoding.decode(segment.utf8, plusIsSpace: false) ?? String(segment)
      // Written in this way, the colon stays one when the pattern is read again.
      return !isLiteral && decoded.hasPrefix(":") && !segment.hasPrefix(":") ? "%3A" + decoded.dropFirst() : decoded
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
    exact = WildcardPattern(path: text)
    folded = WildcardPattern(path: text.lowercased())
    key = isLiteral ? Array(text.lowercased().utf8) : folded.beginning
  }

  /// The parts of a matching target that the wildcards stand for: by name, and by number from 1.
  func parts(of target: MatchableRequest.Target) -> [(name: String, text: String)] {
    let original = Array(target.text.utf8)
    // Hardly any text has another length in lower case.
    let text = original.count == target.path.count ? original : target.path
    let parts = (target.isFolded ? folded : exact).parts(of: target.path) ?? []
    return zip(exact.names, parts).enumerated().flatMap { index, part in
      let value = String(decoding: text[part.1], as: UTF8.self)
      return [part.0, String(index + 1)].compactMap { name in name.map { ($0, value) } }
    }
  }

  private static func refusal(of path: Substring, _ reason: String) -> RequestError {
    RequestError(.malformed, "The path '\(path)' never matches: \(reason).", at: ["path"])
  }
}
