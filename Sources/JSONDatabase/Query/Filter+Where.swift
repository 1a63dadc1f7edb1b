import OrderedJSON

extension Filter {
  /// Reads a `_where` tree: `{"or": […]}`, `{"and": […]}`, `{"views": {"gt": 9}}` or
  /// `{"author": {"name": {"eq": "ada"}}}`.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` that says what is invalid.
  static func node(where value: JSONValue, dialect: Dialect) throws(DatabaseError) -> Node {
    guard case .object(let tree) = value else {
      throw DatabaseError(.invalidQuery, "'_where' must be a JSON object, such as {\"views\":{\"gt\":9}}.")
    }
    return try node(tree, path: [], dialect, depth: 0)
  }

  private static func node(
    _ tree: JSONObject, path: [String], _ dialect: Dialect, depth: Int
  ) throws(DatabaseError) -> Node {
    guard depth < 32 else { throw DatabaseError(.invalidQuery, "'_where' is nested deeper than 32 levels.") }
    var nodes: [Node] = []
    for (name, value) in tree {
      if name == "or" || name == "and", case .array(let branches) = value {
        var parts: [Node] = []
        for branch in branches {
          guard case .object(let object) = branch else {
            throw DatabaseError(.invalidQuery, "'_where': each element of '\(name)' must be an object.")
          }
          parts.append(try node(object, path: path, dialect, depth: depth + 1))
        }
        nodes.append(name == "or" ? .any(parts) : .all(parts))
      } else if let comparison = Comparison(rawValue: name), !path.isEmpty {
        nodes.append(.condition(try condition(comparison, value, path, dialect)))
      } else if case .object(let object) = value {
        nodes.append(try node(object, path: path + [name], dialect, depth: depth + 1))
      } else if !path.isEmpty, dialect == .v1 {
        // 1.0 ignores an operator it does not know.
        continue
      } else {
        nodes.append(.condition(try condition(.equal, value, path + [name], dialect)))
      }
    }
    return .all(nodes)
  }

  private static func condition(
    _ comparison: Comparison, _ value: JSONValue, _ path: [String], _ dialect: Dialect
  ) throws(DatabaseError) -> Condition {
    let field = FieldPath(path.joined(separator: "."))
    if comparison == .isIn, case .string(let list) = value {
      return try Condition(field, comparison, [list], dialect: dialect)
    }
    let values = comparison == .isIn ? value.array ?? [value] : [value]
    var operands: [Operand] = []
    for value in values { operands.append(try operand(comparison, value, path)) }
    return Condition(field, comparison, operands, dialect: dialect)
  }

  private static func operand(
    _ comparison: Comparison, _ value: JSONValue, _ path: [String]
  ) throws(DatabaseError) -> Operand {
    let name = path.joined(separator: ".")
    let isString = if case .string = value { true } else { false }
    guard let text = value.scalarText else {
      throw DatabaseError(
        .invalidQuery, "'_where': '\(name)' must be compared with a string, number, boolean or null.")
    }
    return switch comparison {
    case .like: try Operand(pattern: text, of: name)
    case .contains, .startsWith, .endsWith: Operand(text, folding: true, isString: isString)
    case .isIn, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: Operand(text, isString: isString)
    }
  }
}

extension JSONValue {
  /// The value as JavaScript's `String(value)` returns it; `nil` for an array and an object.
  fileprivate var scalarText: String? {
    switch self {
    case .null: "null"
    case .bool(let value): String(value)
    case .number(let number): number.integerValue.map(String.init) ?? JavaScriptNumber.text(of: number.doubleValue)
    case .string(let string): string
    case .array, .object: nil
    }
  }
}
