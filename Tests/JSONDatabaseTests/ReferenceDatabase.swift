import JSONDatabase
import OrderedJSON

/// What a collection returns, computed plainly over trees: slow, and short enough to be seen to be right.
struct ReferenceDatabase {
  var records: [JSONValue]

  /// The value at a path of names and positions.
  static func value(at path: String, in record: JSONValue) -> JSONValue? {
    if let value = record[path] { return value }
    var value = record
    for part in path.split(separator: ".").map(String.init) {
      guard let next = value[part] ?? Int(part).flatMap({ value[$0] }) else { return nil }
      value = next
    }
    return value
  }

  /// A value as JavaScript's `String(value)` writes it.
  static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): String(value)
    case .number(let number): JavaScriptNumber.text(of: number.doubleValue)
    case .string(let string): string
    case .array(let elements): elements.map { $0 == .null ? "" : text($0) }.joined(separator: ",")
    case .object: "[object Object]"
    }
  }

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
    records.contains { Self.value(at: path, in: $0) != nil }
  }

  /// The records that a filter, with an operator or without, lets through.
  func filtered(_ path: String, _ comparison: Comparison?, _ operand: String) -> [JSONValue] {
    // A name that no record has and that ends as an operator does is one, of a member that no record has either.
    if comparison == nil, !isKnown(path) { return path.hasSuffix("_in") ? [] : records }
    return records.filter { record in
      guard let value = Self.value(at: path, in: record), value != .null else { return false }
      return Self.passes(value, comparison ?? .equal, operand)
    }
  }

  private static func passes(_ value: JSONValue, _ comparison: Comparison, _ operand: String) -> Bool {
    let order = order(of: value, operand)
    return switch comparison {
    case .equal: texts(value).contains(operand)
    case .notEqual: !texts(value).contains(operand)
    case .isIn: operand.split(separator: ",").contains { texts(value).contains(String($0)) }
    case .less: order.map { $0 < 0 } ?? false
    case .lessOrEqual: order.map { $0 <= 0 } ?? false
    case .greater: order.map { $0 > 0 } ?? false
    case .greaterOrEqual: order.map { $0 >= 0 } ?? false
    case .contains: leaves(value).contains { $0.contains(operand.lowercased()) }
    case .startsWith: leaves(value).contains { $0.hasPrefix(operand.lowercased()) }
    case .endsWith: leaves(value).contains { $0.hasSuffix(operand.lowercased()) }
    case .like: text(value).lowercased().contains(operand.lowercased())
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
    return compare(Array(text(value).unicodeScalars), Array(operand.unicodeScalars))
  }

  private static func compare(_ left: Double, _ right: Double) -> Int { left < right ? -1 : left > right ? 1 : 0 }

  private static func compare(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
  }

  /// The records some value of which holds a text.
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
      switch Self.value(at: path, in: record) {
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
