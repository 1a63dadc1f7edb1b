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
    var joins = parents
    let unknown = try filter.add(query.parameters, parents: parents, dialect: dialect) { path in
      hasMember(path) || joins.hasMember(path)
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
    }
    if !query.search.isEmpty { filter.search = SearchTerm(query.search) }
    let sorting = Sorting(query.sort, dialect: dialect, parents: parents)
    let matching = matching(filter, parent: query.parent.map { ($0.key, $0.id) }, owner: query.owner, dialect)
    let (slots, total) = window(query, matching, sorting)
    let records = slots.compactMap { rows[Int($0)]?.record }
    return Selection(records: records, total: total, unknownParameters: unknown)
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
  ) -> (slots: [Int32], total: Int) {
    let range = query.window.range(of: matching.count)
    guard !query.sort.isEmpty else { return (matching[range], matching.count) }
    // Sorting few records is faster than picking them from the order of all.
    if !sorting.isJoined, matching.count > count / 64 || matching.count == count,
      let order = order(by: query.sort, dialect: sorting.dialect)
    {
      return (pick(range, of: matching, in: order.slots), matching.count)
    }
    let slots = sorting.sorted(matching[0..<matching.count], of: rows)
    return (Array(slots[range]), matching.count)
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
