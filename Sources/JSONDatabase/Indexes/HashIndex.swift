import JSONServerValues
import OrderedCollections

/// The slots of a collection's records by the text of their value at a path.
///
/// A record is under every text by which equality matches it: the value as JavaScript writes it, a number also as
/// the file has it, an array joined and by each of its elements; a time by its instant. What has no text has places of its
/// own.
struct HashIndex: RowIndex {
  /// Most values of a unique member occur once; an array for each would cost more than the index.
  private enum Slots: Sendable {
    case one(Int32)
    case many([Int32])
  }

  /// What a record is found by.
  private enum Key: Hashable, Sendable {
    case text(ByteExactKey)
    /// A null, perhaps in a list.
    case null
    /// No other value than nulls.
    case onlyNulls
    /// No value, not even null.
    case nothing
  }

  /// The keys of a record.
  private struct Keys: Equatable {
    var all: OrderedSet<Key> = []
    /// The number of its values that are lists or objects.
    var containers = 0
  }

  private let path: FieldPath
  /// The slots by key, in parts; changing a copy copies one part.
  private var parts: ContiguousArray<[Key: Slots]>
  /// The number of values that are lists or objects.
  private var containers = 0

  private static let rowsOfPart = 512

  /// Reads the value of every row. O(n).
  init(_ path: FieldPath, rows: PersistentRowVector) {
    self.path = path
    parts = ContiguousArray(repeating: [:], count: max(rows.count / Self.rowsOfPart, 1))
    rows.forEach { slot, row in
      let keys = keys(of: row)
      containers += keys.containers
      for key in keys.all { insert(Int32(slot), under: key) }
    }
  }

  /// Returns the slots of the rows whose value equals a text, ascending.
  func slots(equalTo text: String) -> [Int32] {
    var text = text
    return slots(under: .text(text.withUTF8 { InstantText.withKey(of: $0) { ByteExactKey($0) } }))
  }

  /// The slots of the rows whose value is null, or a list with null in it, ascending.
  var nullSlots: [Int32] { slots(under: .null) }

  /// The slots of the rows for which "not equal" never holds: those without a value and, in the classic dialect, with
  /// null alone.
  func slotsWithoutValue(_ dialect: Dialect) -> [Int32] {
    slots(under: .nothing) + (dialect == .classic ? slots(under: .onlyNulls) : [])
  }

  /// Whether a record is under exactly the texts that its values equal: in 1.0 a list and an object equal nothing.
  func isExact(_ dialect: Dialect) -> Bool { dialect == .classic || containers == 0 }

  private func slots(under key: Key) -> [Int32] {
    switch parts[part(of: key)][key] {
    case nil: []
    case .one(let slot): [slot]
    case .many(let slots): slots
    }
  }

  /// - Complexity: O(log n) for each change, plus moving the equal slots after it.
  mutating func follow(_ changes: RowChanges) -> Bool {
    // A part that has become large would be copied whole with the first change of a copy.
    guard changes.after.count <= 8 * Self.rowsOfPart * parts.count else { return false }
    var added: [(slot: Int32, keys: OrderedSet<Key>)] = []
    // Removed last first, and added first first: then the lists change at their ends, which moves nothing.
    for slot in changes.slots.reversed() {
      let old = changes.before[slot].map(keys) ?? Keys()
      let new = changes.after[slot].map(keys) ?? Keys()
      guard old != new else { continue }
      containers += new.containers - old.containers
      for key in old.all { remove(Int32(slot), under: key) }
      added.append((Int32(slot), new.all))
    }
    for (slot, keys) in added.reversed() {
      for key in keys { insert(slot, under: key) }
    }
    return true
  }

  private func part(of key: Key) -> Int {
    parts.count == 1 ? 0 : Int(UInt(bitPattern: key.hashValue) % UInt(parts.count))
  }

  /// Most values have one or two texts; an array has as many as elements.
  private func keys(of row: Row) -> Keys {
    row.withRecord { record in
      var keys = Keys()
      var (isThere, hasOthers) = (false, false)
      _ = path.leads(in: record) { value in
        isThere = true
        if !value.isNull { hasOthers = true }
        if value.kind == .array || value.kind == .object { keys.containers += 1 }
        if value.equalsNull { keys.all.append(.null) }
        value.forEachEqualText { text in
          InstantText.withKey(of: text) { _ = keys.all.append(.text(ByteExactKey($0))) }
          return false
        }
        return false
      }
      if !hasOthers { keys.all.append(isThere ? .onlyNulls : .nothing) }
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
