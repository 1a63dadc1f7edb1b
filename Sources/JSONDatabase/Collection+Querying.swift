import OrderedJSON

extension Collection {
  /// Selects records.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery`.
  /// - Complexity: O(n) over the records; sorting O(m log m) over those that match.
  mutating func select(_ query: Query, dialect: Dialect) throws(DatabaseError) -> Selection {
    var filter = Filter()
    var unknown: [String] = []
    for parameter in query.parameters where !(try filter.add(parameter, of: &self, dialect: dialect)) {
      unknown.append(parameter.name)
    }
    if let conditions = query.conditions {
      filter.nodes.append(try Filter.node(where: conditions, dialect: dialect))
    }
    if !query.search.isEmpty { filter.search = SearchTerm(query.search) }
    var slots = matching(filter, parent: query.parent)
    if !query.sort.isEmpty { slots = Sorting(query.sort, dialect: dialect).sorted(slots, of: rows) }
    let records = slots[query.window.range(of: slots.count)].compactMap { rows[$0]?.record }
    return Selection(records: records, total: slots.count, unknownParameters: unknown)
  }

  /// Returns the slots of the records that pass, ascending.
  private mutating func matching(_ filter: Filter, parent: (key: FieldPath, id: String)?) -> [Int] {
    var matching: [Int] = []
    if let parent {
      for slot in slots(where: parent.key, equals: parent.id) {
        if let row = rows[slot], row.withRecord(filter.matches) { matching.append(slot) }
      }
      return matching
    }
    matching.reserveCapacity(filter.nodes.isEmpty && filter.search == nil ? count : 0)
    rows.forEach { slot, row in
      if row.withRecord(filter.matches) { matching.append(slot) }
      return true
    }
    return matching
  }
}

extension Query.Window {
  /// The part of a list of some length that the window shows; empty when it lies outside.
  func range(of count: Int) -> Range<Int> {
    switch self {
    case .all: return 0..<count
    case .slice(let start, let end):
      let lower = start < 0 ? max(count + start, 0) : min(start, count)
      let upper = end.map { $0 < 0 ? max(count + $0, 0) : min($0, count) } ?? count
      return lower..<max(lower, upper)
    case .page(let number, let size):
      let (offset, overflow) = (number - 1).multipliedReportingOverflow(by: size)
      let lower = overflow ? count : min(offset, count)
      return lower..<min(lower.addingReportingOverflow(size).overflow ? count : lower + size, count)
    }
  }
}
