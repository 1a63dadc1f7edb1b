/// Reads the syntax of JavaScript's regular expressions (ECMA-262 with Annex B, without flags `u` and `v`).
///
/// Differences: `\u{1F600}` is a character. Backreferences and lookaround, which a finite automaton cannot do, are
/// refused, and so are octal escapes, which look like backreferences. Groups are kept on a stack, so nesting needs no
/// recursion.
struct PatternParser {
  /// A group whose `)` has not been read; the outermost is the whole pattern.
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

  private let ignoresCase: Bool

  init(_ text: String, ignoresCase: Bool) {
    self.ignoresCase = ignoresCase
    scalars = Array(text.unicodeScalars)
  }

  /// The character at the position, or `nil` at the end.
  var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  /// Steps over a character if it is the next one, and returns whether it was.
  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  /// Creates an error whose position is given as an index of `scalars`.
  private func error(_ message: String, at index: Int) -> PatternError {
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

  /// Adds a node to the group, repeated if a quantifier follows.
  private mutating func append(_ atom: PatternNode) throws(PatternError) {
    var node = atom
    if !ignoresCase, case .scalar(let scalar) = atom { node = .set(ScalarSet([scalar.value...scalar.value])) }
    guard let (minimum, maximum) = try parseQuantifier() else { return group.sequence.append(node) }
    group.sequence.append(.repetition(node, minimum: minimum, maximum: maximum, isLazy: skip("?")))
  }

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

  /// The largest count that makes a difference: a program of so many instructions is refused.
  private static let maximumCount = 1_000_000

  /// Reads a quantifier if one follows, up to the mark of a lazy one.
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
    return counts
  }

  /// Reads `n}`, `n,}` or `n,m}`; if none of them follows, returns `nil` and keeps the position.
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

  /// The meaning of an escape or of a member of a class.
  enum Atom {
    case codePoint(UInt32)
    case set(ScalarSet)

    var node: PatternNode {
      switch self {
      case .codePoint(let value):
        // No UTF-8 text contains a surrogate; as a set it matches nothing.
        if let scalar = Unicode.Scalar(value) { .scalar(scalar) } else { .set(ScalarSet([value...value])) }
      case .set(let set): .set(set)
      }
    }

    var set: ScalarSet {
      switch self {
      case .codePoint(let value): ScalarSet([value...value])
      case .set(let set): set
      }
    }
  }

  /// Reads a class after its `[`.
  private mutating func parseClass(from start: Int) throws(PatternError) -> ScalarSet {
    let isInverted = skip("^")
    var ranges: [ClosedRange<UInt32>] = []
    while !skip("]") {
      let atomStart = position
      let lower = try parseClassAtom(from: start)
      let afterLower = position
      guard skip("-"), next != "]" else {
        position = afterLower
        ranges += lower.set.ranges
        continue
      }
      let upper = try parseClassAtom(from: start)
      switch (lower, upper) {
      case (.codePoint(let first), .codePoint(let last)):
        guard first <= last else { throw error("The range is out of order.", at: atomStart) }
        ranges.append(first...last)
      case (.set, _), (_, .set):
        // Annex B: beside a set such as \d the hyphen is a plain character.
        ranges += lower.set.ranges + upper.set.ranges + [0x2D...0x2D]
      }
    }
    let set = ignoresCase ? ScalarSet(ranges).ignoringCase : ScalarSet(ranges)
    return isInverted ? set.inverted : set
  }

  private mutating func parseClassAtom(from classStart: Int) throws(PatternError) -> Atom {
    guard let scalar = next else { throw error("The class is not closed with ']'.", at: classStart) }
    let start = position
    position += 1
    return scalar == "\\" ? try parseCharacterEscape(from: start, inClass: true) : .codePoint(scalar.value)
  }

  /// Reads the rest of an escape that is no assertion.
  private mutating func parseCharacterEscape(from start: Int, inClass: Bool) throws(PatternError) -> Atom {
    guard let scalar = next else { throw error("The pattern ends after a backslash.", at: start) }
    position += 1
    switch scalar {
    case "d": return .set(.digits)
    case "D": return .set(.digits.inverted)
    case "w": return .set(.wordCharacters)
    case "W": return .set(.wordCharacters.inverted)
    case "s": return .set(.whitespace)
    case "S": return .set(.whitespace.inverted)
    case "b": return .codePoint(0x08)
    case "t": return .codePoint(0x09)
    case "n": return .codePoint(0x0A)
    case "v": return .codePoint(0x0B)
    case "f": return .codePoint(0x0C)
    case "r": return .codePoint(0x0D)
    case "c": return parseControlCharacter(inClass: inClass)
    case "x": return .codePoint(parseHexadecimal(digits: 2) ?? scalar.value)
    case "u": return .codePoint(try parseUnicodeEscape(from: start) ?? scalar.value)
    case "0"..."9": return try parseDecimalEscape(scalar, from: start, inClass: inClass)
    case "k" where !inClass: throw error("Backreferences such as '\\k' are not supported.", at: start)
    default: return .codePoint(scalar.value)
    }
  }

