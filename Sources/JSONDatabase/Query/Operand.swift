import JSONServerValues
import TextMatching

/// The value of a comparison, prepared once for all records.
struct Operand {
  enum Place {
    case anywhere, start, end
  }

  /// The text as it was sent, in UTF-8.
  let text: [UInt8]
  /// The text that values are compared with: of a time, its instant.
  private let key: [UInt8]
  /// The result of JavaScript's `Number(text)`, if any.
  private let number: Double?
  /// The number when JavaScript would write it in this way, so that `9` also equals a stored `9.0`.
  private let canonicalNumber: Double?
  /// Whether the text was a JSON string, or is blank: 1.0 does not treat it as a number, unlike JavaScript.
  private let isString: Bool
  /// The automaton of a regular expression; it grows while it reads, so an operand is used for one query only.
  let pattern: PatternMatcher?

  /// Finds the text in any case; set for a comparison that ignores case.
  private let search: LiteralSearch?

  /// Creates the operand of a comparison with a member.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` for a pattern that cannot be used, and for a text that does not
  ///   say whether the member must exist.
  init(
    _ text: String, of comparison: Comparison, with name: String, isString: Bool = false
  ) throws(DatabaseError) {
    self.text = Array(text.utf8)
    key = InstantText.key(of: text)
    self.isString = isString || text.allSatisfy(\.isWhitespace)
    number = Self.number(text)
    canonicalNumber = number.flatMap { JavaScriptNumber.text(of: $0) == text ? $0 : nil }
    var search: LiteralSearch?
    var pattern: PatternMatcher?
    switch comparison {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn: break
    case .contains, .startsWith, .endsWith: search = LiteralSearch(caseInsensitive: text)
    case .like:
      do throws(PatternError) {
        pattern = PatternMatcher(try Pattern(text))
      } catch {
        throw DatabaseError(.invalidQuery, "The pattern for '\(name)' cannot be used. \(error.message)")
      }
    case .exists:
      guard text == "true" || text == "false" else {
        throw DatabaseError(.invalidQuery, "'exists' of '\(name)' must be true or false; it is '\(text)'.")
      }
    }
    self.search = search
    self.pattern = pattern
  }

  /// The text as it was sent.
  var string: String { String(decoding: text, as: UTF8.self) }

  var isTrue: Bool { text.elementsEqual("true".utf8) }

  /// Whether the text is empty, or a script's text for a variable without a value.
  var isAbsent: Bool {
    text.isEmpty || text.elementsEqual("undefined".utf8) || text.elementsEqual("NaN".utf8)
  }

  /// Whether the pattern matches an empty text and an unlikely one, and so probably any.
  var matchesAnyText: Bool {
    guard let pattern else { return false }
    return ["", "\u{10FFFF}"].allSatisfy { text in Array(text.utf8).withUnsafeBufferPointer { pattern.matches($0) } }
  }

  var isNull: Bool { !isString && text.elementsEqual("null".utf8) }

  /// The result of JavaScript's `Number(text)`; `nil` for `NaN`.
  static func number(_ text: String) -> Double? {
    // Most operands are short integers, which need not be checked character by character.
    if text.utf8.count < 16, let integer = Int(text) { return Double(integer) }
    let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    if trimmed.isEmpty { return 0 }
    guard !trimmed.contains(where: { $0.isLetter && $0 != "e" && $0 != "E" }) else { return nil }
    return Double(String(trimmed))
  }

  /// Whether one of a value's texts equals the operand; in 1.0 a list and an object equal nothing.
  func equals(_ value: ValueToken, _ dialect: Dialect) -> Bool {
    if isNull, dialect == .classic || value.isNull, value.equalsNull { return true }
    switch value.kind {
    case .number:
      // As `forEachEqualText`, but without writing the number.
      if value.bytes.elementsEqual(text) { return true }
      guard let canonicalNumber, !value.isInteger else { return false }
      return value.double == canonicalNumber
    case .array where dialect == .v1, .object where dialect == .v1: return false
    case .null, .bool, .string, .array, .object:
      return value.forEachEqualText { other in InstantText.withKey(of: other) { $0.elementsEqual(key) } }
    }
  }

  /// The order of a value and the operand: negative, zero or positive; `nil` when the two cannot be compared.
  ///
  /// Numbers and booleans compare as numbers, times with a zone as instants, other values as text by code point. In 1.0's dialect null compares as 0,
  /// and an operand that is a number converts the value, too.
  func order(of value: ValueToken, _ dialect: Dialect) -> Int? {
    let number = number(dialect)
    switch value.kind {
    case .number: return number.flatMap { Self.order(value.double, $0) }
    case .bool:
      if let number { return Self.order(value.bytes[0] == UInt8(ascii: "t") ? 1 : 0, number) }
      if dialect == .v1 { return nil }
    case .null where dialect == .v1: return number.flatMap { Self.order(0, $0) }
    case .null, .string, .array, .object:
      if dialect == .v1, !isString, let number { return Self.number(value.text).flatMap { Self.order($0, number) } }
    }
    return value.withText { text in InstantText.withKey(of: text) { LexicographicOrder.compare($0, key) } }
  }

  /// The number for comparisons: in 1.0 a word that is a JSON value is converted as JavaScript converts that value.
  func number(_ dialect: Dialect) -> Double? {
    guard dialect == .v1, !isString else { return number }
    return switch text {
    case Array("true".utf8): 1
    case Array("false".utf8), Array("null".utf8): 0
    default: number
    }
  }

  private static func order(_ left: Double, _ right: Double) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }

  /// Whether a string contains the operand, without letter case; in the classic dialect also a number or an array's
  /// element, at any depth, with a stack instead of recursion.
  func isContained(in value: ValueToken, _ place: Place, _ dialect: Dialect) -> Bool {
    var open: [ArrayReader] = []
    var next: ValueToken? = value
    while let value = next {
      switch value.kind {
      case .string: if value.withText({ isFound(in: $0, place) }) { return true }
      case .number where dialect == .classic: if value.withText({ isFound(in: $0, place) }) { return true }
      case .array where dialect == .classic: if let elements = ArrayReader(value) { open.append(elements) }
      case .null, .bool, .number, .array, .object: break
      }
      next = nil
      while next == nil, let last = open.indices.last {
        next = open[last].next()
        if next == nil { open.removeLast() }
      }
    }
    return false
  }

  private func isFound(in text: UnsafeBufferPointer<UInt8>, _ place: Place) -> Bool {
    guard let search else { return false }
    return switch place {
    case .start: search.isPrefix(of: text)
    case .end: search.isSuffix(of: text)
    case .anywhere: search.firstMatch(in: text, from: 0) != nil
    }
  }
}
