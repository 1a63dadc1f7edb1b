/// Reads the pattern of a rule as path-to-regexp 1.8 reads it.
///
/// `:name` is a segment, `:name(\\d+)` and `(\\d+)` a regular expression, `*` anything; `?`, `+` and `*` after the
/// first two make them optional or repeated, together with a slash or dot before them. A backslash takes the next
/// character literally, and everything else is literal, too.
///
/// An expression may have alternatives, `.`, sets as `[a-z]` and `[^/]`, the escapes `\d \w \s` and their opposites, and
/// the repetitions `* + ? {2} {2,} {2,3}`, lazy with a `?` behind. Groups do not nest in path-to-regexp 1.8 either.
struct RewriteParser {
  /// The most that a repetition may count to.
  private static let maximumCount = 255

  private let pattern: String
  private var rest: ArraySlice<UInt8>
  /// The literal text read last.
  private var literal: [UInt8] = []
  private var program = RewriteProgram()

  /// The name of each group, in order; `nil` for a group without one.
  private(set) var groups: [String?] = []

  /// Whether the pattern itself holds a query.
  private(set) var hasQuery = false

  init(_ pattern: String) {
    self.pattern = pattern
    rest = Array(pattern.utf8)[...]
  }

  /// Reads the whole pattern.
  ///
  /// A slash at the end of the pattern or of the path does not count. A pattern with a query matches also when more
  /// parameters follow; these are one more group, the last.
  mutating func parse() throws(RewriteRuleFault) -> RewriteProgram {
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\") where !rest.isEmpty: takeLiteral(rest.removeFirst())
      case UInt8(ascii: "*"):
        flush()
        append(capture(.anything, name: nil))
      case UInt8(ascii: ":") where rest.first.map(ByteSet.words.contains) == true:
        let name = rest.prefix(while: ByteSet.words.contains)
        rest = rest[name.endIndex...]
        let expression = take(UInt8(ascii: "(")) ? try takeExpression() : nil
        takeParameter(name: String(decoding: name, as: UTF8.self), expression)
      case UInt8(ascii: "("): takeParameter(name: nil, try takeExpression())
      default: takeLiteral(byte)
      }
    }
    if !hasQuery, literal.last == UInt8(ascii: "/") { literal.removeLast() }
    flush()
    append((hasQuery ? .literal("&".utf8) + capture(.anything, name: nil) : .literal("/".utf8)).optional)
    guard !program.isTooLong else { throw fault("its pattern is too long; shorten it or its repetitions.") }
    return program
  }

  private mutating func append(_ piece: RewriteProgram) { program = program + piece }

  private mutating func takeLiteral(_ byte: UInt8) {
    literal.append(byte)
    if byte == UInt8(ascii: "?") { hasQuery = true }
  }

  private mutating func flush() {
    append(.literal(literal))
    literal = []
  }

  private mutating func capture(_ piece: RewriteProgram, name: String?) -> RewriteProgram {
    groups.append(name)
    return piece.captured(groups.count - 1)
  }

  /// Adds a parameter, and reads the modifier that follows it.
  private mutating func takeParameter(name: String?, _ expression: RewriteProgram?) {
    let prefix = literal.last.flatMap { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") ? $0 : nil }
    if prefix != nil { literal.removeLast() }
    flush()
    let lead = RewriteProgram.literal(prefix.map { [$0] } ?? [])
    var value = expression ?? segment(endingAt: prefix ?? UInt8(ascii: "/"))
    let modifier = rest.first
    if modifier == UInt8(ascii: "+") || modifier == UInt8(ascii: "*") { value = value + (lead + value).repeated() }
    let isOptional = modifier == UInt8(ascii: "?") || modifier == UInt8(ascii: "*")
    if isOptional || modifier == UInt8(ascii: "+") { rest.removeFirst() }
    let group = capture(value, name: name)
    // A prefix that does not also follow belongs to the text around, not to the parameter.
    let isPartial = prefix != nil && rest.first != nil && rest.first != prefix
    switch (isOptional, isPartial) {
    case (true, true): append(lead + group.optional)
    case (true, false): append((lead + group).optional)
    case (false, _): append(lead + group)
    }
  }

  /// What a parameter without an expression matches: never a query, and in a query never the next parameter.
  private func segment(endingAt delimiter: UInt8) -> RewriteProgram {
    let excluded = [delimiter, UInt8(ascii: "?")] + (hasQuery ? [UInt8(ascii: "&")] : [])
    return .byte(ByteSet(excluded).inverted).repeated(1, isLazy: true)
  }

  // MARK: Expressions

  /// Reads an expression up to the parenthesis that closes it.
  private mutating func takeExpression() throws(RewriteRuleFault) -> RewriteProgram {
    var end = rest.startIndex
    while end < rest.endIndex, rest[end] != UInt8(ascii: ")") { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < rest.endIndex, end > rest.startIndex else {
      throw fault("a parenthesis is empty or not closed; close it, or write \\\\( for the character.")
    }
    let following = rest[(end + 1)...]
    rest = rest[..<end]
    defer { rest = following }
    var alternatives: [RewriteProgram] = []
    repeat {
      var sequence = RewriteProgram()
      while let byte = rest.first, byte != UInt8(ascii: "|") {
        sequence = sequence + (try takeRepetition(of: .byte(try takeSet())))
      }
      alternatives.append(sequence)
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

  /// Reads the repetition after a piece, when one follows.
  private mutating func takeRepetition(of piece: RewriteProgram) throws(RewriteRuleFault) -> RewriteProgram {
    let bounds: (minimum: Int, maximum: Int?)
    switch rest.first {
    case UInt8(ascii: "*"): bounds = (0, nil)
    case UInt8(ascii: "+"): bounds = (1, nil)
    case UInt8(ascii: "?"): bounds = (0, 1)
    case UInt8(ascii: "{"): bounds = try counts()
    default: return piece
    }
    rest.removeFirst()
    return piece.repeated(bounds.minimum, bounds.maximum, isLazy: take(UInt8(ascii: "?")))
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
