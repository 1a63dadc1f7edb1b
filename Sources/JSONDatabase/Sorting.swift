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
  func sorted(_ slots: [Int32], of rows: RowVector) -> [Int32] {
    sorted(slots, by: columns(slots, of: rows).map(Self.unmixed))
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
  func columns(_ slots: [Int32], of rows: RowVector) -> [[SortValue]] {
    keys.map { key in
      slots.map { slot in
        rows[Int(slot)].map { $0.withRecord { SortValue(key.path.value(in: $0), dialect: dialect) } } ?? .missing
      }
    }
  }

  /// Where numbers occur among the values, texts that are numbers sort as such, as in JavaScript.
  private static func unmixed(_ values: [SortValue]) -> [SortValue] {
    guard SortValue.Kinds(values).isMixed else { return values }
    return values.map { value in
      guard case .text(let text) = value, let number = Double(String(decoding: text, as: UTF8.self)),
        !number.isNaN
      else { return value }
      return .number(number)
    }
  }
}
