import JSONServer
import JSONServerValues

/// Distinguishes a test that asserts an old value from a client that does not survive a change.
enum Quotation {
  private static let marks: Set<Character> = ["\"", "'", "`", "“", "”", "‘", "’", "«", "»", "\\"]
  private static let comparisons = [
    "==", "!=", "equal to", "xpected:", "xpected", "want", "to be", "to equal", "is not",
  ]

  /// The texts and numbers in a value, and the lengths of its lists: the first two thousand or so.
  static func texts(of value: JSONValue) -> Set<String> {
    var (texts, rest): (Set<String>, [JSONValue]) = ([], [value])
    while let next = rest.popLast(), texts.count < 2_000 {
      switch next {
      case .string(let text): if !text.isEmpty { texts.insert(text) }
      case .number(let number): texts.insert(number.text)
      case .array(let elements):
        texts.insert("\(elements.count)")
        rest += elements
      case .object(let object): rest += object.map(\.value)
      case .null, .bool: break
      }
    }
    return texts
  }

  /// Whether a failure quotes one of the values that were changed: `"archived"`, `.archived`, `== 3`.
  ///
  /// - Parameter appeared: The new values, which may contain old ones.
  static func quotes(_ failure: String, _ vanished: Set<String>, notIn appeared: Set<String>) -> Bool {
    // A place in a source file is not a value: `BookmarkTests.swift:12:5`.
    var text = failure.replacing(/[\w.\/+-]+\.\w+:\d+(:\d+)?/, with: "")
    for value in appeared.sorted(by: { $0.utf8.count > $1.utf8.count }) where Int(value) == nil {
      text = text.replacing(value, with: "")
    }
    return vanished.contains { value in text.ranges(of: value).contains { isQuoted(value, text, $0) } }
  }

  private static func isQuoted(_ value: String, _ text: String, _ range: Range<String.Index>) -> Bool {
    let (before, left, right) = (
      text[..<range.lowerBound], text[..<range.lowerBound].last, text[range.upperBound...].first
    )
    if let left, let right, marks.contains(left), marks.contains(right) { return true }
    if JSONNumber(text: value) != nil {
      if left?.isNumber == true || left == "." || right?.isNumber == true || right == "." { return false }
      let compared = before.reversed().drop { " (\"'".contains($0) }
      return comparisons.contains { compared.starts(with: $0.reversed()) }
    }
    return left == "." ? right.map { !$0.isLetter && !$0.isNumber && !"_-(".contains($0) } ?? true : value.contains(" ")
  }
}
