import OrderedJSON

extension Filter {
  /// Reads a `_where` tree: `{"or": […]}`, `{"and": […]}`, `{"views": {"gt": 9}}`, `{"author": {"name": {"eq": "ada"}}}`.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` that says what is not understood.
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
        // 1.0 passes over an operator it does not know.
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
    let list: [JSONValue]? = if comparison == .isIn { value.array } else { nil }
    let values = list ?? [value]
    var texts: [String] = []
    for value in values {
      switch value {
      case .null: texts.append("null")
      case .bool(let value): texts.append(String(value))
      case .number(let number):
        texts.append(number.integerValue.map(String.init) ?? JavaScriptNumber.text(of: number.doubleValue))
      case .string(let string): texts.append(string)
      case .array, .object:
        throw DatabaseError(
          .invalidQuery,
          "'_where': '\(path.joined(separator: "."))' must be compared with a string, number, boolean or null.")
      }
    }
    let field = FieldPath(path.joined(separator: "."))
    // The elements of a list may hold commas, which separate the elements only where the list is one text.
    guard list == nil else { return Condition(field, isIn: texts, dialect: dialect) }
    return try Condition(field, comparison, texts, dialect: dialect)
  }
}
