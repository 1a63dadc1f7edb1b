import JSONServerValues

/// Tells a test that expects a value which was changed from a client that does not survive the change.
enum Quotation {
  /// The most texts of a value that are kept.
  private static let maximumTexts = 2_000

  /// The texts and numbers in a value, and the lengths of its lists.
  static func texts(of value: JSONValue) -> Set<String> {
    var (texts, rest): (Set<String>, [JSONValue]) = ([], [value])
    while let next = rest.popLast(), texts.count < maximumTexts {
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
  /// - Parameter appeared: The values that came instead, in which the old ones may stand.
  static func quotes(_ failure: String, _ vanished: Set<String>, notIn appeared: Set<String>) -> Bool {
    var text = failure
    for value in appeared.sorted(by: { $0.utf8.count > $1.utf8.count }) where Int(value) == nil {
      text = text.replacing(value, with: "")
    }
    // The place in a source file is no value: `BookmarkTests.swift:12:5`.
    text = text.replacing(/[\w.\/+-]+\.\w+:\d+(:\d+)?/, with: "")
    return vanished.contains { isQuoted($0, in: text) }
  }

  private static func isQuoted(_ value: String, in text: String) -> Bool {
    let isNumber = JSONNumber(text: value) != nil
    return text.ranges(of: value).contains { range in
      let (before, after) = (text[..<range.lowerBound], text[range.upperBound...])
      if let left = before.last, let right = after.first, marks.contains(left), marks.contains(right) || right == "\\" {
        return true
      }
      if isNumber {
        guard before.last?.isNumber != true, before.last != ".", after.first.map({ !$0.isNumber && $0 != "." }) ?? true
        else { return false }
        let compared = before.reversed().drop { " (\"'".contains($0) }
        return comparisons.contains { compared.starts(with: $0.reversed()) }
      }
      if before.last == "." { return after.first.map { !$0.isLetter && !$0.isNumber && !"_-(".contains($0) } ?? true }
      return value.contains(" ")
    }
  }

  private static let marks: Set<Character> = ["\"", "'", "`", "“", "”", "‘", "’", "«", "»"]
  private static let comparisons = [
    "==", "!=", "equal to", "xpected:", "xpected", "want", "to be", "to equal", "is not",
  ]
}
