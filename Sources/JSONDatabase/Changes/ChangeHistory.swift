package import JSONServerValues

/// The records of collections that have changed, each with the number of its last change, for clients that ask for what has
/// changed since a number.
///
/// A collection is followed from its first reader on. Changed records are remembered as long as they exist, and deleted
/// ones up to ``capacity``.
package struct ChangeHistory: Sendable {
  /// The last change of a record.
  package struct Change: Sendable {
    package let number: Int
    /// The id, as text and as it was written.
    package let id: String
    package let value: JSONValue
    /// The owners that the record had before its changes.
    package fileprivate(set) var owners: Set<String> = []
    fileprivate var isDeletion = false
  }

  fileprivate struct Log {
    /// The number from which on the history is complete.
    var start: Int
    /// The number of the last change.
    var last: Int
    /// The member with the id of a record's owner.
    let owner: FieldPath?
    var changes: [ByteExactKey: Change] = [:]
    /// The changes in their order; some are followed by others of the same record.
    var order: [(number: Int, id: ByteExactKey)] = []
    /// The number of entries at the start of ``order`` that are forgotten.
    var forgotten = 0
    var deletionCount = 0
  }

  /// The largest number of deleted records of a collection that are remembered.
  package static let capacity = 10_000

  private var logs: [String: Log] = [:]
  /// The number of the last change.
  package private(set) var number = 0

  package init() {}

  /// Whether a collection is followed.
  package var isActive: Bool { !logs.isEmpty }

  /// Follows a collection from now on, unless it is followed already.
  ///
  /// - Parameter owner: The member with the id of a record's owner; `nil` where records have none.
  package mutating func follow(_ name: String, owner: FieldPath?) {
    if logs[name] == nil { logs[name] = Log(start: number, last: number, owner: owner) }
  }

  /// Whether a collection has changed since a number, or may have.
  package func mayHaveChanged(_ name: String, since number: Int) -> Bool {
    logs[name].map { $0.start > number || $0.last > number } ?? true
  }

  /// The last changes of the records of a collection after a number, in order; `nil` when the history does not reach so far
  /// back.
  ///
  /// - Complexity: O(number of changes).
  package func changes(of name: String, since number: Int) -> [Change]? {
    guard let log = logs[name], log.start...self.number ~= number else { return nil }
    let first = log.order[log.forgotten...].partitioningIndex { $0.number > number }
    return log.order[first...].compactMap { entry in
      log.changes[entry.id].flatMap { $0.number == entry.number ? $0 : nil }
    }
  }

  /// Records the changes between two versions.
  package mutating func record(_ changes: [RecordChange]) {
    for change in changes where logs[change.resource] != nil {
      guard change.before?.id(named: change.idName) != nil || change.before == nil,
        change.after?.id(named: change.idName) != nil || change.after == nil
      else {
        forget(change.resource)
        continue
      }
      if let after = change.after { touch(change.resource, change.idName, after) }
      if let before = change.before {
        let isMoved = change.after.map { $0.id(named: change.idName) != before.id(named: change.idName) } ?? true
        touch(change.resource, change.idName, before, wasThere: true, isDeletion: isMoved)
      }
    }
  }

  /// Records the differences of an edit, whose rows may have other places. O(number of records of followed collections).
  package mutating func recordEdit(from base: Database, to edited: Database) {
    for name in logs.keys {
      guard let old = try? base.collection(name), let new = try? edited.collection(name) else {
        logs[name] = nil
        continue
      }
      guard !new.rows.isIdentical(to: old.rows) else { continue }
      guard old.idName == new.idName, let before = Self.rows(of: old), let after = Self.rows(of: new) else {
        forget(name)
        continue
      }
      old.rows.forEach { _, row in
        guard let id = row.id(named: old.idName), after[id]?.record.slice != row.record.slice else { return }
        touch(name, old.idName, row, wasThere: true, isDeletion: after[id] == nil)
      }
      new.rows.forEach { _, row in
        if let id = row.id(named: new.idName), before[id] == nil { touch(name, new.idName, row) }
      }
    }
  }

  /// The rows by id; `nil` when a row has no id, or two have the same.
  private static func rows(of collection: RecordCollection) -> [ByteExactKey: Row]? {
    var rows: [ByteExactKey: Row] = [:]
    collection.rows.forEach { _, row in
      if let id = row.id(named: collection.idName) { rows[id] = row }
    }
    return rows.count == collection.count ? rows : nil
  }

  /// Gives up what is known of a collection's past.
  private mutating func forget(_ name: String) {
    number += 1
    logs[name] = logs[name].map { Log(start: number, last: number, owner: $0.owner) }
  }

  private mutating func touch(
    _ name: String, _ idName: String, _ row: Row, wasThere: Bool = false, isDeletion: Bool = false
  ) {
    guard let id = row.id(named: idName), let value = row.record.member(Array(idName.utf8)) else { return }
    number += 1
    logs[name]?.touch(id, JSONValue(value), number, wasThere ? row : nil, isDeletion: isDeletion)
  }
}

extension ChangeHistory.Log {
  fileprivate mutating func touch(
    _ id: ByteExactKey, _ value: JSONValue, _ number: Int, _ before: Row?, isDeletion: Bool
  ) {
    let earlier = changes[id]
    var change = ChangeHistory.Change(number: number, id: id.string, value: value)
    change.owners = earlier?.owners ?? []
    if let owner, let before, let former = before.record.withToken({ owner.value(in: $0)?.recordID }) {
      change.owners.insert(former)
    }
    change.isDeletion = isDeletion
    deletionCount += (isDeletion ? 1 : 0) - (earlier?.isDeletion == true ? 1 : 0)
    changes[id] = change
    order.append((number, id))
    last = number
    if deletionCount > ChangeHistory.capacity { forgetUpToDeletion() }
    if forgotten > order.count / 2 || order.count - forgotten > 2 * changes.count + 1_000 { tidy() }
  }

  /// Forgets the changes up to the oldest deletion.
  private mutating func forgetUpToDeletion() {
    var hasForgotten = false
    while !hasForgotten, forgotten < order.count {
      let entry = order[forgotten]
      forgotten += 1
      guard let change = changes[entry.id], change.number == entry.number else { continue }
      changes[entry.id] = nil
      start = entry.number
      hasForgotten = change.isDeletion
    }
    deletionCount -= 1
  }

  private mutating func tidy() {
    order = order[forgotten...].filter { changes[$0.id]?.number == $0.number }
    forgotten = 0
  }
}
