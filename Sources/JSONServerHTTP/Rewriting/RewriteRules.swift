import JSONServerValues
import TextMatching

/// The rules of a routes file, which change a request's target before routing.
///
/// The patterns are those of json-server 0.17 (path-to-regexp 1.8): they match from start to end, without letter case.
/// Unlike in json-server, a query needs no `*`: a rule whose pattern has no query matches the path, and keeps the
/// query.
package struct RewriteRules: Sendable {
  /// The rules as the file has them, pattern to target, in order.
  package let rules: JSONObject

  private let compiled: [RewriteRule]

  /// Reads the object of a routes file.
  ///
  /// - Throws: ``ServerError`` that names the first invalid rule.
  package init(json: JSONObject) throws(ServerError) {
    var compiled: [RewriteRule] = []
    for (pattern, target) in json {
      guard case .string(let target) = target else {
        throw ServerError(rule: pattern, "its target is not a string; write the new path, such as \"/$1\".")
      }
      compiled.append(try RewriteRule(pattern, target: target))
    }
    rules = json
    self.compiled = compiled
  }

  /// Rewrites a target.
  ///
  /// The rules are tried in order; each rule gets the result of the rules before it.
  ///
  /// - Returns: `nil`, when no rule applies.
  /// - Complexity: Linear in the target's length for each rule.
  /// - Throws: 400, when the result cannot be read.
  package func rewrite(_ target: RequestTarget) throws(RequestError) -> Rewriting? {
    var (text, first): (String, Int?) = (target.text, nil)
    var beginning: String?
    for (index, rule) in compiled.enumerated() {
      guard let result = rule.apply(to: text) else { continue }
      text = result
      beginning = rule.firstSegment
      first = first ?? index
    }
    guard let first else { return nil }
    return Rewriting(target: try RequestTarget(text), firstRule: rules.names[first], firstSegment: beginning)
  }

  /// The result of rewriting a target.
  package struct Rewriting: Sendable {
    package let target: RequestTarget
    /// The pattern of the first rule that applied.
    package let firstRule: String
    /// The first segment of the new path, if the last rule has it literally; `nil` when it may be the client's.
    package let firstSegment: String?
  }
}

/// One rule: a pattern, and the new target of a request that matches it.
private struct RewriteRule: Sendable {
  private let pattern: CapturingPattern
  private let target: RewriteTarget
  private let patternHasQuery: Bool

  /// The first segment of every new path; `nil` when it depends on the target.
  var firstSegment: String? { target.firstSegment }

  init(_ pattern: String, target: String) throws(ServerError) {
    var parser = RewriteParser(pattern)
    self.pattern = try parser.parse()
    patternHasQuery = parser.hasQuery
    // Parameters after a pattern's own query are kept, without a name.
    let groups = parser.hasQuery ? parser.groups.dropLast() : parser.groups
    self.target = try RewriteTarget(target, of: pattern, groups: groups)
  }

  /// Returns the new target; `nil` when the rule does not match. A query, or its parameters that the pattern does not have,
  /// are added to the query of the new target.
  ///
  /// - Parameter sent: The ``RequestTarget/text`` of a target.
  func apply(to sent: String) -> String? {
    let path = patternHasQuery ? sent[...] : RequestTarget.encodedPath(of: sent)
    guard let groups = pattern.groups(in: path) else { return nil }
    var result = target.filled(from: [RequestTarget.encodedPath(of: sent)] + groups)
    // A mark that combines with the slash would hide it.
    if result.utf8.first != UInt8(ascii: "/") { result = "/" + result }
    let carried = patternHasQuery ? groups.last.flatMap(\.self) : sent[path.endIndex...].dropFirst()
    if let carried, !carried.isEmpty { result += (result.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + carried }
    return result
  }
}

/// The new target of a rule: text with places for groups.
private struct RewriteTarget: Sendable, Hashable {
  private enum Piece: Sendable, Hashable {
    case text(String)
    /// The text of a group, from 1; 0 is the whole path.
    case group(Int)
  }

  private var pieces: [Piece] = []

  /// Reads a target: `:name` and `$1` refer to groups of the pattern, `$0` to the whole path.
  ///
  /// In the query, `:name=` that is not a group is literal: it is an operator, as in `views:gt=100`.
  ///
  /// - Parameters:
  ///   - text: The target.
  ///   - rule: The pattern, for errors.
  ///   - groups: The names of the pattern's groups.
  init(_ text: String, of rule: String, groups: [String?]) throws(ServerError) {
    let bytes = Array(text.utf8)
    var literal: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      let isParameter = byte == UInt8(ascii: ":")
      let set = isParameter ? ByteSet.words : ByteSet.digits
      let name = rest.prefix(while: set.contains)
      guard isParameter || byte == UInt8(ascii: "$"), !name.isEmpty else {
        literal.append(byte)
        continue
      }
      rest = rest[name.endIndex...]
      let reference = String(decoding: name, as: UTF8.self)
      // Of two groups with one name the last counts, as in a JavaScript object.
      let group = isParameter ? groups.lastIndex(of: reference).map { $0 + 1 } : Int(reference)
      if let group, group <= groups.count {
        pieces += [.text(String(decoding: literal, as: UTF8.self)), .group(group)]
        literal = []
      } else if isParameter, bytes[..<rest.startIndex].contains(UInt8(ascii: "?")), rest.first == UInt8(ascii: "=") {
        literal.append(byte)
        literal += name
      } else {
        throw ServerError(
          rule: rule,
          """
          its target uses \(isParameter ? ":" : "$")\(reference), which the pattern does not have; add it to the \
          pattern, or take it out of '\(text)'.
          """)
      }
    }
    pieces.append(.text(String(decoding: literal, as: UTF8.self)))
  }

  /// The first segment of every new path; `nil` when it depends on a group.
  var firstSegment: String? {
    guard case .text(let start)? = pieces.first else { return nil }
    let parts = start.drop { $0 == "/" }.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    // The whole path begins with a slash.
    let isWhole = parts.count > 1 || pieces.dropFirst().first == .group(0)
    return isWhole ? parts.first.map(String.init) : nil
  }

  /// The target with the whole path and the texts of the groups; an unused group is empty.
  func filled(from groups: [Substring?]) -> String {
    pieces.reduce(into: "") { result, piece in
      switch piece {
      case .text(let literal): result += literal
      case .group(let group): result += groups[group] ?? ""
      }
    }
  }
}

extension ServerError {
  /// Creates the error for a rule of a routes file.
  ///
  /// - Parameters:
  ///   - rule: The pattern of the rule.
  ///   - reason: A sentence that says what is wrong and what to do.
  package init(rule: String, _ reason: String) {
    self.init(.invalidConfiguration, "The rewrite rule '\(rule)' cannot be used: \(reason)")
  }
}
