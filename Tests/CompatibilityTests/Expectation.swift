import Foundation
import JSONServerValues

/// What a recorded response must look like.
enum Expectation {
  /// Whether a value is the expected one; `{"$re": pattern}` takes a string that matches, `{"$any": true}` anything.
  static func matches(_ expected: JSONValue, _ actual: JSONValue, ordered: Bool) -> Bool {
    switch (expected, actual) {
    case (.object(let pattern), _) where pattern["$any"] == true: return true
    case (.object(let pattern), .string(let text)):
      return pattern["$re"]?.string.map { self.text(text, matches: $0) } ?? false
    case (.object(let left), .object(let right)):
      guard Set(left.names) == Set(right.names), !ordered || left.names == right.names else { return false }
      return left.allSatisfy { name, value in right[name].map { matches(value, $0, ordered: ordered) } ?? false }
    case (.array(let left), .array(let right)):
      return left.count == right.count && zip(left, right).allSatisfy { matches($0, $1, ordered: ordered) }
    case (.number(let left), .number(let right)): return left.doubleValue == right.doubleValue
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): return expected == actual
    }
  }

  /// Whether a text holds a match of a regular expression.
  static func text(_ text: String, matches pattern: String) -> Bool {
    text.range(of: pattern, options: .regularExpression) != nil
  }
}
