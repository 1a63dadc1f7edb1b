import JSONServerValues

/// Finds a record's slot by its id.
///
/// An open-addressing table of slots: 10 to 40 bytes per record, because the ids themselves are read from the records.
/// Beside each slot is a byte of its id's hash, so hardly any other record is read. Ids compare by their text, so `1`
/// and `"1"` are one id. The hash of a UUID is that of its lower case, so that it is found in any.
struct IDHashTable: RowIndex {
  private static let empty: Int32 = -1
  private static let removed: Int32 = -2

  private let idName: [UInt8]
  private var slots: PersistentArray<Int32>
  /// The byte of the hash that belongs to each slot.
  private var tags: PersistentArray<UInt8>
  /// The entries that are not ``empty``.
  private var used = 0
  /// The slots of rows whose id an earlier row has, by id, ascending: the first is found when the earlier row is deleted.
  private var hidden: [ByteExactKey: [Int32]] = [:]

  /// Reads the ids of all rows. O(n).
  init(idName: String, rows: PersistentRowVector) {
    self.idName = Array(idName.utf8)
    let capacity = Self.capacity(for: rows.count)
    slots = PersistentArray(repeatElement(Self.empty, count: capacity))
    tags = PersistentArray(repeatElement(0, count: capacity))
    rows.forEach { slot, row in insert(slot, row, in: rows) }
  }

  private static func capacity(for count: Int) -> Int {
    var capacity = 16
    while capacity < count * 2 { capacity *= 2 }
    return capacity
  }

  /// Returns the slot of the first record with an id, or `nil`.
  func slot(of id: UnsafeBufferPointer<UInt8>, in rows: PersistentRowVector) -> Int? {
    slot(of: id, in: rows) { $0.elementsEqual(id) }
  }

  /// Returns the slot of the first record whose id is a UUID in other letters, or `nil`.
  func slot(ofUUID id: String, in rows: PersistentRowVector) -> Int? {
    var id = id
    return id.withUTF8 { id in
      guard UUIDText.isUUID(id) else { return nil }
      return slot(of: id, in: rows) { other in
        other.count == id.count && zip(other, id).allSatisfy { UUIDText.folded($0) == UUIDText.folded($1) }
      }
    }
  }

  /// - Parameter isEqual: Whether a record's id is the id.
  private func slot(
    of id: UnsafeBufferPointer<UInt8>, in rows: PersistentRowVector, where isEqual: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Int? {
    let hash = Self.hash(id)
    let tag = Self.tag(hash)
    var index = hash & (slots.count - 1)
    while slots[index] != Self.empty {
      let slot = Int(slots[index])
      if tags[index] == tag, slot >= 0, let row = rows[slot],
        Self.withID(of: row, named: idName, { $0.map(isEqual) ?? false })
      {
        return slot
      }
      index = (index + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Returns the row of the first record with an id, or `nil`.
  func row(of id: String, in rows: PersistentRowVector) -> Row? {
    slot(of: id, in: rows).flatMap { rows[$0] }
  }

  /// Returns the slot of the first record with an id, or `nil`.
  func slot(of id: String, in rows: PersistentRowVector) -> Int? {
    var id = id
    return id.withUTF8 { slot(of: $0, in: rows) }
  }

  mutating func follow(_ changes: RowChanges) -> Bool {
    let idName = String(decoding: idName, as: UTF8.self)
    let moved = changes.slots.filter { slot in
      let (old, new) = (changes.before[slot], changes.after[slot])
      return old == nil || new == nil || old?.id(named: idName) != new?.id(named: idName)
    }
    // Removals first: an id may have moved from one record to another.
    for slot in moved { changes.before[slot].map { remove(slot, $0) } }
    for slot in moved { changes.after[slot].map { insert(slot, $0, in: changes.after) } }
    return true
  }

  /// Adds a row that is in a slot; a row without an id is not added; of two with one id, the first is.
  private mutating func insert(_ slot: Int, _ row: Row, in rows: PersistentRowVector) {
    if used * 4 >= slots.count * 3 { grow(rows) }
    Self.withID(of: row, named: idName) { id in
      guard let id else { return }
      guard let other = self.slot(of: id, in: rows) else { return place(slot, hash: Self.hash(id)) }
      if slot < other { replace(other, by: slot, hash: Self.hash(id)) }
      let later = Int32(max(slot, other))
      let key = ByteExactKey(id)
      let index = hidden[key]?.partitioningIndex { $0 > later } ?? 0
      hidden[key, default: []].insert(later, at: index)
    }
  }

  /// Removes a row that was in a slot.
  private mutating func remove(_ slot: Int, _ row: Row) {
    Self.withID(of: row, named: idName) { id in
      guard let id else { return }
      guard !hidden.isEmpty, var slots = hidden.removeValue(forKey: ByteExactKey(id)) else {
        return replace(slot, by: Int(Self.removed), hash: Self.hash(id))
      }
      let index = slots.partitioningIndex { $0 >= slot }
      if index < slots.count, slots[index] == slot {
        slots.remove(at: index)
      } else {
        replace(slot, by: Int(slots.removeFirst()), hash: Self.hash(id))
      }
      if !slots.isEmpty { hidden[ByteExactKey(id)] = slots }
    }
  }

  private mutating func replace(_ slot: Int, by other: Int, hash: Int) {
    var index = hash & (slots.count - 1)
    while slots[index] != Self.empty {
      if slots[index] == Int32(slot) {
        slots[index] = Int32(other)
        return
      }
      index = (index + 1) & (slots.count - 1)
    }
  }

  private mutating func place(_ slot: Int, hash: Int) {
    var index = hash & (slots.count - 1)
    while slots[index] >= 0 { index = (index + 1) & (slots.count - 1) }
    if slots[index] == Self.empty { used += 1 }
    slots[index] = Int32(slot)
    tags[index] = Self.tag(hash)
  }

  private mutating func grow(_ rows: PersistentRowVector) {
    let old = slots
    let capacity = Self.capacity(for: rows.count * 2)
    slots = PersistentArray(repeatElement(Self.empty, count: capacity))
    tags = PersistentArray(repeatElement(0, count: capacity))
    used = 0
    for index in 0..<old.count where old[index] >= 0 {
      let slot = old[index]
      guard let row = rows[Int(slot)] else { continue }
      Self.withID(of: row, named: idName) { id in
        if let id { place(Int(slot), hash: Self.hash(id)) }
      }
    }
  }

  /// Passes a closure the text of a row's id, or `nil` when it has none.
  ///
  /// Static, because a table whose method calls a closure that changes the table copies all its slots.
  @inline(__always)
  private static func withID<Result>(
    of row: Row, named idName: [UInt8], _ body: (UnsafeBufferPointer<UInt8>?) -> Result
  ) -> Result {
    row.withRecord { record in
      guard let id = record.member(idName), !id.isNull else { return body(nil) }
      return id.withText { body($0) }
    }
  }

  /// The standard library's hash, whose seed each process draws at its start: clients choose ids, but cannot choose
  /// ones that collide.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var hasher = Hasher()
    if UUIDText.isUUID(bytes) {
      for byte in bytes { hasher.combine(UUIDText.folded(byte)) }
    } else {
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    return hasher.finalize() & Int.max
  }

  /// A byte of a hash that does not say where in the table it is.
  private static func tag(_ hash: Int) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 48) }
}
