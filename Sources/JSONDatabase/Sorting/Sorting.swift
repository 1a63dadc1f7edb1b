import OrderedJSON

/// Sorts rows by the values at one or more paths.
struct Sorting {
  private let keys: [SortKey]
  private let dialect: Dialect

  init(_ keys: [SortKey], dialect: Dialect) {
    self.keys = keys
    self.dialect = dialect
  }

  /// Returns the slots in order; slots whose values are equal keep the order they had. O(n log n).
  ///
  /// JavaScript has no order for numbers and words. A few records that mix them under a key are in the order in which
  /// json-server 0.17 sends them; of many, and under 1.0's dialect, the numbers come first.
  func sorted(_ slots: [Int32], of rows: PersistentRowVector) -> [Int32] {
    let columns = columns(slots, of: rows)
    guard columns.contains(where: { SortValue.Kinds($0).isMixed }) else { return sorted(slots, by: columns) }
    guard dialect == .classic, slots.count < InsertionSort.limit else {
      return sorted(slots, by: columns.map(Self.unmixed))
    }
    var order = Array(slots.indices)
    InsertionSort.sort(&order) { left, right in
      for (key, column) in zip(keys, columns) {
        let order = column[left].looseOrder(column[right])
        if order != 0 { return key.isDescending ? -order : order }
      }
      return left - right
    }
    return order.map { slots[$0] }
  }

  /// Returns the slots in the order of their values, one column for each key.
  func sorted(_ slots: [Int32], by columns: [[SortValue]]) -> [Int32] {
    let order = slots.indices.sorted { left, right in
      for (key, column) in zip(keys, columns) {
        let order = column[left].order(column[right])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return left < right
    }
    return order.map { slots[$0] }
  }

  /// The values of slots under each key.
  func columns(_ slots: [Int32], of rows: PersistentRowVector) -> [[SortValue]] {
    keys.map { key in
      slots.map { slot in
        rows[Int(slot)].map { $0.withRecord { SortValue(key.path.value(in: $0), dialect: dialect) } } ?? .missing
      }
    }
  }

  /// Where numbers occur among the values, texts that are numbers sort as such, as in JavaScript.
  private static func unmixed(_ values: [SortValue]) -> [SortValue] {
    guard SortValue.Kinds(values).isMixed else { return values }
    return values.map { value in value.number.map { .number($0) } ?? value }
  }
}

/// Compares single rows by sort keys, reading what it needs from their records.
struct RowComparison: Sendable {
  let keys: [SortKey]
  let dialect: Dialect

  /// The row's values under the keys.
  func values(of row: Row) -> [SortValue] {
    row.withRecord { record in keys.map { SortValue($0.path.value(in: record), dialect: dialect) } }
  }

  /// Whether a slot's row comes before values that are in another slot.
  func comes(_ other: Int32, before values: [SortValue], _ slot: Int, in rows: PersistentRowVector) -> Bool {
    guard let row = rows[Int(other)] else { return false }
    let order = order(self.values(of: row), values)
    return order < 0 || (order == 0 && Int(other) < slot)
  }

  /// Returns a negative number, zero or a positive number, as the left values come before, with or after the right.
  func order(_ left: [SortValue], _ right: [SortValue]) -> Int {
    for (index, key) in keys.enumerated() {
      let order = left[index].order(right[index])
      if order != 0 { return key.isDescending ? -order : order }
    }
    return 0
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
