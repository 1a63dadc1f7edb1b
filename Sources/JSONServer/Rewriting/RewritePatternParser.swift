/// Reads the pattern of a rule as path-to-regexp 1.8 reads it.
///
/// `:name` is a segment, `:name(\\d+)` and `(\\d+)` a regular expression, `*` anything; `?`, `+` and `*` after the
/// first two make them optional or repeated, together with a slash or dot before them. A backslash takes the next
/// character literally, and everything else is literal, too.
struct RewritePatternParser {
  private let pattern: String
  private let bytes: [UInt8]
  private var position = 0
  /// The literal text read last.
  private var literal: [UInt8] = []
  private var nodes: [RewriteNode] = []

  /// The name of each group, in order; `nil` for a group without one.
  private(set) var groups: [String?] = []

  /// Whether the pattern itself holds a query.
  private(set) var hasQuery = false

  init(_ pattern: String) {
    self.pattern = pattern
    bytes = Array(pattern.utf8)
  }

  /// Reads the whole pattern.
  ///
  /// A slash at the end of the pattern or of the path does not count. A pattern with a query matches also when more
  /// parameters follow; these are one more group, the last.
  mutating func parse() throws(RewriteRuleFault) -> RewriteNode {
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\\") where position + 1 < bytes.count:
        takeLiteral(bytes[position + 1])
        position += 2
      case UInt8(ascii: "*"):
        position += 1
        flush()
        nodes.append(capture(.anything, name: nil))
      case UInt8(ascii: ":") where position + 1 < bytes.count && Self.isWord(bytes[position + 1]):
        position += 1
        let name = bytes[position...].prefix(while: Self.isWord)
        position = name.endIndex
        try takeParameter(name: String(decoding: name, as: UTF8.self))
      case UInt8(ascii: "("): try takeParameter(name: nil)
      default:
        takeLiteral(byte)
        position += 1
      }
    }
    if !hasQuery, literal.last == UInt8(ascii: "/") { literal.removeLast() }
    flush()
    if hasQuery {
      nodes.append(.optional(.sequence([.literal("&".utf8), capture(.anything, name: nil)])))
    } else {
      nodes.append(.optional(.literal("/".utf8)))
    }
    return .sequence(nodes)
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func takeLiteral(_ byte: UInt8) {
    literal.append(byte)
    if byte == UInt8(ascii: "?") { hasQuery = true }
  }

  private mutating func flush() {
    nodes.append(.literal(literal))
    literal = []
  }

  private mutating func capture(_ node: RewriteNode, name: String?) -> RewriteNode {
    groups.append(name)
    return .capture(groups.count, node)
  }

  /// Reads what follows a parameter's name: its expression and its modifier.
  private mutating func takeParameter(name: String?) throws(RewriteRuleFault) {
    let prefix = literal.last.flatMap { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") ? $0 : nil }
    if prefix != nil { literal.removeLast() }
    flush()
    let lead = RewriteNode.literal(prefix.map { [$0] } ?? [])
    var value = try takeExpression() ?? segment(endingAt: prefix ?? UInt8(ascii: "/"))
    let modifier = peek
    if modifier == UInt8(ascii: "+") || modifier == UInt8(ascii: "*") {
      let more = RewriteNode.sequence([lead, value])
      value = .sequence([value, .repetition(more, minimum: 0, maximum: nil, isLazy: false)])
    }
    let isOptional = modifier == UInt8(ascii: "?") || modifier == UInt8(ascii: "*")
    if isOptional || modifier == UInt8(ascii: "+") { position += 1 }
    let group = capture(value, name: name)
    // A prefix that does not also follow belongs to the text around, not to the parameter.
    let isPartial = prefix != nil && peek != nil && peek != prefix
    switch (isOptional, isPartial) {
    case (true, true): nodes.append(.sequence([lead, .optional(group)]))
    case (true, false): nodes.append(.optional(.sequence([lead, group])))
    case (false, _): nodes.append(.sequence([lead, group]))
    }
  }

  /// What a parameter without an expression matches: never a query, and in a query never the next parameter.
  private func segment(endingAt delimiter: UInt8) -> RewriteNode {
    let excluded = [delimiter, UInt8(ascii: "?")] + (hasQuery ? [UInt8(ascii: "&")] : [])
    return .repetition(.byte(ByteSet(excluded).inverted), minimum: 1, maximum: nil, isLazy: true)
  }

  /// Reads an expression in parentheses, when one is here.
  private mutating func takeExpression() throws(RewriteRuleFault) -> RewriteNode? {
    guard peek == UInt8(ascii: "(") else { return nil }
    let start = position + 1
    position = start
    while let byte = peek, byte != UInt8(ascii: ")") {
      position += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.count, position > start else {
      throw RewriteRuleFault(
        rule: pattern, message: "a parenthesis is empty or not closed; close it, or write \\\\( for the character.")
    }
    defer { position += 1 }
    var parser = RewriteExpressionParser(bytes[start..<position], of: pattern)
    return try parser.parse()
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    ByteSet.words.contains(byte)
  }
}
