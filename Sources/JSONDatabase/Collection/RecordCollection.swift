import JSONServerValues

/// A resource of many records: a top-level array of the file.
///
/// One version of it. Indexes that are built at first use are shared with the versions before and after, so
/// that reading changes nothing, whichever thread does it. Each reader says how long it may take.
package struct RecordCollection: Sendable {
  /// The properties that stay the same while records come and go.
  private final class Form: Sendable {
    let name: String
    let idName: String
    /// The white space before the closing bracket while there are records.
    let tail: UTF8Slice
    /// The white space between the brackets while there is no record.
    let emptyTail: UTF8Slice
    /// How the collection's first record is written.
    let defaultLayout: JSONLayout

    init(name: String, idName: String, tail: UTF8Slice, emptyTail: UTF8Slice, defaultLayout: JSONLayout) {
      self.name = name
      self.idName = idName
      self.tail = tail
      self.emptyTail = emptyTail
      self.defaultLayout = defaultLayout
    }
  }

  private let form: Form
  private(set) var rows: PersistentRowVector
  private(set) var indexes: CollectionIndexes
  /// Slots that hold what cannot be read here, where servers share the records: no record may be added there.
  private var unreadable: Set<Int> = []

  /// The resource's name.
  package var name: String { form.name }
  /// The member that holds a record's id.
  package var idName: String { form.idName }

  init(
    name: String, idName: String, rows: PersistentRowVector, tail: UTF8Slice, defaultLayout: JSONLayout,
    lineage: Lineage
  ) {
    let isEmpty = rows.count == 0
    let filledTail =
      isEmpty ? UTF8Slice(defaultLayout.indent == nil ? "" : defaultLayout.newline + defaultLayout.outerMargin) : tail
    form = Form(
      name: name, idName: idName, tail: filledTail, emptyTail: isEmpty ? tail : UTF8Slice(""),
      defaultLayout: defaultLayout)
    self.rows = rows
    indexes = CollectionIndexes(lineage)
  }

  /// The number of records. O(1).
  package var count: Int { rows.count }

  // MARK: Indexes

  /// The table of the records' ids; `nil` when there is no time to make it. O(1) after a first call, which reads all ids.
  func ids(_ patience: Patience) -> IDHashTable? {
    indexes.ids.value(of: rows, patience, "reading ids") { IDHashTable(idName: idName, rows: $0) }
  }

  /// Returns the slot of the record with an id, given as text.
  func slot(of id: String, _ patience: Patience) -> Int? {
    ids(patience)?.slot(of: id, in: rows)
  }

  /// Returns the record with an id, given as text.
  func row(of id: String, _ patience: Patience) -> Row? {
    ids(patience)?.row(of: id, in: rows)
  }

  /// The records by the text of their value at a path. O(1) after a first call for a path, which reads all records.
  func equality(of path: FieldPath, _ patience: Patience) -> HashIndex? {
    indexes.equality[path].value(of: rows, patience, "indexing \(name) by \(path.name)") { HashIndex(path, rows: $0) }
  }

  /// Returns the slots of the records whose value at a path equals a text, ascending.
  func slots(where path: FieldPath, equals text: String, _ patience: Patience) -> [Int32] {
    equality(of: path, patience)?.slots(equalTo: text) ?? []
  }

  /// Returns the order of the records by sort keys; `nil` when numbers and texts mix under a key. O(n log n) at first
  /// use.
  func order(by keys: [SortKey], dialect: Dialect, _ patience: Patience) -> SortedIndex? {
    let work = "indexing \(name) by \(keys.map(\.path.name).joined(separator: ", "))"
    let order = indexes.order[keys].value(of: rows, patience, work) { rows in
      SortedIndex(keys, Sorting(keys, dialect: dialect, patience: patience), dialect: dialect, rows: rows)
    }
    return order?.isMixed == false ? order : nil
  }

  /// The slots that hold a record. O(1) until a record is removed, then O(n) at first use.
  func liveSlots(_ patience: Patience) -> SlotSet {
    if rows.count == rows.slotCount { return .firstSlots(rows.count) }
    return .list(indexes.occupied.value(of: rows, patience) { OccupiedSlots($0) }?.slots ?? [])
  }

  /// Which members records have. O(1) after a first call, which reads all records.
  private func members(_ patience: Patience) -> MemberSummary? {
    indexes.members.value(of: rows, patience, "reading members") { MemberSummary(rows: $0) }
  }

  /// The members that some record has, in the order of their first appearance.
  func memberNames(_ patience: Patience) -> [String] { members(patience)?.names ?? [] }

  /// Whether some record has a member of its own.
  func hasMember(named name: String, _ patience: Patience) -> Bool { members(patience)?.contains(name) ?? false }

  /// The kinds of the values of a member.
  func kinds(of name: [UInt8], _ patience: Patience) -> ValueKinds {
    members(patience)?.kinds(of: name) ?? ValueKinds()
  }

  /// Which ids are UUIDs.
  func uuids(_ patience: Patience) -> UUIDCount? {
    indexes.uuids.value(of: rows, patience, "reading ids") { UUIDCount(idName: idName, rows: $0) }
  }

  /// Whether any record has a value, even null, at a path. O(1) after a first call for a path, which reads records until
  /// one has.
  func hasMember(_ path: FieldPath, _ patience: Patience) -> Bool {
    indexes.paths[path].value(of: rows, patience) { PathUse(path, in: $0) }?.isUsed ?? false
  }

  /// The next numeric id: one more than the largest; `nil` where no number is.
  func nextNumericID(_ patience: Patience) -> NumericID? {
    guard let ids = ids(patience) else { return nil }
    let rows = rows
    return nextNumber(indexes.numericIDs, of: idName, patience) { ids.slot(of: $0, in: rows) != nil }
  }

  /// The number after the largest that a member holds; `nil` where no number is. O(1) after a first call for a member.
  func nextNumber(of member: String, _ patience: Patience) -> NumericID? {
    guard let values = equality(of: FieldPath(member), patience) else { return nil }
    return nextNumber(indexes.numbers[member], of: member, patience) { !values.slots(equalTo: $0).isEmpty }
  }

  private func nextNumber(
    _ index: SharedIndex<NumericIDs>, of member: String, _ patience: Patience, isTaken: (String) -> Bool
  ) -> NumericID? {
    let largest = index.read(rows, patience, "reading \(member) of \(name)") {
      NumericIDs(idName: member, rows: $0)
    } _: { numbers in
      while let largest = numbers.largest, !isTaken(largest.text) { numbers.removeLargest() }
      return numbers.largest
    }
    guard let largest else { return nil }
    var next = largest.map(\.next) ?? .integer(1)
    // Where ids are mixed, a text may look like the number that comes next.
    while let number = next, isTaken(number.text) { next = number.next }
    return next
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

  /// The collection without a member in its records; `nil` when there is no time to make it.
  ///
  /// - Complexity: O(1) after a first call for a member, which copies all records.
  func hiding(_ member: String, _ patience: Patience) -> RecordCollection? {
    let hidden = indexes.hidden[member].value(of: rows, patience) { HiddenRows(member, in: $0, indexes.lineage) }
    guard let hidden else { return nil }
    var collection = self
    collection.rows = hidden.rows
    collection.indexes = hidden.indexes
    return collection
  }

  // MARK: Changing

  /// The same collection with indexes of its own.
  func separated(for lineage: Lineage) -> RecordCollection {
    var collection = self
    collection.indexes = CollectionIndexes(lineage, copying: indexes)
    return collection
  }

  /// Starts a lineage: later versions share their indexes among themselves alone.
  mutating func join(_ lineage: Lineage) {
    if indexes.lineage !== lineage { indexes = CollectionIndexes(lineage, copying: indexes) }
  }

  /// Puts a row into a slot, or empties the slot.
  mutating func set(_ row: Row?, at slot: Int) {
    rows[slot] = row
    indexes.recordChange(rows)
  }

  /// Records whether a slot holds what cannot be read here.
  mutating func setUnreadable(_ isUnreadable: Bool, at slot: Int) {
    if isUnreadable { unreadable.insert(slot) } else { unreadable.remove(slot) }
  }

  /// Adds a row at the end, behind what cannot be read there, and returns its slot.
  @discardableResult
  mutating func append(_ row: Row) -> Int {
    var slot = rows.slotCount
    while unreadable.contains(slot) { slot += 1 }
    set(row, at: slot)
    return slot
  }

  /// Takes other rows, of which nothing is known yet.
  mutating func replaceRows(_ rows: PersistentRowVector) {
    self.rows = rows
    indexes = CollectionIndexes(indexes.lineage)
  }

  /// How much of what is removed may be left behind, however few records there are.
  static let toleratedCount = 1_024

  /// Whether so many slots are empty that the records should be numbered again.
  ///
  /// - Parameter kept: How many empty slots could not be given up.
  func isSparse(keeping kept: Int = 0, tolerating tolerated: Int) -> Bool {
    rows.slotCount - rows.count - kept > max(tolerated, rows.slotCount / 2)
  }

  /// Numbers the records again, in their order. Indexes are built again when they are needed.
  ///
  /// - Parameter kept: Slots that have to be found again, be they empty.
  /// - Returns: Their new numbers.
  mutating func compact(keeping kept: Set<Int>) -> [Int: Int] {
    let compacted = rows.compacted(keeping: kept)
    replaceRows(compacted.rows)
    return compacted.slots
  }

  // MARK: Text

  /// The layout in which a new record is written: that of the last record.
  var recordLayout: JSONLayout {
    guard let last = rows.last else { return form.defaultLayout }
    return last.withRecord { record in
      last.lead.withBytes { JSONLayout.inferred(from: record, lead: $0) ?? form.defaultLayout }
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
    let layout = form.defaultLayout
    guard let last = rows.last else { return layout.indent == nil ? [] : Array((layout.newline + layout.margin).utf8) }
    let lead = last.lead.withBytes { Array($0) }
    // On one line the first record follows the bracket directly, the others a comma and perhaps a space.
    guard rows.count == 1, !lead.contains(UInt8(ascii: "\n")) else { return lead }
    return Array(recordLayout.afterComma.utf8)
  }

  /// The collection as it is in the file.
  var text: CollectionText {
    CollectionText(rows: rows, tail: form.tail, emptyTail: form.emptyTail)
  }
}
