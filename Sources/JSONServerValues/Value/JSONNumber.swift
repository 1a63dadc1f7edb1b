/// A JSON number that keeps the text in which it was written.
///
/// `1.0`, `1e3` and `12345678901234567890` stay as they are; arithmetic is left to the caller, on ``doubleValue`` or
/// ``integerValue``. Numbers are equal when their values are: `1`, `1.0` and `10e-1`.
public struct JSONNumber: Sendable, CustomStringConvertible, Hashable {
  /// The number as it is in the JSON text.
  public let text: String

  /// Creates a number from JSON number text that was scanned.
  init(validated text: String) {
    self.text = text
  }

  /// Creates a number from its text, which is kept; `nil` when JSON has no such number.
  package init?(text: String) {
    // Most are positive integers.
    if let first = text.utf8.first, first > UInt8(ascii: "0"),
      text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    {
      self.text = text
      return
    }
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
    // To read an integer takes a tenth of the time; 0 may be -0.
    if let integerValue, integerValue != 0, let value = Double(exactly: integerValue) { return value }
    return Double(text) ?? .nan
  }

  /// The value as an integer when the text is one that fits, else `nil`.
  public var integerValue: Int? {
    Int(text)
  }

  /// The digits of a positive integer, in whatever spelling; `nil` for any other number, and for one beyond a double's
  /// range.
  package var integerDigits: String? { doubleValue.isFinite ? decimal.integerDigits : nil }

  public var description: String { text }

  /// Whether two numbers have the same value, to the last digit.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    left.text == right.text || left.decimal == right.decimal
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(decimal)
  }

  private var decimal: DecimalNumber { DecimalNumber(text.utf8) }
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

/// The exact value of a number: `1`, `1.0` and `10e-1` are one number.
///
/// The exponent may have any number of digits, since a client may write any.
struct DecimalNumber: Hashable {
  private let isNegative: Bool
  /// The digits without zeros at either end; empty for zero.
  private let digits: [UInt8]
  /// The power of ten of the last digit, as an integer without leading zeros.
  private let exponent: String

  /// Reads the text of a JSON number.
  init(_ text: some Collection<UInt8>) {
    let parts = text.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
    // A number begins with a digit or a sign.
    let mantissa = parts[0].drop { $0 == UInt8(ascii: "-") }
    let fraction = mantissa.drop { $0 != UInt8(ascii: ".") }.dropFirst()
    let all = mantissa.filter { $0 != UInt8(ascii: ".") }.drop { $0 == UInt8(ascii: "0") }
    let zeros = all.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    digits = Array(all.dropLast(zeros))
    isNegative = text.first == UInt8(ascii: "-") && !digits.isEmpty
    exponent = digits.isEmpty ? "" : Self.sum(parts.count > 1 ? Array(parts[1]) : [], zeros - fraction.count)
  }

  /// The digits of a positive integer; `nil` for any other number.
  var integerDigits: String? {
    if digits.isEmpty { return "0" }
    guard !isNegative, let zeros = Int(exponent), zeros >= 0 else { return nil }
    return String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: zeros)
  }

  /// Adds a number of digits, which fits many times, to an exponent, which may fit no integer.
  private static func sum(_ exponent: [UInt8], _ count: Int) -> String {
    let isNegative = exponent.first == UInt8(ascii: "-")
    var digits = Array(exponent.drop { !(UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0) })
    guard digits.count >= 18 else {
      let magnitude = Int(String(decoding: digits, as: UTF8.self)) ?? 0
      return String((isNegative ? -magnitude : magnitude) + count)
    }
    var carry = isNegative ? -count : count
    for index in digits.indices.reversed() where carry != 0 {
      let sum = Int(digits[index] - UInt8(ascii: "0")) + carry
      let digit = (sum % 10 + 10) % 10
      digits[index] = UInt8(ascii: "0") + UInt8(digit)
      carry = (sum - digit) / 10
    }
    // The exponent is larger than the count, so that nothing is borrowed in the end.
    let all = (carry > 0 ? Array(String(carry).utf8) : []) + digits.drop { carry == 0 && $0 == UInt8(ascii: "0") }
    return (isNegative ? "-" : "") + String(decoding: all, as: UTF8.self)
  }
}
