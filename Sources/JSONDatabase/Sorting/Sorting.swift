import JSONServerValues

/// Sorts rows by the values at one or more paths.
struct Sorting {
  let order: SortOrder
  /// For each key, the parent record with its values; `nil` for values of the records themselves.
  private let joins: [(parent: ParentJoin, path: FieldPath)?]

  /// The time limit of sorting; after it, no values are read.
  private let patience: Patience

  /// - Parameter parents: The expanded parents, whose members may be keys.
  init(
    _ keys: [SortKey], dialect: Dialect, parents: [ParentJoin] = [], patience: Patience = .endless
  ) {
    self.patience = patience
    order = SortOrder(keys: keys, dialect: dialect)
    joins = keys.map { parents.join(for: $0.path) }
  }

  /// Whether a key is a member of a parent.
  var isJoined: Bool { joins.contains { $0 != nil } }

  /// Returns the slots in order; slots with equal values keep their order. O(n log n).
  ///
  /// JavaScript has no order for numbers and words. A few records that mix both are sorted as json-server does; among
  /// many records, numbers come first.
  func sorted(_ slots: [Int32], of rows: PersistentRowVector) -> [Int32] {
    let columns = columns(slots, of: rows)
    guard columns.contains(where: { SortValue.Kinds($0).isMixed }) else { return sorted(slots, by: columns) }
    guard slots.count < InsertionSort.limit else { return sorted(slots, by: columns.map(Self.unmixed)) }
    var places = Array(slots.indices)
    InsertionSort.sort(&places) { left, right in order.loosely(columns, left, right) }
    return places.map { slots[$0] }
  }

  /// Returns the slots in the order of their values, one column for each key.
  func sorted(_ slots: [Int32], by columns: [[SortValue]]) -> [Int32] {
    let places = slots.indices.sorted { order.isBefore(columns, $0, $1) }
    return places.map { slots[$0] }
  }

  /// The values of slots under each key.
  func columns(_ slots: [Int32], of rows: PersistentRowVector) -> [[SortValue]] {
    zip(order.keys, joins).map { key, join in
      slots.map { slot in
        patience.isOver ? .missing : rows[Int(slot)].map { $0.withRecord { value(of: key, join, in: $0) } } ?? .missing
      }
    }
  }

  private func value(
    of key: SortKey, _ join: (parent: ParentJoin, path: FieldPath)?, in record: ValueToken
  ) -> SortValue {
    guard let join, !join.parent.isHidden(by: record) else {
      return SortValue(key.path.value(in: record), dialect: order.dialect)
    }
    return join.parent.withParent(of: record) { SortValue(join.path.value(in: $0), dialect: order.dialect) }
  }

  /// Where numbers occur among the values, texts that are numbers are sorted as numbers, as in JavaScript.
  private static func unmixed(_ values: [SortValue]) -> [SortValue] {
    guard SortValue.Kinds(values).isMixed else { return values }
    return values.map { value in value.number.map { .number($0) } ?? value }
  }
}

/// The order of texts by code point, which in UTF-8 is the order of their bytes.
enum LexicographicOrder {
  /// Returns a negative number, zero or a positive number, as the left text comes before, with or after the right.
  @inline(__always)
  static func compare(_ left: some RandomAccessCollection<UInt8>, _ right: some RandomAccessCollection<UInt8>) -> Int {
    for (first, second) in zip(left, right) where first != second { return first < second ? -1 : 1 }
    return left.count - right.count
  }
}

/// The order of records by sort keys.
struct SortOrder: Sendable {
  let keys: [SortKey]
  let dialect: Dialect

  /// Whether the values at one place come before those at another, with one column for each key.
  func isBefore(_ columns: [[SortValue]], _ left: Int, _ right: Int) -> Bool {
    for (key, column) in zip(keys, columns) {
      let order = column[left].order(column[right])
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return left < right
  }

  /// Whether the values of one slot come before those of another.
  func isBefore(_ left: [SortValue], _ leftSlot: Int, _ right: [SortValue], _ rightSlot: Int) -> Bool {
    for (index, key) in keys.enumerated() {
      let order = left[index].order(right[index])
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return leftSlot < rightSlot
  }

  /// Whether replacing values leaves a row in its place.
  func isEqual(_ left: [SortValue], _ right: [SortValue]) -> Bool {
    zip(left, right).allSatisfy { $0.order($1) == 0 }
  }

  /// Compares as JavaScript does when numbers and words mix. This is not an order, but gives json-server's result.
  ///
  /// - Returns: A negative number, zero or a positive number, as the left values come before, with or after the right.
  func loosely(_ columns: [[SortValue]], _ left: Int, _ right: Int) -> Int {
    for (key, column) in zip(keys, columns) {
      let order = column[left].looseOrder(column[right])
      if order != 0 { return key.isDescending ? -order : order }
      // 1.0 checks only whether a value is less than another.
      if dialect == .v1, column[left].isNumber != column[right].isNumber { return key.isDescending ? -1 : 1 }
    }
    return left - right
  }
}

/// Sorts few elements by the same steps as V8's `Array.prototype.sort`.
///
/// If the comparison is an order, any stable sort gives the same result. If not, as for numbers and words in
/// JavaScript, the result depends on the steps; the same steps give json-server's result.
enum InsertionSort {
  /// From this many elements on, V8 merges sorted runs instead.
  static let limit = 64

  /// Sorts by a comparison that is negative, zero or positive; equal elements keep their order. O(n²).
  static func sort<Element>(_ elements: inout [Element], by compare: (Element, Element) -> Int) {
    guard elements.count > 1 else { return }
    for next in sortedPrefix(of: &elements, by: compare)..<elements.count {
      let element = elements[next]
      let place = elements[..<next].partitioningIndex { compare(element, $0) < 0 }
      elements.remove(at: next)
      elements.insert(element, at: place)
    }
  }

  /// Returns the number of sorted elements at the start; strictly descending ones are reversed.
  private static func sortedPrefix<Element>(
    of elements: inout [Element], by compare: (Element, Element) -> Int
  ) -> Int {
    let isFalling = compare(elements[1], elements[0]) < 0
    var count = 2
    while count < elements.count, (compare(elements[count], elements[count - 1]) < 0) == isFalling { count += 1 }
    if isFalling { elements[..<count].reverse() }
    return count
  }
}
