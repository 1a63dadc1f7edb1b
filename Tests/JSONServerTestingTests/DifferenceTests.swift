@testable import JSONServerTesting

/// What an unmet expectation says.
struct DifferenceTests {
  private static func nested(_ depth: Int, _ value: JSONValue, in wrap: (JSONValue) -> JSONValue) -> JSONValue {
    (0..<depth).reduce(value) { value, _ in wrap(value) }
  }

  @Test(arguments: [63, 1_000]) func `Values of any depth are compared`(_ depth: Int) {
    for wrap in [{ ["a": $0] }, { [$0] }] as [@Sendable (JSONValue) -> JSONValue] {
      let (one, other) = (Self.nested(depth, 1, in: wrap), Self.nested(depth, 2, in: wrap))
      #expect(JSONDifference.lines(expected: one, actual: one).isEmpty)
      let lines = JSONDifference.lines(expected: one, actual: other)
      #expect(lines.count == 1)
      #expect(lines.first?.hasSuffix(depth == 63 ? ": expected 1, was 2" : "") == true)
    }
  }
}
