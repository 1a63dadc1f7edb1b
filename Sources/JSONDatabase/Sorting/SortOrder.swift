/// The order of records by sort keys.
struct SortOrder: Sendable {
  let keys: [SortKey]
  let dialect: Dialect

  /// Whether the values of one place come before those of another, one column for each key.
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

  /// Whether values leave a row in its place where they replace others.
  func isEqual(_ left: [SortValue], _ right: [SortValue]) -> Bool {
    zip(left, right).allSatisfy { $0.order($1) == 0 }
  }

  /// Compares as JavaScript does where numbers and words mix: no order, but the result is json-server's.
  ///
  /// - Returns: A negative number, zero or a positive number, as the left values come before, with or after the right.
  func loosely(_ columns: [[SortValue]], _ left: Int, _ right: Int) -> Int {
    for (key, column) in zip(keys, columns) {
      let order = column[left].looseOrder(column[right])
      if order != 0 { return key.isDescending ? -order : order }
      // 1.0 asks only whether a value is less than another.
      if dialect == .v1, column[left].isNumber != column[right].isNumber { return key.isDescending ? -1 : 1 }
    }
    return left - right
  }
}
