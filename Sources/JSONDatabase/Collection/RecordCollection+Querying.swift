package import JSONServerValues
import TextMatching

extension RecordCollection {
  /// Selects records.
  ///
  /// Filters by equality or by size, and sorting, use indexes, which are built at first use; other filters read the
  /// records.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery`.
  /// - Complexity: O(length of the window) for a page of a sorted collection or of an equality filter, O(number of
  ///   matches) at worst for other filters by equality or size, otherwise O(n).
  ///
  /// - Parameters:
  ///   - parents: The expanded parents, whose members filters and sort keys may name.
  ///   - steps: The limit of the patterns.
  func select(
    _ query: Query, parents: [ParentJoin] = [], dialect: Dialect, _ patience: Patience,
    steps: StepBudget = StepBudget(maximum: QueryPlan.maximumSteps)
  ) throws(DatabaseError) -> Selection {
    let filter = try Filter(query.criteria, of: self, parents, dialect, patience, steps: steps)
    let (records, total): (SelectedRecords, Int)
    var next: String?
    if filter.isEmpty, query.isWhole {
      (records, total) = (SelectedRecords(rows), count)
    } else {
      let matches = matching(filter, of: query, parents, dialect, patience)
      let sorting = Sorting(query.sort, dialect: dialect, parents: parents, patience: patience)
      if case .after(let id, let size) = query.window {
        (records, total, next) = try page(after: id, size: size, query, matches, sorting, patience)
      } else {
        (records, total) = window(query, matches, sorting, patience)
      }
    }
    guard !steps.isSpent else {
      throw DatabaseError(
        .invalidQuery,
        "The pattern of '_like' takes too many steps through this data; repeat less often, or look for a plain text.")
    }
    // Without records, nothing is known.
    let unknownPaths =
      count == 0
      ? []
      : query.sort.map(\.path).filter { path in
        !hasMember(path, patience) && !parents.hasMember(path, patience)
      }
    return Selection(
      records: records, total: total, unknownParameters: filter.unknown, idleFilters: filter.idle,
      unknownSortPaths: unknownPaths, next: next)
  }

  /// Whether any record has an object at a path. O(n) at most.
  func holdsObject(at path: FieldPath, _ patience: Patience) -> Bool {
    guard patience.allows(rows.isLarge) else { return false }
    return SelectedRecords(rows).contains { record in record.withToken { path.leads(in: $0) { $0.kind == .object } } }
  }

  /// The first records, in stored order, at most the given number.
  package func firstRecords(_ count: Int) -> [ValidJSON] {
    Array(SelectedRecords(rows).prefix(count))
  }

  /// Sorts the matching records, and selects those after a record. A page ends with a record that has an id.
  ///
  /// - Returns: The records, the number of all matching ones, and the id after which the next page begins.
  /// - Throws: ``DatabaseError`` with code `invalidQuery` when the record is not among the matching ones.
  private func page(
    after cursor: String?, size: Int, _ query: Query, _ matches: FilterMatches, _ sorting: Sorting, _ patience: Patience
  ) throws(DatabaseError) -> (records: SelectedRecords, total: Int, next: String?) {
    var whole = query
    whole.window = .all
    let slots = window(whole, matches, sorting, patience).records.occupiedSlots
    func id(_ place: Int) -> String? { rows[Int(slots[place])]?.id(named: idName)?.string }
    var start = 0
    if let cursor {
      guard let slot = slot(of: storedID(cursor, patience), patience), let place = slots.firstIndex(of: Int32(slot))
      else {
        throw DatabaseError(
          .invalidQuery, "The cursor '\(cursor)' leads to no record of this list; begin again without a cursor.")
      }
      start = place + 1
    }
    var end = start + min(size, slots.count - start)
    while end > 0, end < slots.count, id(end - 1) == nil { end += 1 }
    let records = SelectedRecords(.list(Array(slots[start..<end])), of: rows, count: end - start)
    return (records, slots.count, end < slots.count ? id(end - 1) : nil)
  }

  /// Sorts the matching records, and selects the window.
  private func window(
    _ query: Query, _ matches: FilterMatches, _ sorting: Sorting, _ patience: Patience
  ) -> (records: SelectedRecords, total: Int) {
    let matching = matches.slots
    let total = matching.count
    let range = query.window.range(of: total)
    guard !query.sort.isEmpty else {
      // The slots of a whole collection need not be listed.
      if case .firstSlots = matching { return (selected(.range(range), range.count), total) }
      return (selected(.list(matching[range]), range.count), total)
    }
    // Sorting few records is faster than picking them from the order of all.
    if !sorting.isJoined, matching.count > QueryPlan.sortedMatches(of: rows) || matching.count == count,
      let order = order(by: query.sort, dialect: sorting.order.dialect, patience)
    {
      let positions = matches.positions(in: order.slots, by: query.sort)
      return (selected(.list(pick(range, of: matching, in: order.slots, at: positions)), range.count), total)
    }
    guard patience.allows(rows.isLarge && total > QueryPlan.quickMatches(of: rows)) else {
      return (selected(.list([]), 0), 0)
    }
    let slots = sorting.sorted(matching[0..<total], of: rows)
    return (selected(.list(range.count == total ? slots : Array(slots[range])), range.count), total)
  }

