import OrderedJSON

/// Which records a query selects.
struct Filter {
  indirect enum Node {
    case condition(Condition)
    case all([Node])
    case any([Node])
  }

  /// The conditions that a record must meet, all of them.
  var nodes: [Node] = []
  /// The text that some value of a record must contain.
  var search: SearchTerm?

  /// Whether every record passes.
  var isEmpty: Bool { nodes.isEmpty && search == nil }

  /// What to search for in the bytes of all records before any is read; `nil` when nothing is sure to be there.
  var scan: RecordScan? {
    if let search { return search.scan }
    for case .condition(let condition) in nodes {
      if let scan = condition.scan { return scan }
    }
    return nil
  }

  /// Conditions of which all must hold, without those that merely combine others.
  static func flattened(_ nodes: [Node]) -> [Node] {
    nodes.flatMap { node in
      switch node {
      case .all(let nodes): flattened(nodes)
      case .condition, .any: [node]
      }
    }
  }

  func matches(_ record: ValueToken) -> Bool {
    nodes.allSatisfy { Self.matches($0, record) } && (search?.matches(record) ?? true)
  }

  private static func matches(_ node: Node, _ record: ValueToken) -> Bool {
    switch node {
    case .condition(let condition): condition.matches(record)
    case .all(let nodes): nodes.allSatisfy { matches($0, record) }
    case .any(let nodes): nodes.contains { matches($0, record) }
    }
  }
}

extension Filter {
  /// Adds the condition that a parameter expresses, and returns whether it expresses one.
  ///
  /// Equality with a member that no record has is no filter under the classic dialect, and matches nothing under 1.0's.
  /// Any other operator matches no record that lacks the member, whatever its spelling; one that 1.0 lacks is no filter
  /// under its dialect.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` when a pattern is invalid.
  mutating func add(
    _ parameter: FilterParameter, of collection: inout RecordCollection, dialect: Dialect
  ) throws(DatabaseError) -> Bool {
    let name = parameter.name
    let values = dialect == .v1 ? parameter.values.suffix(1) : parameter.values[...]
    let whole = FieldPath(name)
    if let (path, comparison, isOriginal) = Self.split(name, dialect) {
      // A member of exactly that name wins over every operator but those that 0.17 always recognizes.
      if isOriginal || !collection.hasMember(whole) {
        let condition = try Condition(FieldPath(path), comparison, Array(values), dialect: dialect)
        nodes.append(.condition(condition))
        return true
      }
    } else if dialect == .v1, Self.hasUnknownOperator(name) {
      return false
    }
    guard dialect == .v1 || collection.hasMember(whole) else { return false }
    nodes.append(.condition(try Condition(whole, .equal, Array(values), dialect: dialect)))
    return true
  }

  /// Splits a name into a path and an operator, in either json-server's spelling.
  private static func split(_ name: String, _ dialect: Dialect) -> (path: String, Comparison, isOriginal: Bool)? {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "_") }) else { return nil }
    for comparison in Comparison.allCases {
      let isOriginal = dialect == .classic && originalOperators.contains(comparison)
      guard dialect == .classic || comparison != .like else { continue }
      for separator in [":", "_"] {
        let suffix = separator + comparison.rawValue
        guard name.hasSuffix(suffix), name.utf8.count > suffix.utf8.count else { continue }
        return (String(name.dropLast(suffix.count)), comparison, isOriginal && separator == "_")
      }
    }
    return nil
  }

  /// The operators of json-server 0.17.
  private static let originalOperators: Set<Comparison> = [.greaterOrEqual, .lessOrEqual, .notEqual, .like]

  private static func hasUnknownOperator(_ name: String) -> Bool {
    guard let colon = name.lastIndex(of: ":") else { return false }
    let suffix = name[name.index(after: colon)...]
    return !suffix.isEmpty && suffix.allSatisfy { $0.isLetter && $0.isASCII }
  }
}
