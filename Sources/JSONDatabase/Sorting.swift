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
  func sorted(_ slots: [Int], of rows: RowVector) -> [Int] {
    let columns = keys.map { column(of: $0.path, slots, rows) }
    let order = slots.indices.sorted { left, right in
      for (key, column) in zip(keys, columns) {
        let order = column[left].order(column[right])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return left < right
    }
    return order.map { slots[$0] }
  }

  /// The values at a path. Where numbers occur among them, texts that are numbers sort as such, as in JavaScript.
  private func column(of path: FieldPath, _ slots: [Int], _ rows: RowVector) -> [SortValue] {
    let values = slots.map { slot in
      rows[slot].map { $0.withRecord { SortValue(path.value(in: $0), dialect: dialect) } } ?? .missing
    }
    let hasNumbers = values.contains { if case .number = $0 { true } else { false } }
    let hasTexts = values.contains { if case .text = $0 { true } else { false } }
    guard hasNumbers, hasTexts, dialect == .classic else { return values }
    return values.map { value in
      guard case .text(let text) = value, let number = Double(String(decoding: text, as: UTF8.self)),
        !number.isNaN
      else { return value }
      return .number(number)
    }
  }
}
