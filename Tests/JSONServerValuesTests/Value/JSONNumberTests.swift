import JSONDatabase
import JSONServerValues
import Testing

@Suite struct `Numbers of any size` {
  /// Spellings of one number in each row; those of different rows are different numbers.
  static let numbers: [[String]] = [
    ["0", "-0", "0.00", "0e9223372036854775807", "0e-9223372036854775808", "0.0e99999999999999999999", "-0e-1"],
    ["1", "1.0", "10e-1", "0.1e1", "1E+0", "1e-0", "1e00000000000000000000000"], ["-1", "-10e-1"],
    ["10e9223372036854775807", "1e9223372036854775808", "100e9223372036854775806", "0.01e9223372036854775810"],
    ["1e9223372036854775807", "10e9223372036854775806", "0.1e9223372036854775808"],
    ["0.10e-9223372036854775807", "1e-9223372036854775808", "0.001e-9223372036854775805"],
    ["1e-9223372036854775809", "0.1e-9223372036854775808", "0.1E-0009223372036854775808"],
    ["1e-9223372036854775807", "10e-9223372036854775808"],
    ["0.1e-9223372036854775807000", "1e-9223372036854775807001"], ["1e-9223372036854775807000"],
    ["1e100000000000000000000", "10e99999999999999999999", "0.1e100000000000000000001"],
    ["1e99999999999999999999", "10e99999999999999999998", "0.1e100000000000000000000"],
    ["1e-99999999999999999", "0.1e-99999999999999998", "10e-100000000000000000"],
    ["1e100000000000000000", "10e99999999999999999", "100e99999999999999998"],
    ["-7e9223372036854775807", "-70e9223372036854775806"], ["7e9223372036854775807"],
    ["12e99999999999999999999999999999999999999999", "1.2e100000000000000000000000000000000000000000"],
  ]

  private static func expect(_ left: String, _ isEqual: Bool, _ right: String) throws {
    let (one, other) = (try JSONValue(parsing: left), try JSONValue(parsing: right))
    #expect((one == other) == isEqual, "\(left) and \(right)")
    if isEqual { #expect(one.hashValue == other.hashValue, "\(left) and \(right)") }
    // What a patch tests is compared as text.
    let test = try ValidJSON(parsing: Array(#"[{"op":"test","path":"","value":\#(right)}]"#.utf8))
    let document = try ValidJSON(parsing: Array(left.utf8))
    let patch = Patch.operations(try PatchOperation.all(in: test))
    #expect(((try? patch.applied(to: document, maximumDepth: 8)) != nil) == isEqual, "\(left) and \(right)")
  }

  @Test(arguments: numbers.indices)
  func `are equal when their values are, whatever their exponents`(_ row: Int) throws {
    for left in Self.numbers[row] {
      for (other, spellings) in Self.numbers.enumerated() {
        for right in spellings { try Self.expect(left, row == other, right) }
      }
    }
  }

  @Test func `are equal as digits that are moved say`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let (left, right) = (Model.random(using: &random), Model.random(using: &random))
      try Self.expect(left.text(using: &random), left == right, right.text(using: &random))
      try Self.expect(left.text(using: &random), true, left.text(using: &random))
    }
  }

  /// A number as digits without a zero at either end, times a power of ten near one that is large or small.
  private struct Model: Equatable {
    let isNegative: Bool
    let digits: String
    /// What the exponent begins with; twelve digits follow, so that what is added changes them alone.
    let start: String
    let exponent: Int

    private static let starts = ["", "9223372", "-9223372", "1234567890123456789012345678901234567890", "-5"]

    static func random(using random: inout some RandomNumberGenerator) -> Model {
      let start = starts.randomElement(using: &random) ?? ""
      // Those that begin so are at the ends of what 64 bits hold.
      let last = start.hasSuffix("9223372") ? 36_854_775_807 : 500_000_000_000
      return Model(
        isNegative: Bool.random(using: &random), digits: ["1", "12", "105"].randomElement(using: &random) ?? "1",
        start: start, exponent: (start.isEmpty ? 0 : last) + Int.random(in: -1...1, using: &random))
    }

    /// The exponent with some added.
    private func power(_ added: Int) -> String {
      guard !start.isEmpty else { return String(exponent + added) }
      let last = String(exponent + (start.hasPrefix("-") ? -added : added))
      return start + String(repeating: "0", count: 12 - last.count) + last
    }

    func text(using random: inout some RandomNumberGenerator) -> String {
      let zeros = Int.random(in: 0...4, using: &random)
      var digits = digits + String(repeating: "0", count: zeros)
      var moved = -zeros
      switch Int.random(in: 0...2, using: &random) {
      case 0:
        let leading = Int.random(in: 0...4, using: &random)
        moved += leading + digits.count
        digits = "0." + String(repeating: "0", count: leading) + digits
      case 1 where digits.count > 1:
        let fraction = Int.random(in: 1..<digits.count, using: &random)
        moved += fraction
        digits = digits.dropLast(fraction) + "." + digits.suffix(fraction)
      case _: break
      }
      return (isNegative ? "-" : "") + digits + "e" + power(moved)
    }
  }
}
