import JSONDatabase
import JSONServerValues

/// The rules of a routes file, which change a request's target before it is routed.
///
/// Patterns are those of json-server 0.17 (path-to-regexp 1.8): matched from start to end, upper and lower case alike.
/// Unlike in json-server, a query needs no `*`: a rule whose pattern holds none matches the path, and carries the query
/// over.
struct RewriteRules: Sendable {
  /// The rules as the file has them, pattern to target, in order.
  let rules: JSONObject

  private let compiled: [RewriteRule]

  /// Reads the object of a routes file.
  ///
  /// - Throws: ``RewriteRuleFault`` for the first rule that cannot be used.
  init(json: JSONObject) throws(RewriteRuleFault) {
    var compiled: [RewriteRule] = []
    for (pattern, target) in json {
      guard case .string(let target) = target else {
        throw RewriteRuleFault(
          rule: pattern, message: "its target is no string; write what the path becomes, as \"/$1\".")
      }
      compiled.append(try RewriteRule(pattern, target: target))
    }
    rules = json
    self.compiled = compiled
  }

  /// Returns the target that a request is routed by, and the pattern of the first rule that applied.
  ///
  /// The rules are tried in order, each on what those before it made of the target.
  ///
  /// - Complexity: Linear in the target's length for each rule.
  func rewritten(_ target: String) -> (target: String, rule: String?) {
    var target = target
    var applied: Int?
    for (index, rule) in compiled.enumerated() {
      guard let result = rule.apply(to: target) else { continue }
      target = result
      applied = applied ?? index
    }
    return (target, applied.map { rules.names[$0] })
  }
}

/// One line of a routes file: a pattern and what a request's target becomes when it matches.
private struct RewriteRule: Sendable {
  private let pattern: CapturingPattern
  private let target: RewriteTarget
  private let patternHasQuery: Bool

  init(_ pattern: String, target: String) throws(RewriteRuleFault) {
    var parser = RewriteParser(pattern)
    self.pattern = try parser.parse()
    patternHasQuery = parser.hasQuery
    // The parameters that follow a pattern's own query are carried over, not named.
    let groups = parser.hasQuery ? parser.groups.dropLast() : parser.groups
    self.target = try RewriteTarget(target, of: pattern, groups: groups)
  }

  /// Returns what a request's target becomes; `nil` when the rule does not match.
  ///
  /// A query, or the part of it that the pattern does not name, is added to the new target's own.
  func apply(to sent: String) -> String? {
    let path = patternHasQuery ? sent[...] : Substring(sent.utf8.prefix { $0 != UInt8(ascii: "?") })
    guard let groups = pattern.groups(in: path) else { return nil }
    var result = target.filled(from: groups)
    if !result.hasPrefix("/") { result = "/" + result }
    let carried = patternHasQuery ? groups.last.flatMap(\.self) : sent[path.endIndex...].dropFirst()
    if let carried, !carried.isEmpty { result += (result.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + carried }
    return result
  }
}

/// The target of a rule: text with the places of groups.
private struct RewriteTarget: Sendable, Hashable {
  private enum Piece: Sendable, Hashable {
    case text(String)
    /// The text of a group, from 0.
    case group(Int)
  }

  private var pieces: [Piece] = []

  /// Reads a target: `:name` and `$1` refer to groups of the pattern.
  ///
  /// In the query, `:name=` that is not a group is literal: it is an operator, as in `views:gt=100`.
  ///
  /// - Parameters:
  ///   - text: The target.
  ///   - rule: The pattern, for errors.
  ///   - groups: The names of the pattern's groups.
  init(_ text: String, of rule: String, groups: [String?]) throws(RewriteRuleFault) {
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
      // As a JavaScript object does, of two groups with one name the last counts.
      let group = isParameter ? groups.lastIndex(of: reference) : Int(reference).map { $0 - 1 }
      if let group, groups.indices.contains(group) {
        pieces += [.text(String(decoding: literal, as: UTF8.self)), .group(group)]
        literal = []
      } else if isParameter, bytes[..<rest.startIndex].contains(UInt8(ascii: "?")), rest.first == UInt8(ascii: "=") {
        literal.append(byte)
        literal += name
      } else {
        throw RewriteRuleFault(
          rule: rule,
          message: """
            its target uses \(isParameter ? ":" : "$")\(reference), which the pattern does not have; add it to the \
            pattern, or take it out of '\(text)'.
            """)
      }
    }
    pieces.append(.text(String(decoding: literal, as: UTF8.self)))
  }

  /// The target with the groups' texts in place; a group that took no part is empty.
  func filled(from groups: [Substring?]) -> String {
    pieces.reduce(into: "") { result, piece in
      switch piece {
      case .text(let literal): result += literal
      case .group(let group): result += groups[group] ?? ""
      }
    }
  }
}

/// A mistake in one rule of a routes file.
struct RewriteRuleFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The pattern of the rule.
  let rule: String

  /// A sentence that says what is wrong and what to do.
  let message: String

  var description: String { "The rule '\(rule)' cannot be used: \(message)" }
}