  private func selected(_ slots: SelectedRecords.Slots, _ count: Int) -> SelectedRecords {
    SelectedRecords(slots, of: rows, count: count)
  }

  /// Walks through the part of an order with all matching slots, until the window is full.
  private func pick(
    _ range: Range<Int>, of matching: SlotSet, in order: OrderedSlots, at positions: Range<Int>
  ) -> [Int32] {
    if matching.count == positions.count {
      return order[(positions.lowerBound + range.lowerBound)..<(positions.lowerBound + range.upperBound)]
    }
    let bits = matching.bits(slotCount: rows.slotCount)
    var picked: [Int32] = []
    var position = 0
    order.forEach(in: positions.lowerBound..<order.count) { slot in
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
  /// The part of a list that the window shows; empty when the window lies outside.
  func range(of count: Int) -> Range<Int> {
    switch self {
    // What follows a record depends on the order.
    case .all, .after: return 0..<count
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
  /// Equality and comparisons by size use indexes while many records are left, and as far as there are indexes to spare;
  /// the rest is read record by record. A
  /// text that all matching records contain is first searched for in their bytes.
  ///
  /// - Parameters:
  ///   - query: The query. `parent` also matches an id in a list; `owner` matches only a single id.
  ///   - parents: The expanded parents.
  private func matching(
    _ filter: Filter, of query: Query, _ parents: [ParentJoin], _ dialect: Dialect, _ patience: Patience
  ) -> FilterMatches {
    var filter = filter
    let criteria = query.criteria
    // With parents, the same parameters do not always make the same filter.
    let key = parents.isEmpty && filter.combinesMany && criteria.mayRecur ? criteria : nil
    if let key, let known = indexes.matches.readIfCurrent(rows, { $0.matches[key] }) ?? nil { return known }
    var found: SlotSet?
    if let parent = criteria.parent {
      narrow(&found, to: .list(slots(where: parent.key, equals: parent.id.string, patience)))
    }
    if let ids = criteria.ids {
      let listed = ids.flatMap { slots(where: FieldPath(idName), equals: $0, patience) }
      narrow(&found, to: .list(Set(listed).sorted()))
    }
    if let owner = criteria.owner {
      let belonging = slots(where: owner.key, equals: owner.id.string, patience)
      guard patience.allows(rows.isLarge && belonging.count > QueryPlan.quickMatches(of: rows)) else { return .none }
      let own = belonging.filter { slot in
        rows[Int(slot)]?.withRecord { owner.key.value(in: $0)?.recordID == owner.id.string } ?? false
      }
      narrow(&found, to: .list(own))
    }
    takeEqualities(&filter, &found, dialect, patience)
    let ranges = takeRanges(&filter, &found, dialect, patience)
    guard !filter.isEmpty else {
      var matches = FilterMatches(slots: found ?? liveSlots(patience), ranges: ranges)
      guard let key, !isSmall(found), !patience.isOver else { return matches }
      matches.slots = .bits(matches.slots.bits(slotCount: rows.slotCount), count: matches.slots.count)
      let known = matches
      _ = indexes.matches.read(rows, .endless, make: { _ in FilterMatches.Cache() }) { $0.matches[key] = known }
      return matches
    }
    guard patience.allows(rows.isLarge && (found?.count ?? count) > QueryPlan.quickMatches(of: rows)) else {
      return .none
    }
    return FilterMatches(
      slots: .list(scan(found, query, parents, dialect, patience, filter)), ranges: ranges)
  }

  /// Reads the records that may match, on several threads if there are many.
  ///
  /// - Parameters:
  ///   - found: The records that may match; `nil` for all.
  ///   - rest: The remaining conditions.
  private func scan(
    _ found: SlotSet?, _ query: Query, _ parents: [ParentJoin], _ dialect: Dialect, _ patience: Patience,
    _ rest: Filter
  ) -> [Int32] {
    // A filter grows while it reads, so it stays on its thread.
    let left = rest.places
    let candidates = found.map { $0[0..<$0.count] }
    let all = 0..<(candidates?.count ?? rows.slotCount)
    // A search of bytes is as fast as the memory: two threads would take twice the processor time, but no less real
    // time.
    let isSearch = candidates == nil && rest.scan != nil
    guard !isSearch, patience.shares(all) else { return slots(in: all, of: candidates, where: rest) }
    let steps = rest.steps
    return patience.collect(in: all) { range in
      let own = try? Filter(query.criteria, of: self, parents, dialect, patience, steps: steps)
      guard let own else { return [] }
      return slots(in: range, of: candidates, where: own.keeping(left))
    }
  }

  /// - Parameter candidates: The slots that may match, of which a range is read; `nil` for all.
  private func slots(in range: Range<Int>, of candidates: [Int32]?, where filter: Filter) -> [Int32] {
    if let candidates {
      return candidates[range].filter { slot in rows[Int(slot)]?.withRecord(filter.matches) ?? false }
    }
    if let scan = filter.scan { return scan.slots(in: range, of: rows, where: filter.matches) }
    var slots: [Int32] = []
    rows.forEach(in: range) { slot, row in
      if row.withRecord(filter.matches) { slots.append(Int32(slot)) }
    }
    return slots
  }

  /// Whether reading the remaining records costs less than using an index.
  private func isSmall(_ found: SlotSet?) -> Bool {
    found.map { $0.count <= QueryPlan.fewMatches(of: rows) } ?? false
  }

  /// Applies equality conditions, the one with the fewest matches first, and removes those from the filter that need no
  /// further check.
  private func takeEqualities(
    _ filter: inout Filter, _ found: inout SlotSet?, _ dialect: Dialect, _ patience: Patience
  ) {
    guard !isSmall(found) else { return }
    var sets: [(place: Int, slots: SlotSet, isExact: Bool)] = []
    for (place, node) in filter.nodes.enumerated() {
      guard case .condition(let condition) = node, condition.isEquality,
        let index = indexes.equality.admitted(condition.path).flatMap({ equality(of: condition.path, $0, patience) })
      else { continue }
      let isExact = index.isExact(dialect)
      let equal = equalSlots(condition, index)
      if condition.comparison != .notEqual {
        sets.append((place, .list(equal), isExact))
      } else if isExact {
        let others = SlotSet.list(equal + index.slotsWithoutValue(dialect))
        sets.append((place, liveSlots(patience).subtracting(others, slotCount: rows.slotCount), true))
      }
    }
    var settled: Set<Int> = []
    for (place, slots, isExact) in sets.sorted(by: { $0.slots.count < $1.slots.count }) where !isSmall(found) {
      narrow(&found, to: slots)
      if isExact { settled.insert(place) }
    }
    filter.settle { place, _ in settled.contains(place) }
  }

  /// The slots of the records with a value that equals one of a condition's operands, in ascending order.
  private func equalSlots(_ condition: Condition, _ index: HashIndex) -> [Int32] {
    var lists = condition.operands.map { index.slots(equalTo: $0.string) }
    if condition.operands.contains(where: \.isNull) { lists.append(index.nullSlots) }
    if lists.count == 1 { return lists[0] }
    // Sorting joins sorted lists about as fast as they are read.
    return lists.joined().sorted().reduce(into: []) { slots, slot in
      if slots.last != slot { slots.append(slot) }
    }
  }

  /// Applies comparisons by size, and removes them from the filter.
  ///
  /// - Returns: The matching range of each compared member's order.
  private func takeRanges(
    _ filter: inout Filter, _ found: inout SlotSet?, _ dialect: Dialect, _ patience: Patience
  ) -> [FieldPath: Range<Int>] {
    // Both ends of an interval are found before its slots: there may be few even when each end alone matches many.
    var ranges: [FieldPath: Range<Int>] = [:]
    filter.settle { _, node in
      guard case .condition(let condition) = node, condition.isByOrder, !isSmall(found),
        let order = order(by: [SortKey(condition.path)], dialect: dialect, patience),
        let positions = order.positions(passing: condition, in: rows)
      else { return false }
      ranges[condition.path] = ranges[condition.path]?.clamped(to: positions) ?? positions
      return true
    }
    // The member with the fewest matches first, which the others then reduce.
    for (path, positions) in ranges.sorted(by: { $0.value.count < $1.value.count }) {
      guard let order = order(by: [SortKey(path)], dialect: dialect, patience) else { continue }
      narrow(&found, to: order.slots(in: positions, outOf: liveSlots(patience), slotCount: rows.slotCount))
    }
    return ranges
  }

  private func narrow(_ found: inout SlotSet?, to slots: SlotSet) {
    found = found?.intersection(slots, slotCount: rows.slotCount) ?? slots
  }
}
