import OrderedJSON

extension RecordCollection {
  /// Finds the records that match a filter.
  ///
  /// Equality and comparisons by size are evaluated with indexes as long as many records are left; what is left then is
  /// read record by record. A text to find in all records is searched for in their bytes first.
  ///
  /// - Parameters:
  ///   - parent: A foreign key and the id that it must hold, perhaps among others.
  ///   - owner: A foreign key and the id that it must hold alone.
  mutating func matching(
    _ filter: Filter, parent: (key: FieldPath, id: String)? = nil, owner: (key: FieldPath, id: String)? = nil,
    _ dialect: Dialect
  ) -> SlotSet {
    var filter = filter
    filter.nodes = Filter.flattened(filter.nodes)
    var found: SlotSet?
    if let (key, id) = parent { narrow(&found, to: .list(slots(where: key, equals: id))) }
    if let (key, id) = owner {
      let own = slots(where: key, equals: id).filter { slot in
        rows[Int(slot)]?.withRecord { key.value(in: $0)?.recordID == id } ?? false
      }
      narrow(&found, to: .list(own))
    }
    takeEqualities(&filter, &found)
    takeRanges(&filter, &found, dialect)
    guard !filter.isEmpty else { return found ?? liveSlots }
    guard let found else {
      if let scan = filter.scan { return .list(scan.slots(in: rows, where: filter.matches)) }
      return .list(liveSlots.filter { slot in rows[Int(slot)]?.withRecord(filter.matches) ?? false })
    }
    return .list(found.filter { slot in rows[Int(slot)]?.withRecord(filter.matches) ?? false })
  }

  /// Whether so few records are left that reading them costs less than using an index.
  private func isSmall(_ found: SlotSet?) -> Bool {
    found.map { $0.count <= count / 256 } ?? false
  }

  /// Evaluates conditions of equality, and removes those from the filter that need no further check.
  private mutating func takeEqualities(_ filter: inout Filter, _ found: inout SlotSet?) {
    filter.nodes.removeAll { node in
      guard case .condition(let condition) = node, condition.isEquality, !isSmall(found) else { return false }
      narrow(&found, to: .list(equalSlots(condition)))
      return condition.isSettledByIndex
    }
  }

  /// The slots of the records of which a value equals one of a condition's operands, ascending.
  private mutating func equalSlots(_ condition: Condition) -> [Int32] {
    var lists = condition.operands.map {
      slots(where: condition.path, equals: String(decoding: $0.text, as: UTF8.self))
    }
    if condition.operands.contains(where: \.isNull) { lists.append(nullSlots(of: condition.path)) }
    return lists.count == 1 ? lists[0] : Array(Set(lists.joined())).sorted()
  }

  /// Evaluates comparisons by size, and removes them from the filter.
  private mutating func takeRanges(_ filter: inout Filter, _ found: inout SlotSet?, _ dialect: Dialect) {
    // Both ends of an interval are found before its slots are: they may be few even when each end alone admits many.
    var ranges: [(path: FieldPath, positions: Range<Int>)] = []
    var unequal: [SlotSet] = []
    filter.nodes.removeAll { node in
      guard case .condition(let condition) = node, condition.isByOrder, !isSmall(found),
        let order = order(by: [SortKey(condition.path)], dialect: dialect),
        let positions = order.positions(passing: condition, in: rows)
      else { return false }
      if condition.comparison == .notEqual {
        unequal.append(.list(equalSlots(condition)))
      }
      if let index = ranges.firstIndex(where: { $0.path == condition.path }) {
        ranges[index].positions = ranges[index].positions.clamped(to: positions)
      } else {
        ranges.append((condition.path, positions))
      }
      return true
    }
    for (path, positions) in ranges {
      guard let order = order(by: [SortKey(path)], dialect: dialect) else { continue }
      narrow(&found, to: order.slots(in: positions, outOf: liveSlots, slotCount: rows.slotCount))
    }
    for slots in unequal { found = found?.subtracting(slots, slotCount: rows.slotCount) }
  }

  private func narrow(_ found: inout SlotSet?, to slots: SlotSet) {
    found = found?.intersection(slots, slotCount: rows.slotCount) ?? slots
  }
}
