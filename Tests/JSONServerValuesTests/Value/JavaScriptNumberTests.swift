import JSONServerValues
import Testing

struct JavaScriptNumberTests {
  /// Number literals and what `JSON.stringify` makes of them in Node 20.
  private static let stringified: [(String, String)] = [
    ("0", "0"),
    ("-0", "0"),
    ("1", "1"),
    ("-1", "-1"),
    ("100", "100"),
    ("123456789", "123456789"),
    ("999999999999999", "999999999999999"),
    ("1e15", "1000000000000000"),
    ("1000000000000001", "1000000000000001"),
    ("9007199254740991", "9007199254740991"),
    ("9007199254740993", "9007199254740992"),
    ("-9007199254740992", "-9007199254740992"),
    ("123456789012345680000", "123456789012345680000"),
    ("999999999999999900000", "999999999999999900000"),
    ("1e20", "100000000000000000000"),
    ("1e21", "1e+21"),
    ("1.5e21", "1.5e+21"),
    ("-1e21", "-1e+21"),
    ("1e22", "1e+22"),
    ("1e23", "1e+23"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    ("5e-324", "5e-324"),
    ("2.2250738585072014e-308", "2.2250738585072014e-308"),
    ("0.1", "0.1"),
    ("0.2", "0.2"),
    ("0.30000000000000004", "0.30000000000000004"),
    ("1.1", "1.1"),
    ("-1.5", "-1.5"),
    ("3.141592653589793", "3.141592653589793"),
    ("123.456", "123.456"),
    ("100.25", "100.25"),
    ("0.5", "0.5"),
    ("0.001", "0.001"),
    ("0.0001", "0.0001"),
    ("0.00001", "0.00001"),
    ("0.000001", "0.000001"),
    ("1e-6", "0.000001"),
    ("1.5e-6", "0.0000015"),
    ("9.999e-7", "9.999e-7"),
    ("1e-7", "1e-7"),
    ("-1e-7", "-1e-7"),
    ("1.234e-7", "1.234e-7"),
    ("1e-10", "1e-10"),
    ("123456.789e3", "123456789"),
    ("4.35", "4.35"),
    ("4.349999999999999", "4.349999999999999"),
    ("1e100", "1e+100"),
    ("1.2e-100", "1.2e-100"),
    ("18014398509481984", "18014398509481984"),
    ("72057594037927940", "72057594037927940"),
    ("1.0000000000000002", "1.0000000000000002"),
    ("2e16", "20000000000000000"),
    ("12345678901234567", "12345678901234568"),
    ("0.1e16", "1000000000000000"),
    ("1234567890123456.7", "1234567890123456.8"),
    ("4503599627370497.5", "4503599627370498"),
  ]

  @Test(arguments: stringified)
  func `A double is written as JSON.stringify writes it`(_ literal: String, _ expected: String) throws {
    #expect(JavaScriptNumber.text(of: try #require(Double(literal))) == expected)
  }

  @Test(arguments: stringified)
  func `What is written reads back as the same double`(_ literal: String, _ expected: String) throws {
    #expect(Double(literal) == Double(expected))
  }

  @Test func `Infinities and NaN are named as JavaScript names them`() {
    #expect([Double.infinity, -.infinity, .nan].map(JavaScriptNumber.text) == ["Infinity", "-Infinity", "NaN"])
    #expect(JSONNumber(Double.infinity) == nil)
    #expect(JSONNumber(Double.nan) == nil)
  }

  @Test(arguments: [
    ("1e999", Double.infinity, nil), ("-1e999", -.infinity, nil), ("1e-999", 0, nil), ("-0", -0.0, 0),
    ("9223372036854775807", 0x1p63, Int.max), ("9223372036854775808", 0x1p63, nil), ("1.0", 1, nil), ("1E2", 100, nil),
  ])
  func `Number text has a double and, when it is an integer that fits, an integer`(
    _ text: String, _ double: Double, _ integer: Int?
  ) throws {
    guard case .number(let number) = try JSONValue(parsing: text) else {
      Issue.record("\(text) is no number")
      return
    }
    #expect(number.text == text)
    #expect(number.doubleValue == double)
    #expect(number.integerValue == integer)
  }
}
