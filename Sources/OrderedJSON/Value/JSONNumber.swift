/// A JSON number that keeps the text in which it was written.
///
/// `1.0`, `1e3` and `12345678901234567890` stay as they are; arithmetic is left to the caller, on ``doubleValue`` or
/// ``integerValue``. Numbers are equal when their values are, whatever their texts: `1`, `1.0` and `10e-1` are.
public struct JSONNumber: Sendable {
  /// The number as it is in the JSON text.
  public let text: String

  /// Creates a number from JSON number text that was scanned.
  init(validated text: String) {
    self.text = text
  }

  /// Creates a number from its text, which is kept; `nil` when JSON has no such number.
  package init?(text: String) {
    guard let value = try? ValidJSON(parsing: Array(text.utf8)), value.count == text.utf8.count,
      value.withToken({ $0.kind == .number })
    else { return nil }
    self.text = text
  }

  /// Creates a number from an integer.
  public init(_ value: some BinaryInteger) {
    text = String(value)
  }

  /// Creates a number from a double, written as JavaScript writes it; `nil` for infinities and NaN, which JSON lacks.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    text = JavaScriptNumber.text(of: value)
  }

  /// The nearest double; infinite when the text is out of a double's range.
  public var doubleValue: Double {
    Double(text) ?? .nan
  }

  /// The value as an integer when the text is one that fits, else `nil`.
  public var integerValue: Int? {
    Int(text)
  }
}

extension JSONNumber: Hashable {
  /// Whether two numbers have the same value, to the last digit.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.text == right.text || left.decimal == right.decimal
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(decimal)
  }

  private var decimal: DecimalNumber { DecimalNumber(text.utf8) }
}

extension JSONNumber: CustomStringConvertible {
  public var description: String { text }
}

/// Number text as JavaScript writes it (ECMA-262, Number::toString).
package enum JavaScriptNumber {
  /// Returns the shortest text that reads back as the same double, laid out as JavaScript lays it out: `1`, `0.1`,
  /// `1e+21`, `1e-7`; `-0` is `0`.
  package static func text(of value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
    if value == 0 { return "0" }
    if abs(value) < 1e15, let integer = Int64(exactly: value) { return String(integer) }
    let (digits, exponent) = shortestDigits(of: abs(value))
    return (value < 0 ? "-" : "") + layOut(digits: digits, pointAfter: exponent)
  }

  /// Splits Swift's shortest description into its digits and the place of the decimal point.
  private static func shortestDigits(of value: Double) -> (digits: [Character], pointAfter: Int) {
    var mantissa = Substring(value.description)
    var exponent = 0
    if let mark = mantissa.firstIndex(of: "e") {
      exponent = Int(mantissa[mantissa.index(after: mark)...]) ?? 0
      mantissa = mantissa[..<mark]
    }
    let parts = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    var digits = Array(parts[0]) + (parts.count > 1 ? Array(parts[1]) : [])
    var pointAfter = parts[0].count + exponent
    let leadingZeros = digits.prefix { $0 == "0" }.count
    digits.removeFirst(leadingZeros)
    pointAfter -= leadingZeros
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    return (digits, pointAfter)
  }

  private static func layOut(digits: [Character], pointAfter: Int) -> String {
    let count = digits.count
    if count <= pointAfter, pointAfter <= 21 {
      return String(digits) + String(repeating: "0", count: pointAfter - count)
    }
    if 0 < pointAfter, pointAfter <= 21 {
      return String(digits[..<pointAfter]) + "." + String(digits[pointAfter...])
    }
    if -6 < pointAfter, pointAfter <= 0 {
      return "0." + String(repeating: "0", count: -pointAfter) + String(digits)
    }
    let exponent = pointAfter - 1
    let sign = exponent < 0 ? "-" : "+"
    let fraction = count > 1 ? "." + String(digits[1...]) : ""
    return "\(digits[0])\(fraction)e\(sign)\(abs(exponent))"
  }
}
