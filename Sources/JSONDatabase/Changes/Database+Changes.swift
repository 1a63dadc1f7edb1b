import JSONServerValues

/// A record that differs between two versions.
package struct RecordChange: Sendable {
  /// The name of the resource.
  package let resource: String
  let position: Int
  let slot: Int
  /// The record before; `nil` for an added record.
  let before: Row?
  /// The record after; `nil` for a deleted record.
  let after: Row?
  let idName: String

  /// The record's id; `nil` for what has none.
  package var id: String? { after?.id(named: idName)?.string ?? before?.id(named: idName)?.string }

  /// Whether there was a record before.
  package var wasThere: Bool { before != nil }

  /// The record that is there now; `nil` when it is gone, or has no id.
  package var record: WrittenRecord? {
    guard let after, let id else { return nil }
    return WrittenRecord(text: after.record, id: id)
  }
}

extension Database {
  /// The positions of the resources that differ from another version, or exist in only one of the two.
  ///
  /// Values are compared by identity in memory, so equal texts may count as different.
  ///
  /// - Complexity: O(resources / 4096 + number of changed resources).
  package func changedPositions(since base: Database) -> Set<Int> {
    let shared = min(entries.count, base.entries.count)
    return Set(
      entries.rangesNotShared(with: base.entries).joined().filter { position in
        position >= shared || !entries[position].isIdentical(to: base.entries[position])
      })
  }

  /// The positions of all resources.
  package var allPositions: Range<Int> { entries.indices }

  /// Whether nothing differs from another version. O(number of resources).
  package func isIdentical(to other: Database) -> Bool {
    changedPositions(since: other).isEmpty
  }

  /// The records of collections that differ from another version, by resource and slot; both versions have the same
  /// resources.
  ///
  /// - Complexity: About O(number of resources + rows / 4096 + number of changes).
  package func changes(since base: Database) -> [RecordChange] {
    changedPositions(since: base).sorted().flatMap { position -> [RecordChange] in
      guard entries.indices.contains(position), base.entries.indices.contains(position),
        let now = entries[position].collection, let before = base.entries[position].collection
      else { return [] }
      return (now.rows.differences(from: before.rows, atMost: .max) ?? []).map { slot in
        RecordChange(
          resource: now.name, position: position, slot: slot, before: before.rows[slot], after: now.rows[slot],
          idName: now.idName)
      }
    }
  }
}

extension ResourceEntry {
  /// Whether two entries share rows and text, and neither was changed since.
  fileprivate func isIdentical(to other: ResourceEntry) -> Bool {
    switch (collection, other.collection) {
    case (let collection?, let others?):
      return collection.rows.isIdentical(to: others.rows) && hasSameName(as: other)
    case (nil, nil): return isServed == other.isServed && text.isSame(as: other.text) && hasSameName(as: other)
    case (.some, nil), (nil, .some): return false
    }
  }

  private func hasSameName(as other: ResourceEntry) -> Bool {
    lead.storage === other.lead.storage || ByteExactKey(name) == ByteExactKey(other.name)
  }
}

extension ValidJSON {
  /// Whether two values are the same text in memory.
  func isSame(as other: ValidJSON) -> Bool {
    storage === other.storage && offset == other.offset && count == other.count
  }
}
