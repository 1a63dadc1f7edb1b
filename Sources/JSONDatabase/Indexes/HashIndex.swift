import JSONServerValues
import OrderedCollections

/// The slots of a collection's records by the text of their value at a path.
///
/// A record is under every text by which equality matches it: the value as JavaScript writes it, a number also as
/// the file has it, an array joined and by each of its elements. Null has no text, and a place of its own.
struct HashIndex: RowIndex {
  /// Most values of a unique member occur once; an array for each would cost more than the index.
  private enum Slots: Sendable {
    case one(Int32)
    case many([Int32])
  }

  /// The text by which a record is found; `nil` for null.
  private typealias Key = ByteExactKey?

  private let path: FieldPath
  /// The slots by key, in parts; changing a copy copies one part.
  private var parts: ContiguousArray<[Key: Slots]>

  /// Reads the value of every row. O(n).
  init(_ path: FieldPath, rows: PersistentRowVector) {
    self.path = path
    parts = ContiguousArray(repeating: [:], count: max(rows.count / 512, 1))
    rows.forEach { slot, row in
      for key in keys(of: row) { insert(Int32(slot), under: key) }
    }
  }

  /// Returns the slots of the rows whose value equals a text, ascending.
  func slots(equalTo text: String) -> [Int32] { slots(under: ByteExactKey(text)) }

  /// The slots of the rows whose value is null, or a list with null in it, ascending.
  var nullSlots: [Int32] { slots(under: nil) }

  private func slots(under key: Key) -> [Int32] {
    switch parts[part(of: key)][key] {
    case nil: []
    case .one(let slot): [slot]
    case .many(let slots): slots
    }
  }

  /// - Complexity: O(log n) for each change, plus moving the equal slots after it.
  mutating func follow(_ changes: RowChanges) -> Bool {
    // Last first: the lists shrink at their ends, which moves nothing.
    for slot in changes.slots.reversed() {
      let oldKeys = changes.before[slot].map(keys) ?? []
      let newKeys = changes.after[slot].map(keys) ?? []
      guard oldKeys != newKeys else { continue }
      for key in oldKeys { remove(Int32(slot), under: key) }
      for key in newKeys { insert(Int32(slot), under: key) }
    }
    return true
  }

  private func part(of key: Key) -> Int {
    parts.count == 1 ? 0 : Int(UInt(bitPattern: key.hashValue) % UInt(parts.count))
  }

  /// Most values have one or two texts; an array has as many as elements.
  private func keys(of row: Row) -> OrderedSet<Key> {
    row.withRecord { record in
      var keys: OrderedSet<Key> = []
      _ = path.leads(in: record) { value in
        if value.equalsNull { keys.append(nil) }
        value.forEachEqualText { text in
          keys.append(ByteExactKey(text))
          return false
        }
        return false
      }
      return keys
    }
  }

  private mutating func insert(_ slot: Int32, under key: Key) {
    let part = part(of: key)
    switch parts[part][key] {
    case nil: parts[part][key] = .one(slot)
    case .one(let first): parts[part][key] = .many(first < slot ? [first, slot] : [slot, first])
    case .many(var many):
      parts[part][key] = nil
      if let last = many.last, last < slot {
        many.append(slot)
      } else {
        many.insert(slot, at: many.partitioningIndex { $0 >= slot })
      }
      parts[part][key] = .many(many)
    }
  }

  private mutating func remove(_ slot: Int32, under key: Key) {
    let part = part(of: key)
    guard case .many(var many)? = parts[part][key] else {
      parts[part][key] = nil
      return
    }
    parts[part][key] = nil
    let index = many.partitioningIndex { $0 >= slot }
    if index < many.count, many[index] == slot { many.remove(at: index) }
    parts[part][key] = many.isEmpty ? nil : .many(many)
  }
}
