/// Reads the syntax of JavaScript's regular expressions (ECMA-262 with Annex B, without flags `u` and `v`).
///
/// Differences: `\u{1F600}` names a character, and what a finite automaton cannot do, backreferences and lookaround, is
/// refused, with it octal escapes, which look like backreferences. Groups are kept on a stack, so nesting needs no
/// recursion.
struct PatternParser {
  /// A group whose `)` is still to come; the whole pattern is the outermost.
  private struct OpenGroup {
    let start: Int
    var alternatives: [PatternNode] = []
    var sequence: [PatternNode] = []

    var node: PatternNode {
      alternatives.isEmpty ? .sequence(sequence) : .alternation(alternatives + [.sequence(sequence)])
    }
  }

  let scalars: [Unicode.Scalar]
  var position = 0
  private var enclosingGroups: [OpenGroup] = []
  private var group = OpenGroup(start: 0)

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  /// The character at the position, or `nil` at the end.
  var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  /// Steps over a character if it is the next one, and returns whether it was.
  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  /// Creates an error whose position is given as an index of `scalars`.
  func error(_ message: String, at index: Int) -> PatternError {
    PatternError(message: message, offset: scalars[..<index].reduce(0) { $0 + UTF8.width($1) })
  }

  /// Reads the whole pattern.
  mutating func parse() throws(PatternError) -> PatternNode {
    while let scalar = next {
      let start = position
      position += 1
      switch scalar {
      case "(": try openGroup(at: start)
      case ")": try closeGroup(at: start)
      case "|":
        group.alternatives.append(.sequence(group.sequence))
        group.sequence = []
      case "^": group.sequence.append(.assertion(.start))
      case "$": group.sequence.append(.assertion(.end))
      case ".": try append(.set(.allButLineTerminators))
      case "[": try append(.set(parseClass(from: start)))
      case "\\": try parseEscape(from: start)
      case "*", "+", "?": throw error("'\(scalar)' has nothing to repeat.", at: start)
      case "{":
        // Annex B: a brace that begins no quantifier is a plain character.
        if parseCounts() != nil { throw error("'{' has nothing to repeat.", at: start) }
        try append(.scalar(scalar))
      default: try append(.scalar(scalar))
      }
    }
    if !enclosingGroups.isEmpty { throw error("The group is not closed with ')'.", at: group.start) }
    return group.node
  }

  /// Reads what follows a backslash outside a class.
  private mutating func parseEscape(from start: Int) throws(PatternError) {
    switch next {
    case "b": group.sequence.append(.assertion(.wordBoundary))
    case "B": group.sequence.append(.assertion(.noWordBoundary))
    default: return try append(parseCharacterEscape(from: start, inClass: false).node)
    }
    position += 1
  }

  /// Adds a node to the group, repeated as any quantifier that follows says.
  private mutating func append(_ node: PatternNode) throws(PatternError) {
    guard let (minimum, maximum) = try parseQuantifier() else { return group.sequence.append(node) }
    group.sequence.append(.repetition(node, minimum: minimum, maximum: maximum))
  }
}

extension PatternParser {
  private mutating func openGroup(at start: Int) throws(PatternError) {
    if skip("?") {
      switch next {
      case ":": position += 1
      case "=", "!": throw error("Lookahead '(?\(scalars[position])' is not supported.", at: start)
      case "<": try skipGroupName(from: start)
      default: throw error("'(?' does not begin a group.", at: start)
      }
    }
    enclosingGroups.append(group)
    group = OpenGroup(start: start)
  }

  private mutating func skipGroupName(from start: Int) throws(PatternError) {
    position += 1
    if next == "=" || next == "!" {
      throw error("Lookbehind '(?<\(scalars[position])' is not supported.", at: start)
    }
    let nameStart = position
    while let scalar = next, scalar.properties.isIDContinue || scalar == "$" { position += 1 }
    guard position > nameStart, !ScalarSet.digits.contains(scalars[nameStart].value), skip(">") else {
      throw error("The group's name is not valid.", at: start)
    }
  }

  private mutating func closeGroup(at start: Int) throws(PatternError) {
    guard let enclosing = enclosingGroups.popLast() else { throw error("')' closes no group.", at: start) }
    let node = group.node
    group = enclosing
    try append(node)
  }
}

extension PatternParser {
  /// Counts above this are as good as this: a program of so many instructions is refused.
  private static let maximumCount = 1_000_000

  /// Reads a quantifier if one follows. Lazy ones find the same texts as greedy ones.
  private mutating func parseQuantifier() throws(PatternError) -> (minimum: Int, maximum: Int?)? {
    let start = position
    let counts: (minimum: Int, maximum: Int?)
    if skip("*") {
      counts = (0, nil)
    } else if skip("+") {
      counts = (1, nil)
    } else if skip("?") {
      counts = (0, 1)
    } else if skip("{"), let parsed = parseCounts() {
      counts = parsed
    } else {
      position = start
      return nil
    }
    if let maximum = counts.maximum, maximum < counts.minimum {
      throw error("The numbers in '{\(counts.minimum),\(maximum)}' are out of order.", at: start)
    }
    _ = skip("?")
    return counts
  }

  /// Reads `n}`, `n,}` or `n,m}`; if none of them follows, returns `nil` and stays where it is.
  private mutating func parseCounts() -> (minimum: Int, maximum: Int?)? {
    let start = position
    if let minimum = parseCount() {
      if skip("}") { return (minimum, minimum) }
      if skip(",") {
        let maximum = parseCount()
        if skip("}") { return (minimum, maximum) }
      }
    }
    position = start
    return nil
  }

  private mutating func parseCount() -> Int? {
    var count: Int?
    while let scalar = next, ScalarSet.digits.contains(scalar.value) {
      count = min((count ?? 0) * 10 + Int(scalar.value - 0x30), Self.maximumCount)
      position += 1
    }
    return count
  }
}
