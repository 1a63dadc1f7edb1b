import OrderedJSON

extension RecordCollection {
  /// Finds the records that match a filter.
  ///
  /// Equality and comparisons by size are evaluated with indexes as long as many records are left; what is left then is
  /// read record by record. A text to find in all records is searched for in their bytes first.
  ///
  /// - Parameter keys: Foreign keys and the ids that they must hold.
  mutating func matching(_ filter: Filter, keys: [(key: FieldPath, id: String)?], _ dialect: Dialect) -> SlotSet {
    var filter = filter
    filter.nodes = Filter.flattened(filter.nodes)
    var found: SlotSet?
    for case let (key, id)? in keys { narrow(&found, to: .list(slots(where: key, equals: id))) }
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
      guard case .condition(let condition) = node, let texts = condition.equalTexts, !isSmall(found) else {
        return false
      }
      narrow(&found, to: .list(slots(where: condition.path, equalsOneOf: texts)))
      return condition.isSettledByIndex
    }
  }

  private mutating func slots(where path: FieldPath, equalsOneOf texts: [String]) -> [Int32] {
    let lists = texts.map { slots(where: path, equals: $0) }
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
        unequal.append(.list(slots(where: condition.path, equalsOneOf: condition.texts)))
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
