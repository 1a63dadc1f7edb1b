import JSONServerValues

extension Filter {
  /// Reads a `_where` tree: `{"or": […]}`, `{"and": […]}`, `{"views": {"gt": 9}}` or
  /// `{"author": {"name": {"eq": "ada"}}}`.
  ///
  /// - Parameters:
  ///   - parents: The expanded parents, whose members a path may name.
  ///   - isKnown: Whether any record, or a parent of one, has a value at a path.
  ///   - isObject: Whether any record has an object at a path, or several.
  /// - Throws: ``DatabaseError`` with code `invalidQuery` that names the error.
  static func node(
    where value: JSONValue, parents: [ParentJoin], dialect: Dialect, isKnown: (FieldPath) -> Bool,
    isObject: (FieldPath) -> Bool
  ) throws(DatabaseError) -> Node {
    guard case .object(let tree) = value else {
      throw DatabaseError(.invalidQuery, "'_where' must be a JSON object, such as {\"views\":{\"gt\":9}}.")
    }
    let reader = WhereReader(parents: parents, dialect: dialect)
    return try reader.node(tree, path: [], depth: 0) { name, path in
      if isKnown(FieldPath((path + [name]).joined(separator: "."))) { return true }
      if WhereReader.isForeignOperator(name, in: path) { return false }
      // A name below a value that is not an object can only be an operator.
      let parent = FieldPath(path.joined(separator: "."))
      return path.isEmpty || !isKnown(parent) || isObject(parent)
    }
  }
}

/// Makes conditions of a `_where` tree.
private struct WhereReader {
  let parents: [ParentJoin]
  let dialect: Dialect

  /// - Parameter mayBeMember: Whether a name that is not an operator may be a member at a path.
  func node(
    _ tree: JSONObject, path: [String], depth: Int, mayBeMember: (String, [String]) -> Bool
  ) throws(DatabaseError) -> Filter.Node {
    guard depth < 32 else { throw DatabaseError(.invalidQuery, "'_where' is nested deeper than 32 levels.") }
    var nodes: [Filter.Node] = []
    for (name, value) in tree {
      if name == "or" || name == "and", case .array(let branches) = value {
        var parts: [Filter.Node] = []
        for branch in branches {
          guard case .object(let object) = branch else {
            throw DatabaseError(.invalidQuery, "'_where': each element of '\(name)' must be an object.")
          }
          parts.append(try node(object, path: path, depth: depth + 1, mayBeMember: mayBeMember))
        }
        nodes.append(name == "or" ? .any(parts) : .all(parts))
      } else if let comparison = Comparison(rawValue: name), !path.isEmpty {
        nodes.append(.condition(try condition(comparison, value, path)))
      } else if !mayBeMember(name, path) {
        throw Self.unknownOperator(name)
      } else if case .object(let object) = value {
        nodes.append(try node(object, path: path + [name], depth: depth + 1, mayBeMember: mayBeMember))
      } else {
        nodes.append(.condition(try condition(.equal, value, path + [name])))
      }
    }
    return .all(nodes)
  }

  /// The operators of other query languages.
  private static let foreignOperators: Set<String> = ["and", "or", "not", "nor", "xor", "nin"]
  /// Operators where only an operator, or a member of an object, is valid.
  private static let foreignComparisons: Set<String> = [
    "neq", "not_eq", "notEqual", "equals", "notIn", "not_in", "between", "regex", "null", "isNull", "some", "every",
    "none",
  ]

  /// Whether a name that no member has must be an operator.
  static func isForeignOperator(_ name: String, in path: [String]) -> Bool {
    foreignOperators.contains(name) || name.hasPrefix("$") || !path.isEmpty && foreignComparisons.contains(name)
  }

  private static func unknownOperator(_ name: String) -> DatabaseError {
    if name == "and" || name == "or" {
      return DatabaseError(.invalidQuery, "'_where': '\(name)' must hold an array of conditions.")
    }
    let operators = Comparison.allCases.map(\.rawValue).joined(separator: ", ")
    return DatabaseError(
      .invalidQuery, "'_where': '\(name)' is neither an operator nor a member; the operators are \(operators), and, or."
    )
  }

  private func condition(
    _ comparison: Comparison, _ value: JSONValue, _ path: [String]
  ) throws(DatabaseError) -> Condition {
    let field = FieldPath(path.joined(separator: "."))
    if comparison == .isIn, case .string(let list) = value {
      return try Condition(field, comparison, [list], parents, dialect: dialect)
    }
    let values = comparison == .isIn ? value.array ?? [value] : [value]
    var operands: [Operand] = []
    for value in values {
      guard value.array == nil, value.object == nil else {
        throw DatabaseError(
          .invalidQuery, "'_where': '\(field.name)' must be compared with a string, number, boolean or null.")
      }
      let text = ValidJSON(writing: value).withToken(\.text)
      operands.append(try Operand(text, of: comparison, with: field.name, isString: value.string != nil))
    }
    let join = parents.join(for: field)
    return Condition(path: field, comparison: comparison, operands: operands, dialect: dialect, join: join)
  }
}
