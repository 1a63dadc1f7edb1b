/// Reads the regular expression in a rule's parentheses.
///
/// Supported are alternatives, `.`, sets as `[a-z]` and `[^/]`, the escapes `\d \w \s` and their opposites, and the
/// repetitions `* + ? {2} {2,} {2,3}`, lazy with a `?` behind. Groups do not nest in path-to-regexp 1.8 either.
struct RewriteExpressionParser {
  private let pattern: String
  private var rest: ArraySlice<UInt8>

  /// The most that a repetition may count to.
  private static let maximumCount = 255

  /// Starts to read the text between the parentheses of a pattern, which errors name.
  init(_ expression: ArraySlice<UInt8>, of pattern: String) {
    rest = expression
    self.pattern = pattern
  }

  mutating func parse() throws(RewriteRuleFault) -> RewriteNode {
    var alternatives: [RewriteNode] = []
    repeat {
      var sequence: [RewriteNode] = []
      while let byte = rest.first, byte != UInt8(ascii: "|") {
        sequence.append(try takeRepetition(of: .byte(try takeSet())))
      }
      alternatives.append(.sequence(sequence))
    } while rest.popFirst() != nil
    return .choice(alternatives)
  }

  /// Reads what one character may be.
  private mutating func takeSet() throws(RewriteRuleFault) -> ByteSet {
    guard let byte = rest.popFirst() else { throw fault("an expression ends too early; complete it.") }
    switch byte {
    case UInt8(ascii: "."): return .all
    case UInt8(ascii: "["): return try takeClass()
    case UInt8(ascii: "\\"): return try takeEscape()
    case UInt8(ascii: "("), UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "?"), UInt8(ascii: "{"):
      let character = Character(Unicode.Scalar(byte))
      throw fault(
        "'\(character)' is not supported at this place of an expression; write \\\\\(character) for the character.")
    default: return ByteSet(CollectionOfOne(byte))
    }
  }

  private mutating func takeEscape() throws(RewriteRuleFault) -> ByteSet {
    guard let byte = rest.popFirst() else {
      throw fault("an expression ends with a backslash; write \\\\\\\\ for one.")
    }
    switch byte {
    case UInt8(ascii: "d"): return .digits
    case UInt8(ascii: "D"): return ByteSet.digits.inverted
    case UInt8(ascii: "w"): return .words
    case UInt8(ascii: "W"): return ByteSet.words.inverted
    case UInt8(ascii: "s"): return .spaces
    case UInt8(ascii: "S"): return ByteSet.spaces.inverted
    case _ where ByteSet.words.contains(byte):
      throw fault(
        "the escape \\\(Character(Unicode.Scalar(byte))) is not supported; use \\\\d, \\\\w, \\\\s or a set as [a-z].")
    default: return ByteSet(CollectionOfOne(byte))
    }
  }

  /// Reads a set up to its closing bracket.
  private mutating func takeClass() throws(RewriteRuleFault) -> ByteSet {
    let isInverted = take(UInt8(ascii: "^"))
    var set = ByteSet([])
    while true {
      guard let byte = rest.popFirst() else {
        throw fault("a bracket is not closed; close it, or write \\\\[ for one.")
      }
      if byte == UInt8(ascii: "]") { return isInverted ? set.inverted : set }
      if byte == UInt8(ascii: "\\") {
        set = set.union(try takeEscape())
      } else if rest.first == UInt8(ascii: "-"), let end = rest.dropFirst().first, end != UInt8(ascii: "]") {
        guard byte <= end else { throw fault("a range in brackets runs backwards; write the smaller character first.") }
        rest = rest.dropFirst(2)
        for member in byte...end { set.insert(member) }
      } else {
        set.insert(byte)
      }
    }
  }

  /// Reads the repetition after a piece, when one is here.
  private mutating func takeRepetition(of node: RewriteNode) throws(RewriteRuleFault) -> RewriteNode {
    let bounds: (minimum: Int, maximum: Int?)
    switch rest.first {
    case UInt8(ascii: "*"): bounds = (0, nil)
    case UInt8(ascii: "+"): bounds = (1, nil)
    case UInt8(ascii: "?"): bounds = (0, 1)
    case UInt8(ascii: "{"): bounds = try counts()
    default: return node
    }
    rest.removeFirst()
    let isLazy = take(UInt8(ascii: "?"))
    return .repetition(node, minimum: bounds.minimum, maximum: bounds.maximum, isLazy: isLazy)
  }

  /// Reads `{2}`, `{2,}` or `{2,3}` up to the closing brace, which stays.
  private mutating func counts() throws(RewriteRuleFault) -> (Int, Int?) {
    rest.removeFirst()
    let text = rest.prefix { $0 != UInt8(ascii: "}") }
    let parts = String(decoding: text, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
    rest = rest[text.endIndex...]
    guard !rest.isEmpty, parts.count <= 2, let minimum = Int(parts[0]), 0...Self.maximumCount ~= minimum else {
      throw badCounts
    }
    guard parts.count == 2 else { return (minimum, minimum) }
    guard !parts[1].isEmpty else { return (minimum, nil) }
    guard let maximum = Int(parts[1]), minimum <= maximum, maximum <= Self.maximumCount else { throw badCounts }
    return (minimum, maximum)
  }

  private var badCounts: RewriteRuleFault {
    fault("the numbers in braces are no repetition; write {2}, {2,} or {2,3} with at most \(Self.maximumCount).")
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  private func fault(_ message: String) -> RewriteRuleFault {
    RewriteRuleFault(rule: pattern, message: message)
  }
}
