import JSONServerValues

/// The records that a query selects.
struct Filter {
  indirect enum Node {
    case condition(Condition)
    case all([Node])
    case any([Node])
  }

  /// The conditions; a record must meet all of them.
  var nodes: [Node] = []
  /// The text that some value of a record must contain.
  var search: RecordScan?
  /// Filters that do not select any particular records.
  private(set) var idle: [IdleFilter] = []
  /// The time limit of the search; after it, no record matches.
  var patience = Patience.endless

  /// The places of the conditions in the query; some conditions may be settled already.
  private(set) var places: [Int] = []

  /// Brings the conditions into a form in which they can be settled one after the other.
  mutating func flatten() {
    nodes = Self.flattened(nodes)
    places = Array(nodes.indices)
  }

  /// Removes settled conditions, by their present place.
  mutating func settle(where isSettled: (Int, Node) -> Bool) {
    let left = nodes.indices.filter { !isSettled($0, nodes[$0]) }
    places = left.map { places[$0] }
    nodes = left.map { nodes[$0] }
  }

  /// The filter with only the conditions at some places.
  func keeping(_ places: [Int]) -> Filter {
    var filter = self
    filter.settle { place, _ in !places.contains(place) }
    return filter
  }

  /// Whether every record matches.
  var isEmpty: Bool { nodes.isEmpty && search == nil }

  /// Whether finding the matching records takes more than looking up one value.
  var combinesMany: Bool {
    guard nodes.count == 1, case .condition(let condition)? = nodes.first else { return !nodes.isEmpty }
    return condition.isByOrder
  }

  /// The text to search for in the bytes of all records before any is read; `nil` for none.
  var scan: RecordScan? {
    if let search { return search }
    for case .condition(let condition) in nodes {
      if let scan = condition.scan { return scan }
    }
    return nil
  }

  /// The conditions that all must be met, without those that only combine others.
  private static func flattened(_ nodes: [Node]) -> [Node] {
    nodes.flatMap { node in
      switch node {
      case .all(let nodes): flattened(nodes)
      case .condition, .any: [node]
      }
    }
  }

  func matches(_ record: ValueToken) -> Bool {
    !patience.isOver && nodes.allSatisfy { Self.matches($0, record) } && (search?.anyValueMatches(in: record) ?? true)
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
  /// Adds the conditions of parameters.
  ///
  /// - Parameters:
  ///   - parents: The expanded parents, whose members a path may name.
  ///   - isForChange: Whether each value counts, and filters without a condition are collected.
  ///   - isKnown: Whether any record, or a parent of one, has a value at a path.
  /// - Returns: The names of the parameters without a condition.
  /// - Throws: ``DatabaseError`` with code `invalidQuery` when a value is invalid.
  mutating func add(
    _ parameters: [FilterParameter], parents: [ParentJoin], dialect: Dialect, isForChange: Bool = false,
    isKnown: (FieldPath) -> Bool
  ) throws(DatabaseError) -> [String] {
    var unknown: [String] = []
    var filters: [(parameter: String, name: FilterName, values: [String])] = []
    for parameter in parameters {
      guard let name = FilterName(parameter.name, dialect, isKnown: isKnown) else {
        unknown.append(parameter.name)
        continue
      }
      // `id[0]=1&id[1]=2` is one list.
      if name.isList, let index = filters.firstIndex(where: { $0.name.isList && $0.name.path == name.path }) {
        filters[index].values += parameter.values
      } else {
        filters.append((parameter.name, name, parameter.values))
      }
    }
    for (parameter, name, values) in filters {
      // In 1.0 the last of several values counts.
      let isLast = dialect == .v1 && !name.isList && values.count > 1
      if isForChange, isLast, name.comparison != .equal, name.comparison != .isIn {
        throw DatabaseError(
          .invalidQuery, "'\(parameter)' is given \(values.count) times, of which only the last would count; give one.")
      }
      let counted = isLast && !isForChange ? Array(values.suffix(1)) : values
      let condition = try Condition(name.path, name.comparison, counted, parents, dialect: dialect)
      nodes.append(.condition(condition))
      if isForChange { addIdle(condition, of: parameter, isKnown) }
    }
    return unknown
  }

  /// Finds the conditions of a node that do not select any particular records.
  mutating func addIdle(in node: Node, of parameter: String, isKnown: (FieldPath) -> Bool) {
    switch node {
    case .condition(let condition): addIdle(condition, of: parameter, isKnown)
    case .all(let nodes), .any(let nodes):
      for node in nodes { addIdle(in: node, of: parameter, isKnown: isKnown) }
    }
  }

  private mutating func addIdle(_ condition: Condition, of parameter: String, _ isKnown: (FieldPath) -> Bool) {
    if condition.isMetByAll {
      idle.append(IdleFilter(parameter: parameter, path: condition.path, reason: .metByAll))
    } else if !isKnown(condition.path) {
      idle.append(IdleFilter(parameter: parameter, path: condition.path, reason: .noMember))
    }
  }
}
