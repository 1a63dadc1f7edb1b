import OrderedJSON

/// A resource of many records: a top-level array of the file.
package struct RecordCollection: Sendable {
  /// The resource's name.
  package let name: String
  /// The member that holds a record's id.
  package let idName: String

  private(set) var rows: PersistentRowVector
  /// Slots that hold what cannot be read here, where servers share the records: no record may be added there.
  private var unreadable: Set<Int> = []

  /// The white space before the closing bracket while there are records.
  private let tail: UTF8Slice
  /// The white space between the brackets while there is no record.
  private let emptyTail: UTF8Slice
  /// How the collection's first record is written.
  private let defaultLayout: JSONLayout

  var idTable: IDHashTable?
  var numericIDs: NumericIDs?
  var uuids: UUIDCount?
  var fields = FieldIndexes()
  var members: MemberSummary?
  /// The slots that hold a record, once they are needed and some slots are empty.
  private var occupied: [Int32]?

  init(name: String, idName: String, rows: PersistentRowVector, tail: UTF8Slice, defaultLayout: JSONLayout) {
    self.name = name
    self.idName = idName
    self.rows = rows
    self.defaultLayout = defaultLayout
    let isEmpty = rows.count == 0
    emptyTail = isEmpty ? tail : UTF8Slice("")
    self.tail =
      isEmpty ? UTF8Slice(defaultLayout.indent == nil ? "" : defaultLayout.newline + defaultLayout.outerMargin) : tail
  }

  /// The number of records. O(1).
  package var count: Int { rows.count }

  // MARK: Reading

  /// Returns the slot of the record with an id, given as text. O(1) after the first call, which reads all ids.
  mutating func slot(of id: String) -> Int? {
    var id = id
    return id.withUTF8 { slot(of: $0) }
  }

  mutating func slot(of id: UnsafeBufferPointer<UInt8>) -> Int? {
    indexIDs()
    return idTable?.slot(of: id, in: rows)
  }

  /// Reads all ids, unless that was done.
  mutating func indexIDs() {
    if idTable == nil { idTable = IDHashTable(idName: idName, rows: rows) }
  }

  /// Returns the record with an id, given as text, once ids are indexed.
  func indexedRow(of id: UnsafeBufferPointer<UInt8>) -> Row? {
    idTable?.slot(of: id, in: rows).flatMap { rows[$0] }
  }

  /// Returns the slots of the records whose value at a path equals a text, ascending.
  ///
  /// O(number of records found) after the first call for a path, which reads all records.
  mutating func slots(where path: FieldPath, equals text: String) -> [Int32] {
    fields.equality(of: path, in: rows).slots(equalTo: text)
  }

  /// Returns the slots of the records whose value at a path is null, or a list with null in it, ascending.
  mutating func nullSlots(of path: FieldPath) -> [Int32] {
    fields.equality(of: path, in: rows).nullSlots
  }

  /// Returns the order of the records by sort keys; `nil` when numbers and texts mix under a key. O(n log n) at first
  /// use.
  ///
  /// - Parameter isAbandoned: Whether nobody wants it any more: then it is wrong.
  mutating func order(
    by keys: [SortKey], dialect: Dialect, isAbandoned: @Sendable @escaping () -> Bool = { false }
  ) -> SortedIndex? {
    fields.order(by: keys, in: rows) { rows in
      SortedIndex(keys, Sorting(keys, dialect: dialect, isAbandoned: isAbandoned), dialect: dialect, rows: rows)
    }
  }

  /// The slots that hold a record. O(1) until a record is removed, then O(n) at first use.
  var liveSlots: SlotSet {
    mutating get {
      if rows.count == rows.slotCount { return .firstSlots(rows.count) }
      let slots = occupied ?? (0..<Int32(rows.slotCount)).filter { rows[Int($0)] != nil }
      occupied = slots
      return .list(slots)
    }
  }

  /// Reads which members records have, unless that was done.
  mutating func indexMembers() {
    if members?.isSparse != false { members = MemberSummary(rows: rows) }
  }

  /// The members that some record has, in the order of their first appearance. O(size of the records) at first use.
  var memberNames: [String] {
    mutating get {
      indexMembers()
      return members?.names ?? []
    }
  }

  /// Whether some record has a member of its own. O(1) after a first use, which reads all records.
  mutating func hasMember(named name: String) -> Bool {
    indexMembers()
    return members?.contains(name) ?? false
  }

  /// The kinds of the values of a member. O(1) after a first use, which reads all records.
  mutating func kinds(of name: [UInt8]) -> ValueKinds {
    indexMembers()
    return members?.kinds(of: name) ?? ValueKinds()
  }

  /// Reads which ids are UUIDs, unless that was done.
  mutating func indexUUIDs() {
    if uuids == nil { uuids = UUIDCount(idName: idName, rows: rows) }
  }

  /// Whether there are ids, and all are UUIDs, as far as they were read.
  var hasOnlyUUIDs: Bool { uuids?.areAll ?? false }

  /// Whether any record has a value, even null, at a path.
  mutating func hasMember(_ path: FieldPath) -> Bool {
    fields.isKnown(path, in: rows)
  }

  /// The names of the members that the first records have, in their order; at most 200.
  ///
  /// - Parameter recordCount: How many records are read.
  func memberNames(inFirst recordCount: Int) -> [String] {
    var names: [String] = []
    var seen: Set<ByteExactKey> = []
    var rest = recordCount
    rows.forEach { _, row in
      row.withRecord { record in
        guard var reader = ObjectReader(record) else { return }
        while names.count < 200, let member = reader.next() {
          let name = member.nameText
          if seen.insert(ByteExactKey(name)).inserted { names.append(name) }
        }
      }
      rest -= 1
      return rest > 0 && names.count < 200
    }
    return names
  }

  /// Gives up what was found out about the records' members; it is found out again when it is needed.
  ///
  /// - Parameter key: A member whose index of equal values is kept, as it is needed soon.
  mutating func forgetIndexes(but key: FieldPath? = nil) {
    var kept = FieldIndexes()
    if let key { kept.equality[key] = fields.equality.known(key) }
    fields = kept
    occupied = nil
  }

  /// The collection with other members in its records, whose slots and ids are the same.
  func showing(_ shown: PersistentRowVector) -> RecordCollection {
    var collection = self
    collection.rows = shown
    collection.fields = FieldIndexes()
    collection.members = nil
    return collection
  }

  // MARK: Changing

  /// Puts a row into a slot, or empties the slot, and keeps the indexes in step.
  mutating func set(_ row: Row?, at slot: Int) {
    let old = rows[slot]
    let keepsID = if let old, let row { old.id(named: idName) == row.id(named: idName) } else { false }
    if let old, !keepsID { forgetID(of: old, at: slot) }
    fields.replace(old, with: row, at: slot, in: rows)
    members?.replace(old, with: row)
    if !keepsID {
      if let old { uuids?.count(old, -1) }
      if let row { uuids?.count(row, 1) }
    }
    rows[slot] = row
    if (old == nil) != (row == nil) { recordOccupancy(slot, isOccupied: row != nil) }
    if let row {
      guard !keepsID else { return }
      idTable?.insert(slot, row, in: rows)
      insertNumericID(of: row)
    }
  }

  /// Records whether a slot holds what cannot be read here.
  mutating func setUnreadable(_ isUnreadable: Bool, at slot: Int) {
    if isUnreadable { unreadable.insert(slot) } else { unreadable.remove(slot) }
  }

  /// Records the number of a row that was added. Those of removed rows are dropped when they are the majority.
  private mutating func insertNumericID(of row: Row) {
    numericIDs?.insert(row)
    if let ids = numericIDs, ids.count > 2 * rows.count + Self.toleratedCount { numericIDs = nil }
  }

  /// Removes a row's id from the table; where it may have hidden a later row, the table is rebuilt.
  private mutating func forgetID(of row: Row, at slot: Int) {
    if idTable?.hidesRows == true { idTable = nil } else { idTable?.remove(slot, row) }
  }

  /// Adds a row at the end, behind what cannot be read there, and returns its slot.
  mutating func append(_ row: Row) -> Int {
    var slot = rows.slotCount
    while unreadable.contains(slot) { slot += 1 }
    rows[slot] = row
    fields.replace(nil, with: row, at: slot, in: rows)
    members?.replace(nil, with: row)
    uuids?.count(row, 1)
    recordOccupancy(slot, isOccupied: true)
    idTable?.insert(slot, row, in: rows)
    insertNumericID(of: row)
    return slot
  }

  /// How much of what is removed may be left behind, however few records there are.
  static let toleratedCount = 1_024

  /// Whether so many slots are empty that it is worth while to number the records anew.
  ///
  /// - Parameter kept: How many empty slots could not be given up.
  func isSparse(keeping kept: Int = 0, tolerating tolerated: Int) -> Bool {
    rows.slotCount - rows.count - kept > max(tolerated, rows.slotCount / 2)
  }

  /// Numbers the records anew, in their order. What refers to slots is made again when it is asked for.
  ///
  /// - Parameter kept: Slots that have to be found again, be they empty.
  /// - Returns: Their new numbers.
  mutating func compact(keeping kept: Set<Int>) -> [Int: Int] {
    let compacted = rows.compacted(keeping: kept)
    rows = compacted.rows
    idTable = nil
    numericIDs = nil
    uuids = nil
    fields = FieldIndexes()
    members = nil
    occupied = nil
    return compacted.slots
  }

  private mutating func recordOccupancy(_ slot: Int, isOccupied: Bool) {
    guard var slots = occupied else { return }
    occupied = nil
    let index = slots.partitioningIndex { $0 >= slot }
    if isOccupied { slots.insert(Int32(slot), at: index) } else { slots.remove(at: index) }
    occupied = slots
  }

  /// The next numeric id: one more than the largest; `nil` where no number is.
  mutating func nextNumericID() -> NumericID? {
    var ids = numericIDs ?? NumericIDs(idName: idName, rows: rows)
    numericIDs = nil
    defer { numericIDs = ids }
    while let largest = ids.largest, slot(of: largest.text) == nil { ids.removeLargest() }
    var next = ids.largest.map(\.next) ?? .integer(1)
    // Where ids are mixed, a text may look like the number that comes next.
    while let number = next, slot(of: number.text) != nil { next = number.next }
    return next
  }

  /// The layout in which a new record is written: that of the last record.
  var recordLayout: JSONLayout {
    guard let last = rows.last else { return defaultLayout }
    return last.withRecord { record in
      last.lead.withBytes { JSONLayout.inferred(from: record, lead: $0) ?? defaultLayout }
    }
  }

  /// The layout that a record retains when it is changed.
  func layout(of row: Row) -> JSONLayout {
    row.withRecord { record in
      row.lead.withBytes { JSONLayout.inferred(from: record, lead: $0) ?? recordLayout }
    }
  }

  /// The white space before a new record.
  var recordLead: [UInt8] {
    guard let last = rows.last else {
      return defaultLayout.indent == nil ? [] : Array((defaultLayout.newline + defaultLayout.margin).utf8)
    }
    let lead = last.lead.withBytes { Array($0) }
    // On one line the first record follows the bracket directly, the others a comma and perhaps a space.
    guard rows.count == 1, !lead.contains(UInt8(ascii: "\n")) else { return lead }
    return Array(recordLayout.afterComma.utf8)
  }

  /// The collection as it is in the file.
  var text: CollectionText {
    CollectionText(rows: rows, tail: tail, emptyTail: emptyTail)
  }
}
