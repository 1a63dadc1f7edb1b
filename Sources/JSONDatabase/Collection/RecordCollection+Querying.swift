package import OrderedJSON

extension RecordCollection {
  /// Selects records.
  ///
  /// A filter by equality or by size and a sort use an index, built at first use; what is not indexed is read record by
  /// record.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery`.
  /// - Complexity: O(length of the window) for a page of a sorted collection or of what equals a value, O(number of
  ///   matches) at worst for other filters by equality or size, else O(n).
  ///
  /// - Parameter parents: The parents that are embedded, into which filters and sort keys may lead.
  mutating func select(
    _ query: Query, parents: [ParentJoin] = [], dialect: Dialect
  ) throws(DatabaseError) -> Selection {
    var filter = Filter()
    filter.isAbandoned = query.isAbandoned
    var joins = parents
    // What a record will have, none tells.
    let knowsNothing = query.isForChange && count == 0
    let unknown = try filter.add(
      query.parameters, parents: parents, dialect: dialect, isForChange: query.isForChange
    ) { path in
      knowsNothing || hasMember(path) || joins.hasMember(path)
    }
    if let conditions = query.conditions {
      // In 1.0 a tree takes the place of all other filters.
      if dialect == .v1 { filter.nodes = [] }
      let node = try Filter.node(where: conditions, parents: parents, dialect: dialect) { path in
        hasMember(path) || joins.hasMember(path)
      } isObject: { path in
        holdsObject(at: path)
      }
      filter.nodes.append(node)
      if query.isForChange { filter.addIdle(in: node, of: "_where") { knowsNothing || hasMember($0) } }
    }
    if !query.search.isEmpty { filter.search = SearchTerm(query.search) }
    let (records, total) =
      if filter.isEmpty, query.isWhole {
        (SelectedRecords(rows), count)
      } else {
        window(
          query, matching(filter, parent: query.parent.map { ($0.key, $0.id) }, owner: query.owner, dialect),
          Sorting(query.sort, dialect: dialect, parents: parents, isAbandoned: query.isAbandoned))
      }
    // What a record will have, none tells.
    let unknownPaths = count == 0 ? [] : query.sort.map(\.path).filter { !hasMember($0) && !joins.hasMember($0) }
    return Selection(
      records: records, total: total, unknownParameters: unknown, idleFilters: filter.idle,
      unknownSortPaths: unknownPaths)
  }

  /// Whether any record has an object at a path. O(n) at most.
  private func holdsObject(at path: FieldPath) -> Bool {
    var isFound = false
    rows.forEach { _, row in
      isFound = row.withRecord { path.leads(in: $0) { $0.kind == .object } }
      return !isFound
    }
    return isFound
  }

  /// The first records, in stored order, at most the given number.
  package func firstRecords(_ count: Int) -> [ValidJSON] {
    var records: [ValidJSON] = []
    rows.forEach { _, row in
      if records.count < count { records.append(row.record) }
      return records.count < count
    }
    return records
  }

  /// Sorts what matches and selects the window from it.
  private mutating func window(
    _ query: Query, _ matching: SlotSet, _ sorting: Sorting
  ) -> (records: SelectedRecords, total: Int) {
    let total = matching.count
    let range = query.window.range(of: total)
    guard !query.sort.isEmpty else {
      // What is not listed need not be: the slots of a whole collection.
      if case .firstSlots = matching { return (selected(.range(range), range.count), total) }
      return (selected(.list(matching[range]), range.count), total)
    }
    // Sorting few records is faster than picking them from the order of all.
    if !sorting.isJoined, matching.count > count / 64 || matching.count == count,
      let order = order(by: query.sort, dialect: sorting.dialect, isAbandoned: query.isAbandoned)
    {
      return (selected(.list(pick(range, of: matching, in: order.slots)), range.count), total)
    }
    let slots = sorting.sorted(matching[0..<total], of: rows)
    return (selected(.list(range.count == total ? slots : Array(slots[range])), range.count), total)
  }

  private func selected(_ slots: SelectedRecords.Slots, _ count: Int) -> SelectedRecords {
    SelectedRecords(slots, of: rows, count: count)
  }

  /// Walks an order and takes the slots that match, until the window is full.
  private func pick(_ range: Range<Int>, of matching: SlotSet, in order: OrderedSlots) -> [Int32] {
    if matching.count == count { return order[range] }
    let bits = matching.bits(slotCount: rows.slotCount)
    var picked: [Int32] = []
    var position = 0
    order.forEach { slot in
      guard position < range.upperBound else { return false }
      if bits.contains(slot) {
        if position >= range.lowerBound { picked.append(slot) }
        position += 1
      }
      return true
    }
    return picked
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
    // What closures capture of the whole collection is a copy of it.
    let rows = rows
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
