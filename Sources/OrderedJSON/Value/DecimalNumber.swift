/// What the text of a number amounts to, to the last digit: `1`, `1.0` and `10e-1` are one number.
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
