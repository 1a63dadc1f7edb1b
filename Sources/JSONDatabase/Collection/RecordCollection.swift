import JSONServerValues

/// A resource with many records: a top-level array of the file.
///
/// A value that is one version of the collection. Indexes are built at first use and shared with earlier and later
/// versions, so reading changes nothing, on any thread. Each reader has a time limit.
package struct RecordCollection: Sendable {
  /// The properties that stay the same when records change.
  private final class Form: Sendable {
    let name: String
    let idName: String
    /// The white space before the closing bracket if there are records.
    let tail: UTF8Slice
    /// The white space between the brackets if there are no records.
    let emptyTail: UTF8Slice
    /// The layout of the collection's first record.
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
  /// Slots with rows that this program cannot read, where servers share the records: no record may be added there.
  private var unreadable: Set<Int> = []

  /// The resource's name.
  package var name: String { form.name }
  /// The member that holds a record's id.
  package var idName: String { form.idName }
  /// The white space before the closing bracket if there are records, and if there are none.
  var tail: UTF8Slice { form.tail }
  var emptyTail: UTF8Slice { form.emptyTail }

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

  /// The table of the records' ids; `nil` without time to make it. O(1) after a first call, which reads all ids.
  func ids(_ patience: Patience) -> IDHashTable? {
    indexes.ids.value(of: rows, patience, "reading ids") { IDHashTable(idName: idName, rows: $0) }
  }

  /// Returns the slot of the record with an id, given as text.
  func slot(of id: String, _ patience: Patience) -> Int? {
    ids(patience)?.slot(of: id, in: rows)
  }

  /// Returns the id as its record spells it, if the id is a UUID in other letters.
  func storedID(_ id: String, _ patience: Patience) -> String {
    guard id.utf8.count == 36, let ids = ids(patience), ids.slot(of: id, in: rows) == nil else { return id }
    return ids.slot(ofUUID: id, in: rows).flatMap { rows[$0]?.id(named: idName) }?.string ?? id
  }

  /// Returns the record with an id, given as text.
  func row(of id: String, _ patience: Patience) -> Row? {
    ids(patience)?.row(of: id, in: rows)
  }

  /// The records by the text of their value at a path. O(1) after a first call for a path, which reads all records.
  func equality(of path: FieldPath, _ patience: Patience) -> HashIndex? {
    equality(of: path, indexes.equality[path], patience)
  }

  func equality(of path: FieldPath, _ index: SharedIndex<HashIndex>, _ patience: Patience) -> HashIndex? {
    index.value(of: rows, patience, "indexing \(name) by \(path.name)") { HashIndex(path, rows: $0) }
  }

  /// Returns the slots of the records with a text as their value at a path, in ascending order.
  func slots(where path: FieldPath, equals text: String, _ patience: Patience) -> [Int32] {
    equality(of: path, patience)?.slots(equalTo: text) ?? []
  }

  /// Returns the order of the records by sort keys; `nil` when a key has numbers and texts, and when as many other orders
  /// are in use as may be. O(n log n) at first use.
  func order(by keys: [SortKey], dialect: Dialect, _ patience: Patience) -> SortedIndex? {
    let work = "indexing \(name) by \(keys.map(\.path.name).joined(separator: ", "))"
    let order = indexes.order.admitted(keys)?.value(of: rows, patience, work) { rows in
      SortedIndex(Sorting(keys, dialect: dialect, patience: patience), rows: rows)
    }
    return order?.isMixed == false ? order : nil
  }

  /// The slots with a record. O(1) until a record is deleted, then O(n) at first use.
  func liveSlots(_ patience: Patience) -> SlotSet {
    if rows.count == rows.slotCount { return .firstSlots(rows.count) }
    return .list(indexes.occupied.value(of: rows, patience) { OccupiedSlots($0) }?.slots ?? [])
  }

  /// The members of the records. O(1) after a first call, which reads all records.
  func members(_ patience: Patience) -> MemberSummary? {
    indexes.members.value(of: rows, patience, "reading members") { MemberSummary(rows: $0) }
  }

  /// The members of the records as the example of a check; `nil` without time to read them.
  func example(_ patience: Patience) -> MemberExample? {
    members(patience).map { MemberExample(members: $0, count: count) }
  }

  /// Whether some record has a member of its own.
  func hasMember(named name: String, _ patience: Patience) -> Bool { kinds(of: Array(name.utf8), patience).count > 0 }

  /// The kinds of the values of a member.
  func kinds(of name: [UInt8], _ patience: Patience) -> ValueKinds {
    members(patience)?.kinds(of: name) ?? ValueKinds()
  }

  /// Whether a member that is named after the collection itself refers to records of the collection.
  func refersToItself(by key: FieldPath, _ patience: Patience) -> Bool {
    indexes.ownKeys[key].value(of: rows, patience, "reading \(key.name) of \(name)") {
      OwnKey(key, idName: idName, rows: $0)
    }?.isReference ?? false
  }

  /// The forms of the ids.
  func idForms(_ patience: Patience) -> IDForms? {
    indexes.idForms.value(of: rows, patience, "reading ids") { IDForms(idName, areIDs: true, rows: $0) }
  }

  /// Whether any record has a value, even null, at a path. O(1) after a first call for a path, which reads records
  /// until it finds one.
  func hasMember(_ path: FieldPath, _ patience: Patience) -> Bool {
    indexes.paths[path].value(of: rows, patience) { PathUse(path, in: $0) }?.isUsed ?? false
  }

  /// The next id where ids are numbers, or all are strings of digits: the largest plus one.
  func nextNumericID(_ patience: Patience) -> (number: NumericID, isText: Bool)? {
    guard let ids = ids(patience), let forms = idForms(patience), var next = forms.next else { return nil }
    // A text may look like the next number.
    while ids.slot(of: next.text, in: rows) != nil {
      guard let other = next.next else { return nil }
      next = other
    }
    return (next, forms.areDigits)
  }

  /// The number after the largest number in a member; `nil` without numbers. O(1) after a first call for a member.
  func nextNumber(of member: String, _ patience: Patience) -> NumericID? {
    indexes.numbers[member].value(of: rows, patience, "reading \(member) of \(name)") {
      IDForms(member, areIDs: false, rows: $0)
    }?.next
  }

  /// The collection without a member in its records; `nil` without time to make it.
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

  /// Starts a lineage: its versions share their indexes only with each other.
  mutating func join(_ lineage: Lineage) {
    if indexes.lineage !== lineage { indexes = CollectionIndexes(lineage, copying: indexes) }
  }

  /// Puts a row into a slot, or empties the slot.
  mutating func set(_ row: Row?, at slot: Int) {
    rows[slot] = row
    indexes.recordChange(rows)
  }

  /// Records whether this program cannot read the row in a slot.
  mutating func setUnreadable(_ isUnreadable: Bool, at slot: Int) {
    if isUnreadable { unreadable.insert(slot) } else { unreadable.remove(slot) }
  }

  /// Adds a row at the end, after unreadable rows, and returns its slot.
  @discardableResult
  mutating func append(_ row: Row) -> Int {
    var slot = rows.slotCount
    while unreadable.contains(slot) { slot += 1 }
    set(row, at: slot)
    return slot
  }

  /// Replaces all rows, without indexes.
  mutating func replaceRows(_ rows: PersistentRowVector) {
    self.rows = rows
    indexes = CollectionIndexes(indexes.lineage)
  }

  /// The number of empty slots that is accepted even for few records.
  static let toleratedCount = 1_024

  /// Whether there are so many empty slots that the records should be renumbered.
  func isSparse(tolerating tolerated: Int) -> Bool {
    rows.slotCount - rows.count > max(tolerated, rows.slotCount / 2)
  }

  // MARK: Text

  /// The layout of a new record: that of the last record.
  var recordLayout: JSONLayout { rows.last?.layout ?? form.defaultLayout }

  /// The layout of a changed record.
  func layout(of row: Row) -> JSONLayout { row.layout ?? recordLayout }

  /// The white space before a new record.
  var recordLead: [UInt8] {
    let layout = form.defaultLayout
    guard let last = rows.last else { return layout.indent == nil ? [] : Array((layout.newline + layout.margin).utf8) }
    let lead = last.lead.withBytes { Array($0) }
    // On one line, the first record follows the bracket directly, the others a comma and perhaps a space.
    guard rows.count == 1, !lead.contains(UInt8(ascii: "\n")) else { return lead }
    return Array(recordLayout.afterComma.utf8)
  }
}
