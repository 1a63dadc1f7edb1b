import OrderedJSON

/// The slots of a collection's records by the text of their value at a path.
///
/// A record is under every text by which equality matches it: the value as JavaScript writes it, a number also as
/// the file has it, an array joined and by each of its elements. Null and missing values are not in it.
struct HashIndex: Sendable {
  /// Most values of a unique member occur once; an array for each would cost more than the index.
  private enum Slots: Sendable {
    case one(Int32)
    case many([Int32])
  }

  private let path: FieldPath
  private var slots: [ByteExactKey: Slots] = [:]

  /// Reads the value of every row. O(n).
  init(_ path: FieldPath, rows: PersistentRowVector) {
    self.path = path
    rows.forEach { slot, row in
      for key in keys(of: row) { insert(Int32(slot), under: key) }
      return true
    }
  }

  /// Returns the slots of the rows whose value equals a text, ascending.
  func slots(equalTo text: String) -> [Int32] {
    switch slots[ByteExactKey(text)] {
    case nil: []
    case .one(let slot): [slot]
    case .many(let slots): slots
    }
  }

  /// Records that a row was added, replaced or removed. O(log n), plus moving the equal ones after it.
  mutating func replace(_ old: Row?, with new: Row?, at slot: Int) {
    let oldKeys = old.map(keys) ?? []
    let newKeys = new.map(keys) ?? []
    guard oldKeys != newKeys else { return }
    for key in oldKeys { remove(Int32(slot), under: key) }
    for key in newKeys { insert(Int32(slot), under: key) }
  }

  private func keys(of row: Row) -> [ByteExactKey] {
    row.withRecord { record in
      guard let value = path.value(in: record) else { return [] }
      var keys: [ByteExactKey] = []
      // Most values have one or two texts; an array has as many as elements.
      var seen: Set<ByteExactKey> = []
      value.forEachEqualText { text in
        let key = ByteExactKey(text)
        if keys.count == 8 { seen = Set(keys) }
        if keys.count < 8 ? !keys.contains(key) : seen.insert(key).inserted { keys.append(key) }
        return false
      }
      return keys
    }
  }

  private mutating func insert(_ slot: Int32, under key: ByteExactKey) {
    switch slots[key] {
    case nil: slots[key] = .one(slot)
    case .one(let first): slots[key] = .many(first < slot ? [first, slot] : [slot, first])
    case .many(var many):
      slots[key] = nil
      if let last = many.last, last < slot {
        many.append(slot)
      } else {
        many.insert(slot, at: many.partitioningIndex { $0 >= slot })
      }
      slots[key] = .many(many)
    }
  }

  private mutating func remove(_ slot: Int32, under key: ByteExactKey) {
    guard case .many(var many)? = slots[key] else {
      slots[key] = nil
      return
    }
    slots[key] = nil
    let index = many.partitioningIndex { $0 >= slot }
    if index < many.count, many[index] == slot { many.remove(at: index) }
    slots[key] = many.isEmpty ? nil : .many(many)
  }
}

extension ValueToken {
  /// Calls a closure with every text by which an equality filter matches the value, until it returns `true`.
  ///
  /// - Returns: Whether the closure returned `true`.
  @discardableResult
  func forEachEqualText(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    switch kind {
    case .null: return false
    case .bool, .string, .object: return withText(body)
    case .number: return body(bytes) || (!isCanonicalInteger && withText(body))
    case .array:
      if withText(body) { return true }
      guard let elements = ArrayReader(self) else { return false }
      for element in elements where element.kind != .array && element.forEachEqualText(body) { return true }
      return false
    }
  }
}
