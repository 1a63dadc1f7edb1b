import JSONServerValues
import TextMatching

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
  case exists
}

/// One test of the values at a path in a record; one of the values must pass.
struct Condition {
  let path: FieldPath
  let comparison: Comparison
  /// The operands; one must match, or for `notEqual` none.
  let operands: [Operand]
  let dialect: Dialect
  /// The parent record with the value; `nil` for a value of the record itself.
  let join: (parent: ParentJoin, path: FieldPath)?
}

extension Condition {
  /// Creates a condition from operands that were sent as text.
  ///
  /// - Parameter parents: The expanded parents, whose members the path may name.
  /// - Throws: ``DatabaseError`` with code `invalidQuery` when a pattern or a boolean is invalid.
  init(
    _ path: FieldPath, _ comparison: Comparison, _ values: [String], _ parents: [ParentJoin], dialect: Dialect
  ) throws(DatabaseError) {
    var operands: [Operand] = []
    for value in comparison == .isIn ? values.flatMap(Self.elements) : values {
      operands.append(try Operand(value, of: comparison, with: path.name))
    }
    let join = parents.join(for: path)
    self.init(path: path, comparison: comparison, operands: operands, dialect: dialect, join: join)
  }

  /// The elements of a comma-separated list, without spaces around them.
  private static func elements(of list: String) -> [String] {
    list.split(separator: ",", omittingEmptySubsequences: false).map { element in
      String(element.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// Whether an index of equal values finds the matching records.
  var isEquality: Bool {
    switch comparison {
    case .equal, .isIn, .notEqual: join == nil
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .startsWith, .endsWith, .like, .exists:
      false
    }
  }

  /// Whether the order of the values may decide which ones match.
  var isByOrder: Bool {
    guard join == nil, operands.count == 1 else { return false }
    switch comparison {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return true
    case .notEqual, .equal, .isIn, .contains, .startsWith, .endsWith, .like, .exists: return false
    }
  }

  /// The text to search for in the bytes of all records before any is read; `nil` when the text of a matching value may
  /// differ.
  var scan: RecordScan? {
    guard comparison == .like, join == nil, operands.count == 1, let pattern = operands[0].pattern else { return nil }
    return pattern.verbatimText.map(RecordScan.init)
  }

  /// Whether the operand is empty, as from a script with an empty variable, so that every value matches, or every value
  /// of a type. Equality with an empty text is a valid comparison.
  var isMetByAll: Bool {
    operands.contains { operand in
      switch comparison {
      case .equal, .isIn, .exists: false
      case .notEqual: operand.isAbsent
      case .less, .lessOrEqual, .greater, .greaterOrEqual: operand.isAbsent || operand.isNull
      case .contains, .startsWith, .endsWith: operand.text.isEmpty
      case .like: operand.matchesAnyText
      }
    }
  }

  /// Whether a record matches.
  func matches(_ record: ValueToken) -> Bool {
    // The values at the path, in the record or in its parents.
    @inline(__always)
    func leads(to isWanted: (ValueToken) -> Bool) -> Bool {
      guard let join, !join.parent.isHidden(by: record) else { return path.leads(in: record, to: isWanted) }
      return join.parent.contains(in: record) { join.path.leads(in: $0, to: isWanted) }
    }
    switch comparison {
    case .exists:
      let isThere = leads { _ in true }
      return operands.contains { $0.isTrue == isThere }
    case .notEqual where path.isNested:
      // One of several values must be equal; for "not equal", none may be.
      return leads(to: accepts) && !leads { value in operands.contains { $0.equals(value, dialect) } }
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .contains, .startsWith, .endsWith,
      .like:
      return leads(to: accepts)
    }
  }

  /// Whether a value matches. Null only equals null, except in 1.0's dialect, where it is also compared.
  private func accepts(_ value: ValueToken) -> Bool {
    if value.isNull, dialect == .classic, comparison != .equal, comparison != .isIn { return false }
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
    case .like:
      return !value.isNull && value.withText { text in operands.contains { $0.pattern?.matches(text) ?? false } }
    case .exists: return operands.contains { $0.isTrue }
    }
  }
}
