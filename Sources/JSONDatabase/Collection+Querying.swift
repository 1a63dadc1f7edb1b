import OrderedJSON

extension Collection {
  /// Selects records.
  ///
  /// A filter by equality and a sort use an index, made at first use; what is not indexed is read record by record.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery`.
  /// - Complexity: O(length of the window) for a page of a sorted collection, O(number of matches) for a filter by
  ///   equality, else O(n).
  mutating func select(_ query: Query, dialect: Dialect) throws(DatabaseError) -> Selection {
    var filter = Filter()
    var unknown: [String] = []
    for parameter in query.parameters where !(try filter.add(parameter, of: &self, dialect: dialect)) {
      unknown.append(parameter.name)
    }
    if let conditions = query.conditions {
      // In 1.0 a tree takes the place of all other filters.
      if dialect == .v1 { filter.nodes = [] }
      filter.nodes.append(try Filter.node(where: conditions, dialect: dialect))
    }
    if !query.search.isEmpty { filter.search = SearchTerm(query.search) }
    let (slots, total) = window(query, matching(filter, parent: query.parent), dialect)
    let records = slots.compactMap { rows[Int($0)]?.record }
    return Selection(records: records, total: total, unknownParameters: unknown)
  }

  /// Sorts what matches and cuts the window out of it.
  private mutating func window(
    _ query: Query, _ matching: SlotSet, _ dialect: Dialect
  ) -> (slots: [Int32], total: Int) {
    let range = query.window.range(of: matching.count)
    guard !query.sort.isEmpty else { return (matching[range], matching.count) }
    if case .list(let slots) = matching, slots.count < count / 4 {
      return (Array(Sorting(query.sort, dialect: dialect).sorted(slots, of: rows)[range]), slots.count)
    }
    guard let order = order(by: query.sort, dialect: dialect) else {
      let slots = matching[0..<matching.count]
      return (Array(Sorting(query.sort, dialect: dialect).sorted(slots, of: rows)[range]), slots.count)
    }
    switch matching {
    case .firstSlots: return (order.slots[range], matching.count)
    case .list(let slots): return (pick(range, of: slots, in: order.slots), slots.count)
    }
  }

  /// Walks an order and takes the slots that match, until the window is full.
  private func pick(_ range: Range<Int>, of matching: [Int32], in order: OrderedSlots) -> [Int32] {
    var isMatching = [Bool](repeating: false, count: rows.slotCount)
    for slot in matching { isMatching[Int(slot)] = true }
    var picked: [Int32] = []
    var position = 0
    order.forEach { slot in
      guard position < range.upperBound else { return false }
      if isMatching[Int(slot)] {
        if position >= range.lowerBound { picked.append(slot) }
        position += 1
      }
      return true
    }
    return picked
  }

  /// Finds the records that pass.
  private mutating func matching(_ filter: Filter, parent: (key: FieldPath, id: String)?) -> SlotSet {
    var filter = filter
    var candidates: SlotSet
    if let parent {
      candidates = .list(slots(where: parent.key, equals: parent.id))
    } else if let (index, slots) = smallestEquality(filter) {
      candidates = .list(slots)
      if case .condition(let condition) = filter.nodes[index], condition.isSettledByIndex {
        filter.nodes.remove(at: index)
      }
    } else {
      candidates = liveSlots
    }
    if let search = filter.search {
      candidates = .list(search.matches(candidates, of: rows))
      filter.search = nil
    }
    guard !filter.nodes.isEmpty else { return candidates }
    return .list(candidates.filter { slot in rows[Int(slot)]?.withRecord(filter.matches) ?? false })
  }

  /// The condition of equality that the fewest records pass, with those records.
  private mutating func smallestEquality(_ filter: Filter) -> (index: Int, slots: [Int32])? {
    var smallest: (index: Int, slots: [Int32])?
    for (index, node) in filter.nodes.enumerated() {
      guard case .condition(let condition) = node, let texts = condition.equalTexts else { continue }
      let lists = texts.map { slots(where: condition.path, equals: $0) }
      let union = lists.count == 1 ? lists[0] : Array(Set(lists.joined())).sorted()
      if smallest.map({ union.count < $0.slots.count }) ?? true { smallest = (index, union) }
    }
    return smallest
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
