import JSONDatabase
import JSONServerValues

/// What a collection returns, computed plainly over trees: slow, and short enough to be seen to be right.
struct ReferenceDatabase {
  var records: [JSONValue]

  /// The values at a path of names and positions; a name leads to that member of each element of an array.
  private static func values(at path: String, in record: JSONValue) -> [JSONValue] {
    if let value = record[path] { return [value] }
    let parts = path.split(separator: ".").map(String.init)
    return parts.count > 1 ? values(at: parts[...], in: record) : []
  }

  private static func values(at path: ArraySlice<String>, in value: JSONValue) -> [JSONValue] {
    guard let part = path.first else { return [value] }
    switch value {
    case .object(let object): return object[part].map { values(at: path.dropFirst(), in: $0) } ?? []
    case .array(let elements):
      guard let index = Int(part) else { return elements.flatMap { values(at: path, in: $0) } }
      return elements.indices.contains(index) ? values(at: path.dropFirst(), in: elements[index]) : []
    case .null, .bool, .number, .string: return []
    }
  }

  /// A value as JavaScript's `String(value)` writes it.
  static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): String(value)
    case .number(let number):
      number.text.allSatisfy(\.isNumber) || !number.doubleValue.isFinite
        ? number.text : JavaScriptNumber.text(of: number.doubleValue)
    case .string(let string): string
    case .array(let elements): elements.map { $0 == .null ? "" : text($0) }.joined(separator: ",")
    case .object: "[object Object]"
    }
  }

  /// What stands for times with a zone where texts are compared: the same for the same instant.
  static let instants = [
    "2026-01-01T08:30:00Z": "2026-01-01T08:30:00\t", "2026-01-01T09:30:00.000+01:00": "2026-01-01T08:30:00\t",
    "2026-01-01T08:30:00.50Z": "2026-01-01T08:30:00.5\t", "2025-12-31 23:59-0830": "2026-01-01T08:29:00\t",
  ]

  private static func key(_ text: String) -> String { instants[text] ?? text }

  /// Every text that equals a value.
  private static func texts(_ value: JSONValue) -> [String] {
    switch value {
    case .null: []
    case .number(let number): [number.text, text(value)]
    case .array(let elements):
      [text(value)] + elements.flatMap { element in element.array == nil ? texts(element) : [] }
    case .bool, .string, .object: [text(value)]
    }
  }

  func isKnown(_ path: String) -> Bool {
    records.contains { !Self.values(at: path, in: $0).isEmpty }
  }

  /// The records that a filter, with an operator or without, accepts.
  func filtered(_ path: String, _ comparison: Comparison?, _ operand: String) -> [JSONValue] {
    // A name that no record has and that ends as an operator does is one, of a member that no record has either.
    if comparison == nil, !isKnown(path) { return path.hasSuffix("_in") ? [] : records }
    return records.filter { record in
      let values = Self.values(at: path, in: record)
      switch comparison {
      case .exists: return values.isEmpty == (operand == "false")
      case .notEqual:
        return values.contains { $0 != .null } && !values.contains { Self.equals($0, operand) }
      default: return values.contains { Self.passes($0, comparison ?? .equal, operand) }
      }
    }
  }

  private static func equals(_ value: JSONValue, _ operand: String) -> Bool {
    let hasNull = value == .null || value.array?.contains(.null) == true
    return texts(value).map(key).contains(key(operand)) || hasNull && operand == "null"
  }

  private static func passes(_ value: JSONValue, _ comparison: Comparison, _ operand: String) -> Bool {
    switch comparison {
    case .equal: return equals(value, operand)
    case .isIn: return operand.split(separator: ",").contains { equals(value, String($0)) }
    case .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .startsWith, .endsWith, .like, .exists:
      break
    }
    guard value != .null else { return false }
    let order = order(of: value, operand)
    return switch comparison {
    case .less: order.map { $0 < 0 } ?? false
    case .lessOrEqual: order.map { $0 <= 0 } ?? false
    case .greater: order.map { $0 > 0 } ?? false
    case .greaterOrEqual: order.map { $0 >= 0 } ?? false
    case .contains: leaves(value).contains { $0.contains(operand.lowercased()) }
    case .startsWith: leaves(value).contains { $0.hasPrefix(operand.lowercased()) }
    case .endsWith: leaves(value).contains { $0.hasSuffix(operand.lowercased()) }
    case .like: text(value).lowercased().contains(operand.lowercased())
    case .equal, .notEqual, .isIn, .exists: false
    }
  }

  /// The strings and numbers of a value that is one, or of a list of them, in lower case.
  private static func leaves(_ value: JSONValue) -> [String] {
    switch value {
    case .string, .number: [text(value).lowercased()]
    case .array(let elements): elements.flatMap(leaves)
    case .null, .bool, .object: []
    }
  }

  private static func order(of value: JSONValue, _ operand: String) -> Int? {
    let number = operand.isEmpty ? 0 : Double(operand)
    switch value {
    case .number(let value): return number.map { compare(value.doubleValue, $0) }
    case .bool(let value): if let number { return compare(value ? 1 : 0, number) }
    case .null, .string, .array, .object: break
    }
    return compare(Array(key(text(value)).unicodeScalars), Array(key(operand).unicodeScalars))
  }

  private static func compare(_ left: Double, _ right: Double) -> Int { left < right ? -1 : left > right ? 1 : 0 }

  private static func compare(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
  }

  /// The records of which some value contains a text.
  func found(_ text: String) -> [JSONValue] {
    records.filter { Self.holds($0, text.lowercased()) }
  }

  private static func holds(_ value: JSONValue, _ text: String) -> Bool {
    switch value {
    case .null, .bool(false): false
    case .number(let number) where number.doubleValue == 0: false
    case .number(let number): number.text.contains(text)
    case .bool, .string: Self.text(value).lowercased().contains(text)
    case .array(let elements): elements.contains { holds($0, text) }
    case .object(let object): object.contains { holds($0.value, text) }
    }
  }

  /// The records in the order of a member that is a number, null or missing.
  func sorted(byNumber path: String, descending: Bool) -> [JSONValue] {
    func rank(_ record: JSONValue) -> (Int, Double) {
      switch Self.values(at: path, in: record).first {
      case .number(let number)?: (0, number.doubleValue)
      case nil: (2, 0)
      default: (1, 0)
      }
    }
    return records.enumerated().sorted { left, right in
      let (first, second) = (rank(left.element), rank(right.element))
      if first == second { return left.offset < right.offset }
      return descending ? first > second : first < second
    }.map(\.element)
  }
}