  /// Reads what follows `\c`; without a control letter the backslash is a plain character (Annex B).
  private mutating func parseControlCharacter(inClass: Bool) -> Atom {
    guard let letter = next, ScalarSet.wordCharacters.contains(letter.value), inClass || letter.properties.isAlphabetic
    else {
      position -= 1
      return .codePoint(0x5C)
    }
    position += 1
    return .codePoint(letter.value % 32)
  }

  private func parseDecimalEscape(
    _ digit: Unicode.Scalar, from start: Int, inClass: Bool
  ) throws(PatternError) -> Atom {
    if digit == "0", next.map({ !ScalarSet.digits.contains($0.value) }) ?? true { return .codePoint(0) }
    guard digit == "0" || inClass else {
      throw error("Backreferences such as '\\\(digit)' are not supported.", at: start)
    }
    throw error("Octal escapes such as '\\\(digit)' are not supported; write '\\x' and two digits.", at: start)
  }

  /// Reads what follows `\u`: four digits, two surrogates of four digits, or digits in braces; `nil` if it is neither.
  private mutating func parseUnicodeEscape(from start: Int) throws(PatternError) -> UInt32? {
    let afterLetter = position
    if skip("{") {
      var value: UInt32?
      while let digit = parseHexadecimal(digits: 1) {
        value = min((value ?? 0) << 4 | digit, ScalarSet.maximum + 1)
      }
      if let value, skip("}") {
        guard value <= ScalarSet.maximum else { throw error("The escape names no Unicode character.", at: start) }
        return value
      }
      position = afterLetter
      return nil
    }
    guard let high = parseHexadecimal(digits: 4) else { return nil }
    let afterHigh = position
    if 0xD800...0xDBFF ~= high, skip("\\"), skip("u"), let low = parseHexadecimal(digits: 4), 0xDC00...0xDFFF ~= low {
      return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }
    position = afterHigh
    return high
  }

  /// Reads a number of hexadecimal digits, or keeps the position and returns `nil`.
  private mutating func parseHexadecimal(digits: Int) -> UInt32? {
    guard position + digits <= scalars.count else { return nil }
    var value: UInt32 = 0
    for scalar in scalars[position..<(position + digits)] {
      guard scalar.isASCII, let digit = Character(scalar).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    position += digits
    return value
  }
}

/// The syntax tree of a pattern.
package indirect enum PatternNode: Sendable {
  /// One character, in upper or lower case.
  case scalar(Unicode.Scalar)
  /// One character of a set.
  case set(ScalarSet)
  /// A condition on the position, which consumes no character.
  case assertion(PatternAssertion)
  /// One node after the other; empty matches the empty text.
  case sequence([PatternNode])
  /// Any one of the nodes.
  case alternation([PatternNode])
  /// A node repeated between two counts; without a maximum, any number of times. As often as possible, or as seldom when
  /// lazy.
  case repetition(PatternNode, minimum: Int, maximum: Int?, isLazy: Bool = false)
  /// A node whose text ``CapturingPattern`` returns, with the number of its group from 0.
  case group(Int, PatternNode)

  /// Reads a regular expression.
  ///
  /// - Throws: ``PatternError`` if the syntax is wrong or not supported.
  package init(parsing text: String, ignoresCase: Bool = true) throws(PatternError) {
    var parser = PatternParser(text, ignoresCase: ignoresCase)
    self = try parser.parse()
  }
}

/// A condition on the position between two characters.
package enum PatternAssertion: Sendable {
  case start
  case end
  case wordBoundary
  case noWordBoundary

  /// Whether it holds at a position: at the start or the end of the text, or between a word and what is none.
  func holds(isAtStart: Bool, isAtEnd: Bool, isAtBoundary: @autoclosure () -> Bool) -> Bool {
    switch self {
    case .start: isAtStart
    case .end: isAtEnd
    case .wordBoundary: isAtBoundary()
    case .noWordBoundary: !isAtBoundary()
    }
  }
}

extension PatternNode {
  /// The texts that occur in every match, each as one piece. Every match begins with the first one, which may be empty; a
  /// pattern with a single one is that text.
  var literals: [[Unicode.Scalar]] {
    var literals: [[Unicode.Scalar]] = [[]]
    addLiterals(to: &literals)
    return literals
  }

  /// Adds the node's literals; the first of them continues the last existing one.
  private func addLiterals(to literals: inout [[Unicode.Scalar]]) {
    switch self {
    case .scalar(let scalar): literals[literals.count - 1].append(scalar)
    case .sequence(let nodes):
      for node in nodes { node.addLiterals(to: &literals) }
    case .set, .assertion, .alternation, .group: literals.append([])
    case .repetition(let node, let minimum, _, _):
      literals.append([])
      guard minimum > 0 else { return }
      node.addLiterals(to: &literals)
      literals.append([])
    }
  }
}
