extension PatternParser {
  /// What an escape or a member of a class stands for.
  enum Atom {
    case codePoint(UInt32)
    case set(ScalarSet)

    var node: PatternNode {
      switch self {
      case .codePoint(let value):
        // A surrogate is in no UTF-8 text; as a set it matches nothing.
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
  mutating func parseClass(from start: Int) throws(PatternError) -> ScalarSet {
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
    let set = ScalarSet(ranges).ignoringCase
    return isInverted ? set.inverted : set
  }

  private mutating func parseClassAtom(from classStart: Int) throws(PatternError) -> Atom {
    guard let scalar = next else { throw error("The class is not closed with ']'.", at: classStart) }
    let start = position
    position += 1
    return scalar == "\\" ? try parseCharacterEscape(from: start, inClass: true) : .codePoint(scalar.value)
  }

  /// Reads what follows a backslash, unless it is an assertion.
  mutating func parseCharacterEscape(from start: Int, inClass: Bool) throws(PatternError) -> Atom {
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

  /// Reads a number of hexadecimal digits, or stays where it is and returns `nil`.
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
