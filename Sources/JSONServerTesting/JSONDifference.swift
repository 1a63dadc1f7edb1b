import OrderedJSON

/// Tells where two JSON values differ; the order of members and the spelling of numbers make no difference.
enum JSONDifference {
  /// Returns one line for each place where the values differ, with its path; empty when they are the same.
  ///
  /// - Parameter actual: The value that came; `nil` when none did.
  static func lines(expected: JSONValue, actual: JSONValue?, path: String = "body") -> [String] {
    guard let actual else { return ["\(path): expected \(text(expected)), is missing"] }
    switch (expected, actual) {
    case (.object(let expected), .object(let actual)):
      let wanted = expected.flatMap { lines(expected: $0.value, actual: actual[$0.name], path: "\(path).\($0.name)") }
      let others = actual.filter { expected[$0.name] == nil }
      return wanted + others.map { "\(path).\($0.name): not expected, was \(text($0.value))" }
    case (.array(let expected), .array(let actual)):
      let wanted = expected.enumerated().flatMap { index, element in
        lines(
          expected: element, actual: actual.indices.contains(index) ? actual[index] : nil, path: "\(path)[\(index)]")
      }
      let others = actual.enumerated().dropFirst(expected.count)
      return wanted + others.map { "\(path)[\($0.offset)]: not expected, was \(text($0.element))" }
    case (.number(let expected), .number(let actual)) where expected.doubleValue == actual.doubleValue: return []
    case _ where expected == actual: return []
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _):
      return ["\(path): expected \(text(expected)), was \(text(actual))"]
    }
  }

  private static func text(_ value: JSONValue) -> String { value.text(pretty: false) }
}
