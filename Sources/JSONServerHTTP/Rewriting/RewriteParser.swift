package import TextMatching

/// Reads the pattern of a rule as path-to-regexp 1.8 reads it.
///
/// `:name` is a segment, `:name(\\d+)` and `(\\d+)` a regular expression, `*` anything; `?`, `+` and `*` after the
/// first two make them optional or repeated, together with a slash or dot before them. A backslash takes the next
/// character literally, and everything else is literal, too. An expression has no groups of its own.
package struct RewriteParser {
  private let pattern: String
  private var rest: ArraySlice<UInt8>
  /// The last literal text.
  private var literal: [UInt8] = []
  private var nodes: [PatternNode] = []

  /// The name of each group, in order; `nil` for an unnamed group.
  private(set) var groups: [String?] = []

  /// Whether the pattern has a query.
  package private(set) var hasQuery = false

  package init(_ pattern: String) {
    self.pattern = pattern
    rest = Array(pattern.utf8)[...]
  }

  /// Reads the whole pattern.
  ///
  /// A slash at the end of the pattern or of the path does not matter. A pattern with a query also matches with further
  /// parameters; these are the last group.
  package mutating func parse() throws(ServerError) -> CapturingPattern {
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\") where !rest.isEmpty: takeLiteral(rest.removeFirst())
      case UInt8(ascii: "*"):
        flush()
        nodes.append(try group("[^]*"))
      case UInt8(ascii: ":") where rest.first.map(ByteSet.words.contains) == true:
        let name = rest.prefix(while: ByteSet.words.contains)
        rest = rest[name.endIndex...]
        let hasExpression = rest.first == UInt8(ascii: "(")
        if hasExpression { rest.removeFirst() }
        try takeParameter(String(decoding: name, as: UTF8.self), hasExpression ? try takeExpression() : nil)
      case UInt8(ascii: "("): try takeParameter(nil, try takeExpression())
      default: takeLiteral(byte)
      }
    }
    if !hasQuery, literal.last == UInt8(ascii: "/") { literal.removeLast() }
    flush()
    nodes.append(hasQuery ? optional([try expression("&"), try group("[^]*")]) : optional([try expression("/")]))
    do throws(PatternError) {
      return try CapturingPattern(.sequence(nodes), groupCount: groups.count)
    } catch {
      throw refusal(error)
    }
  }

  /// Takes a byte as it is in ``RequestTarget/text``.
  private mutating func takeLiteral(_ byte: UInt8) {
    if byte == UInt8(ascii: "?") { hasQuery = true }
    literal += hasQuery ? [byte] : PercentEncoding.encodePath(byte)
  }

  private mutating func flush() {
    nodes += String(decoding: literal, as: UTF8.self).unicodeScalars.map { .scalar($0) }
    literal = []
  }

  private func expression(_ text: String) throws(ServerError) -> PatternNode {
    do throws(PatternError) {
      return try PatternNode(parsing: text)
    } catch {
      throw refusal(error)
    }
  }

  private mutating func group(_ text: String) throws(ServerError) -> PatternNode {
    groups.append(nil)
    return .group(groups.count - 1, try expression(text))
  }

  private func optional(_ nodes: [PatternNode]) -> PatternNode {
    .repetition(.sequence(nodes), minimum: 0, maximum: 1)
  }

  /// Adds a parameter, and reads the modifier after it.
  ///
  /// - Parameter expression: The expression that it matches; by default a segment in a path, and one parameter in a
  ///   query.
  private mutating func takeParameter(_ name: String?, _ expression: String?) throws(ServerError) {
    let prefix = literal.last == UInt8(ascii: "/") || literal.last == UInt8(ascii: ".") ? literal.removeLast() : nil
    flush()
    let delimiter = Character(Unicode.Scalar(prefix ?? UInt8(ascii: "/")))
    let lead = prefix.map { [PatternNode.scalar(Unicode.Scalar($0))] } ?? []
    var value = [try self.expression(expression ?? "[^\(delimiter)?\(hasQuery ? "&" : "")]+?")]
    let modifier = rest.first.flatMap { "?+*".utf8.contains($0) ? $0 : nil }
    if modifier != nil { rest.removeFirst() }
    if modifier == UInt8(ascii: "+") || modifier == UInt8(ascii: "*") {
      value.append(.repetition(.sequence(lead + value), minimum: 0, maximum: nil))
    }
    groups.append(name)
    let group = PatternNode.group(groups.count - 1, .sequence(value))
    let isOptional = modifier == UInt8(ascii: "?") || modifier == UInt8(ascii: "*")
    // A prefix that does not follow the parameter, too, belongs to the text around it.
    let isPartial = prefix != nil && rest.first != nil && rest.first != prefix
    switch (isOptional, isPartial) {
    case (true, true): nodes += lead + [optional([group])]
    case (true, false): nodes.append(optional(lead + [group]))
    case (false, _): nodes += lead + [group]
    }
  }

  /// Reads an expression up to the parenthesis that closes it.
  private mutating func takeExpression() throws(ServerError) -> String {
    var end = rest.startIndex
    while end < rest.endIndex, rest[end] != UInt8(ascii: ")") { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < rest.endIndex, end > rest.startIndex else {
      throw ServerError(
        rule: pattern, "a parenthesis is empty or not closed; close it, or write \\\\( for the character.")
    }
    defer { rest = rest[(end + 1)...] }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  private func refusal(_ error: PatternError) -> ServerError {
    ServerError(
      rule: pattern,
      "\(error.message) Correct the pattern, or write \\\\ before a character that stands for itself.")
  }
}
