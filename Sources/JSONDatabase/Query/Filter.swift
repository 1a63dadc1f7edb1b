package import JSONServerValues
import TextMatching

extension Query {
  /// What a record must meet to be selected.
  ///
  /// Matching records are remembered by their whole criteria: whatever else is to filter has its place here.
  package struct Criteria: Sendable, Hashable {
    /// The parameters that may be filters, in the order of the request.
    package var parameters: [FilterParameter] = []
    /// A text that some value must contain; empty for none.
    package var search = ""
    /// A tree of conditions (json-server 1.0's `_where`).
    package var conditions: JSONValue?
    /// The parent that a foreign key must refer to, perhaps with others, for a nested route.
    package var parent: Reference?
    /// The ids that a record must have one of, for a nested route below a parent that lists them; `nil` for any id.
    package var ids: [String]?
    /// The user to whom the records belong, as their only owner.
    package var owner: Reference?
    /// Whether the query is for a change: then every value of a filter counts in both dialects, and
    /// ``Selection/idleFilters`` are collected.
    package var isForChange = false

    /// Whether equal criteria may come again, and then select the same records.
    ///
    /// Texts to search for and texts in conditions may be equal without having equal bytes: `é` in one code point and in
    /// two. What a change selects is different after it.
    var mayRecur: Bool { search.isEmpty && conditions == nil && !isForChange }
  }

  /// A foreign key, and the id that it must have.
  package struct Reference: Sendable, Hashable {
    package let key: FieldPath
    package let id: ByteExactKey

    package init(_ key: FieldPath, _ id: String) {
      self.key = key
      self.id = ByteExactKey(id)
    }
  }
}

/// A parameter of a request that may be a filter, such as `views_gte=10` or `author.name=ada`.
package struct FilterParameter: Sendable, Hashable {
  package let name: String
  package var values: [String]

  package init(_ name: String, _ values: [String]) {
    self.name = name
    self.values = values
  }

  /// Whether the parameters have equal bytes.
  package static func == (left: FilterParameter, right: FilterParameter) -> Bool {
    ByteExactKey(left.name) == ByteExactKey(right.name)
      && left.values.elementsEqual(right.values) { ByteExactKey($0) == ByteExactKey($1) }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ByteExactKey(name))
    for value in values { hasher.combine(ByteExactKey(value)) }
  }
}

/// The records that a query selects: its criteria, for the records of one collection.
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
  /// The names of the parameters that no record has as members.
  private(set) var unknown: [String] = []
  /// The time limit of the search; after it, no record matches.
  var patience = Patience.endless

  /// The limit of the patterns.
  private(set) var steps = StepBudget(maximum: QueryPlan.maximumSteps)

  /// The places of the conditions in the query; some conditions may be settled already.
  private(set) var places: [Int] = []

  /// Brings the conditions into a form in which they can be settled one after the other.
  private mutating func flatten() {
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
    return condition.isByOrder || condition.comparison == .notEqual
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
  /// Creates the filter of some criteria.
  ///
  /// - Parameters:
  ///   - parents: The expanded parents, whose members a path may name.
  ///   - steps: The limit of the patterns, which filters on several threads share.
  /// - Throws: ``DatabaseError`` with code `invalidQuery`.
  init(
    _ criteria: Query.Criteria, of collection: RecordCollection, _ parents: [ParentJoin], _ dialect: Dialect,
    _ patience: Patience, steps: StepBudget = StepBudget(maximum: QueryPlan.maximumSteps)
  ) throws(DatabaseError) {
    self.patience = patience
    self.steps = steps
    let isKnown = { (path: FieldPath) in collection.hasMember(path, patience) || parents.hasMember(path, patience) }
    // Without records, nothing is known, but names of parameters begin with `_`.
    let knowsNothing = collection.count == 0
    try add(criteria.parameters, parents: parents, dialect: dialect, isForChange: criteria.isForChange) { path in
      knowsNothing && !path.name.hasPrefix("_") || isKnown(path)
    }
    if let conditions = criteria.conditions {
      // In 1.0 `_where` replaces all other filters.
      if dialect == .v1 { nodes = [] }
      let node = try Filter.node(where: conditions, parents: parents, dialect: dialect, isKnown: isKnown) { path in
        collection.holdsObject(at: path, patience)
      }
      nodes.append(node)
      if criteria.isForChange {
        addIdle(in: node, of: "_where") { knowsNothing || collection.hasMember($0, patience) }
      }
    }
    if !criteria.search.isEmpty { search = RecordScan(for: criteria.search) }
    flatten()
    for node in nodes { Self.limit(node, by: steps) }
  }

  private static func limit(_ node: Node, by steps: StepBudget) {
    switch node {
    case .condition(let condition): for operand in condition.operands { operand.pattern?.steps = steps }
    case .all(let nodes), .any(let nodes): for node in nodes { limit(node, by: steps) }
    }
  }

  /// Adds the conditions of parameters, and collects the names of those without a condition.
  ///
  /// - Parameters:
  ///   - parents: The expanded parents, whose members a path may name.
  ///   - isForChange: Whether each value counts, and filters without a condition are collected.
  ///   - isKnown: Whether any record, or a parent of one, has a value at a path.
  /// - Throws: ``DatabaseError`` with code `invalidQuery` when a value is invalid.
  private mutating func add(
    _ parameters: [FilterParameter], parents: [ParentJoin], dialect: Dialect, isForChange: Bool,
    isKnown: (FieldPath) -> Bool
  ) throws(DatabaseError) {
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
  }

  /// Finds the conditions of a node that do not select any particular records.
  private mutating func addIdle(in node: Node, of parameter: String, isKnown: (FieldPath) -> Bool) {
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
