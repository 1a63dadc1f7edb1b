import OrderedJSON

/// How a filter compares a record's value with an operand.
package enum Comparison: String, Sendable, Hashable, CaseIterable {
  case equal = "eq"
  case notEqual = "ne"
  case less = "lt"
  case lessOrEqual = "lte"
  case greater = "gt"
  case greaterOrEqual = "gte"
  case isIn = "in"
  case contains
  case startsWith
  case endsWith
  case like
}

/// One test of a record's value at a path.
struct Condition {
  let path: FieldPath
  let comparison: Comparison
  /// The operands; any of them may match, except for `notEqual`, where none may be equal.
  let operands: [Operand]
  let dialect: Dialect

  /// Creates a condition.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` when a pattern is invalid.
  init(
    _ path: FieldPath, _ comparison: Comparison, _ values: [String], dialect: Dialect
  ) throws(DatabaseError) {
    self.path = path
    self.comparison = comparison
    self.dialect = dialect
    var operands: [Operand] = []
    for value in values {
      switch comparison {
      case .isIn:
        operands += value.split(separator: ",", omittingEmptySubsequences: false).map { Operand(trimming: $0) }
      case .contains, .startsWith, .endsWith: operands.append(Operand(value, folding: true))
      case .like: operands.append(try Operand(pattern: value, of: path.name))
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: operands.append(Operand(value))
      }
    }
    self.operands = operands
  }

  /// Creates a condition from operands that were not sent as text.
  init(_ path: FieldPath, _ comparison: Comparison, _ operands: [Operand], dialect: Dialect) {
    self.path = path
    self.comparison = comparison
    self.operands = operands
    self.dialect = dialect
  }

  /// The texts of which a value must equal one; `nil` when the condition is not a plain equality.
  var equalTexts: [String]? {
    switch comparison {
    case .equal, .isIn:
      // 1.0's null is equal to a value that has no text in the index.
      if dialect == .v1, operands.contains(where: \.isNull) { return nil }
      return texts
    case .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .startsWith, .endsWith, .like:
      return nil
    }
  }

  /// The operands as they were sent.
  var texts: [String] { operands.map { String(decoding: $0.text, as: UTF8.self) } }

  /// Whether the order of the values may determine which ones pass.
  var isByOrder: Bool {
    switch comparison {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: operands.count == 1
    // To 1.0 a list equals nothing, but it is in the index under its text.
    case .notEqual: operands.count == 1 && dialect == .classic
    case .equal, .isIn, .contains, .startsWith, .endsWith, .like: false
    }
  }

  /// What to search for in the bytes of all records before any is read; `nil` when the values' texts may not be there.
  var scan: RecordScan? {
    guard comparison == .like, operands.count == 1, let pattern = operands[0].pattern else { return nil }
    return pattern.verbatimText.map(RecordScan.init)
  }

  /// Whether the records that an index finds by ``equalTexts`` all pass; in 1.0 those with the text in a list do not.
  var isSettledByIndex: Bool {
    switch dialect {
    case .classic: true
    case .v1: false
    }
  }

  /// Whether a record passes. A missing member never does, nor, except in 1.0's dialect, a null one.
  func matches(_ record: ValueToken) -> Bool {
    guard let value = path.value(in: record) else { return false }
    if value.isNull {
      guard dialect == .v1 else { return false }
      return matchesNull()
    }
    switch comparison {
    case .equal, .isIn: return operands.contains { $0.equals(value, dialect) }
    case .notEqual: return !operands.contains { $0.equals(value, dialect) }
    case .less: return operands.contains { $0.order(of: value, dialect).map { $0 < 0 } ?? false }
    case .lessOrEqual: return operands.contains { $0.order(of: value, dialect).map { $0 <= 0 } ?? false }
    case .greater: return operands.contains { $0.order(of: value, dialect).map { $0 > 0 } ?? false }
    case .greaterOrEqual: return operands.contains { $0.order(of: value, dialect).map { $0 >= 0 } ?? false }
    case .contains: return operands.contains { $0.isContained(in: value, .anywhere, dialect) }
    case .startsWith: return operands.contains { $0.isContained(in: value, .start, dialect) }
    case .endsWith: return operands.contains { $0.isContained(in: value, .end, dialect) }
    case .like: return value.withText { text in operands.contains { $0.pattern?.matches(text) ?? false } }
    }
  }

  /// json-server 1.0 treats null as a value of its own, and as 0 in comparisons.
  private func matchesNull() -> Bool {
    switch comparison {
    case .equal, .isIn: operands.contains { $0.isNull }
    case .notEqual: !operands.contains { $0.isNull }
    case .less: operands.contains { $0.number(dialect).map { 0 < $0 } ?? false }
    case .lessOrEqual: operands.contains { $0.number(dialect).map { 0 <= $0 } ?? false }
    case .greater: operands.contains { $0.number(dialect).map { 0 > $0 } ?? false }
    case .greaterOrEqual: operands.contains { $0.number(dialect).map { 0 >= $0 } ?? false }
    case .contains, .startsWith, .endsWith, .like: false
    }
  }
}
