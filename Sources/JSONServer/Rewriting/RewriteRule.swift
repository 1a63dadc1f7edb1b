/// One line of a routes file: a pattern and what a request's target becomes when it matches.
struct RewriteRule: Sendable {
  private let program: RewriteProgram
  private let target: RewriteTarget
  private let patternHasQuery: Bool

  init(_ pattern: String, target: String) throws(RewriteRuleFault) {
    var parser = RewritePatternParser(pattern)
    let node = try parser.parse()
    guard let program = RewriteProgram(node, groupCount: parser.groups.count) else {
      throw RewriteRuleFault(rule: pattern, message: "its pattern is too long; shorten it or its repetitions.")
    }
    self.program = program
    patternHasQuery = parser.hasQuery
    // The parameters that follow a pattern's own query are carried over, not named.
    let groups = parser.hasQuery ? parser.groups.dropLast() : parser.groups
    self.target = try RewriteTarget(target, of: pattern, groups: groups)
  }

  /// Returns what a request's target becomes; `nil` when the rule does not match.
  ///
  /// A query, or the part of it that the pattern does not name, is added to the new target's own.
  func apply(to bytes: [UInt8]) -> [UInt8]? {
    let path = patternHasQuery ? bytes[...] : bytes.prefix { $0 != UInt8(ascii: "?") }
    let text = Array(path)
    guard let groups = program.match(text) else { return nil }
    var result = target.filled(from: text, groups)
    if result.first != UInt8(ascii: "/") { result.insert(UInt8(ascii: "/"), at: 0) }
    let carried = patternHasQuery ? groups.last.flatMap(\.self).map { bytes[$0] } : bytes[path.endIndex...].dropFirst()
    if let carried, !carried.isEmpty {
      result.append(result.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?"))
      result += carried
    }
    return result
  }
}
