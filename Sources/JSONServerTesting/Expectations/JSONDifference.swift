import OrderedJSON

/// Finds where two JSON values differ; the order of members and the spelling of numbers make no difference.
enum JSONDifference {
  /// Returns one line for each place where the values differ, with its path; empty when they are the same.
  ///
  /// - Parameters:
  ///   - actual: The value received; `nil` when there was none.
  ///   - isPart: Whether objects may have further members.
  static func lines(
    expected: JSONValue, actual: JSONValue?, path: String = "body", isPart: Bool = false
  ) -> [String] {
    guard let actual else { return ["\(path): expected \(expected), is missing"] }
    switch (expected, actual) {
    case (.object(let expected), .object(let actual)):
      let wanted = expected.flatMap {
        lines(expected: $0.value, actual: actual[$0.name], path: "\(path).\($0.name)", isPart: isPart)
      }
      let others = isPart ? [] : actual.filter { expected[$0.name] == nil }
      return wanted + others.map { "\(path).\($0.name): not expected, was \($0.value)" }
    case (.array(let expected), .array(let actual)):
      let wanted = expected.enumerated().flatMap { index, element in
        lines(expected: element, actual: actual.dropFirst(index).first, path: "\(path)[\(index)]", isPart: isPart)
      }
      let others = actual.enumerated().dropFirst(expected.count)
      return wanted + others.map { "\(path)[\($0.offset)]: not expected, was \($0.element)" }
    case _ where expected == actual: return []
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _):
      return ["\(path): expected \(expected), was \(actual)"]
    }
  }
}
