import OrderedJSON

/// Compares single rows by sort keys, reading what it needs from their records.
struct RowComparison: Sendable {
  let keys: [SortKey]
  let dialect: Dialect

  /// The row's values under the keys.
  func values(of row: Row) -> [SortValue] {
    row.withRecord { record in keys.map { SortValue($0.path.value(in: record), dialect: dialect) } }
  }

  /// Whether a slot's row comes before values that stand in another slot.
  func comes(_ other: Int32, before values: [SortValue], _ slot: Int, in rows: RowVector) -> Bool {
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
