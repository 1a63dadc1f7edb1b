import JSONServerValues
import Synchronization

/// The identity of a series of versions that one owner makes, as opposed to those of another owner of the same data.
final class Lineage: Sendable {}

/// The indexes of a collection: of its ids, its members and its values.
///
/// The versions of one lineage share them. In another lineage, such as a session's, a collection has indexes of its own
/// after its first change.
final class CollectionIndexes: Sendable {
  let lineage: Lineage
  let ids: SharedIndex<IDHashTable>
  let idForms: SharedIndex<IDForms>
  /// The largest number of a member other than the id.
  let numbers: IndexTable<String, IDForms>
  let members: SharedIndex<MemberSummary>
  /// The members that are named after the collection itself.
  let ownKeys: IndexTable<FieldPath, OwnKey>
  let occupied: SharedIndex<OccupiedSlots>
  let equality: IndexTable<FieldPath, HashIndex>
  let order: IndexTable<[SortKey], SortedIndex>
  /// Whether some record has a value at a path.
  let paths: IndexTable<FieldPath, PathUse>
  /// The results of filters that take many records of an index.
  let matches: SharedIndex<FilterMatches.Cache>
  /// The collection for readers who may not see a member.
  let hidden: IndexTable<String, HiddenRows>
  /// The number of changes since outdated indexes were last dropped.
  private let changes = Atomic(0)

  /// - Parameter other: Indexes with initial data; `nil` for none.
  init(_ lineage: Lineage, copying other: CollectionIndexes? = nil) {
    self.lineage = lineage
    ids = SharedIndex(copying: other?.ids)
    idForms = SharedIndex(copying: other?.idForms)
    numbers = IndexTable(QueryPlan.maximumIndexes, copying: other?.numbers)
    members = SharedIndex(copying: other?.members)
    ownKeys = IndexTable(QueryPlan.maximumIndexes, copying: other?.ownKeys)
    occupied = SharedIndex(copying: other?.occupied)
    equality = IndexTable(QueryPlan.maximumIndexes, copying: other?.equality)
    order = IndexTable(QueryPlan.maximumIndexes, copying: other?.order)
    paths = IndexTable(QueryPlan.maximumPaths, copying: other?.paths)
    matches = SharedIndex()
    hidden = IndexTable(1, copying: other?.hidden)
  }

  private var all: [any RowFollower] {
    [ids, idForms, numbers, members, ownKeys, occupied, equality, order, paths, matches, hidden]
  }

  /// Drops all indexes except that of the ids; each is built again when it is needed.
  func forgetIndexes() {
    let forgotten: [any RowFollower] = [equality, order, paths, numbers, hidden, matches, occupied]
    for follower in forgotten { follower.forget() }
  }

  /// Updates the indexes after a change of many rows.
  func catchUp(to rows: PersistentRowVector) {
    for follower in all { follower.catchUp(to: rows) }
  }

  /// Records a change, and drops unused indexes from time to time, which would keep old rows in memory.
  func recordChange(_ rows: PersistentRowVector) {
    guard changes.add(1, ordering: .relaxed).newValue > QueryPlan.followed(of: rows) else { return }
    changes.store(0, ordering: .relaxed)
    for follower in all { follower.trim(rows) }
  }
}

/// Whether some row has a value, even null, at a path.
struct PathUse: RowIndex {
  let path: FieldPath
  let isUsed: Bool

  /// - Complexity: O(n) at most.
  init(_ path: FieldPath, in rows: PersistentRowVector) {
    self.path = path
    isUsed = SelectedRecords(rows).contains { record in record.withToken { path.leads(in: $0) { _ in true } } }
  }

  mutating func follow(_ changes: RowChanges) -> Bool {
    // A deleted row may have been the last with the path, an added row the first.
    changes.slots.allSatisfy { slot in
      guard let row = isUsed ? changes.before[slot] : changes.after[slot] else { return true }
      return !path.leads(in: row)
    }
  }
}

extension FieldPath {
  /// Whether the path leads to a value, even null, in a row.
  fileprivate func leads(in row: Row) -> Bool {
    row.withRecord { leads(in: $0) { _ in true } }
  }
}

/// The slots that hold a row, ascending, where some are empty.
struct OccupiedSlots: RowIndex {
  private(set) var slots: [Int32]

  init(_ rows: PersistentRowVector) {
    slots = []
    slots.reserveCapacity(rows.count)
    rows.forEach { slot, _ in slots.append(Int32(slot)) }
  }

  mutating func follow(_ changes: RowChanges) -> Bool {
    changes.forEach { slot, old, new in
      guard (old == nil) != (new == nil) else { return }
      let index = slots.partitioningIndex { $0 >= slot }
      if new == nil { slots.remove(at: index) } else { slots.insert(Int32(slot), at: index) }
    }
    return true
  }
}

/// The rows without a member that readers do not see, such as a password: no filter, order, search or relation finds it.
struct HiddenRows: RowIndex {
  private let name: String
  private(set) var rows: PersistentRowVector
  let indexes: CollectionIndexes

  init(_ name: String, in rows: PersistentRowVector, _ lineage: Lineage) {
    self.name = name
    var hidden = rows
    rows.forEach { slot, row in hidden[slot] = row.removing(name) }
    self.rows = hidden
    indexes = CollectionIndexes(lineage)
  }

  mutating func follow(_ changes: RowChanges) -> Bool {
    changes.forEach { slot, _, new in rows[slot] = new?.removing(name) }
    return true
  }
}

extension Row {
  /// The row without the member of a name; its layout is lost.
  fileprivate func removing(_ name: String) -> Row {
    Row(record.removing(name))
  }
}
