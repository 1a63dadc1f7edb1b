import OrderedJSON

// What a change costs is known before it begins, so that one which would keep others waiting happens on another thread.

extension Database {
  /// The most records that are changed at once: in about a millisecond.
  package static let quickChanges = 100
  /// The most bytes of a record that is written at once.
  private static let quickBytes = 128 * 1024

  /// Whether the records that a query selects are few and found without reading many.
  package mutating func selectsFew(_ query: Query, in name: String) -> Bool {
    guard let position = collectionPosition(name) else { return true }
    return isQuick(query, in: name) && quickCount(of: query, at: position).map { $0 <= Self.quickChanges } ?? false
  }

  /// Whether a record is found without reading many, and is short.
  package mutating func isShort(_ id: String, in name: String) -> Bool {
    guard let position = collectionPosition(name) else { return true }
    guard entries[position].collection?.hasIDs == true || !isLarge(at: position) else { return false }
    return (try? record(id, in: name)).map { $0.count <= Self.quickBytes } ?? true
  }

  /// Whether a singular resource is short.
  package func isShort(singular name: String) -> Bool {
    (try? singular(name)).map { $0.count <= Self.quickBytes } ?? true
  }

  /// Whether what refers to a record is little, and found without reading much. O(number of collections).
  package mutating func hasFewDependents(_ id: String, in name: String) -> Bool {
    guard isShort(id, in: name) else { return false }
    for position in collectionPositions {
      // By which members records refer to others is found out by all members that they have.
      let isLarge = isLarge(at: position)
      if isLarge, entries[position].collection?.hasMembers == false { return false }
      guard let key = existingForeignKey(in: position, to: name) else { continue }
      if isLarge, entries[position].collection?.hasSlots(where: key) == false { return false }
      var count = 0
      change(position) { count = $0.slots(where: key, equals: id).count }
      if count > Self.quickChanges { return false }
    }
    return true
  }

  /// Whether the ids of a collection would have to be read first, which takes long.
  ///
  /// - Parameter isForNew: Whether what decides the id of a new record would, too.
  package func isUnread(_ name: String, forNew isForNew: Bool = false) -> Bool {
    guard let position = collectionPosition(name), isLarge(at: position) else { return false }
    return entries[position].collection.map { isForNew ? !$0.hasReadIDs(schema.dialect) : !$0.hasIDs } ?? false
  }

  /// Whether another version knows of some collection what this one would have to find out.
  package func lacksAny(of other: Database) -> Bool {
    entries.count <= Self.mostShared
      && entries.indices.contains { index in
        guard other.entries.indices.contains(index), let known = other.entries[index].collection else { return false }
        return entries[index].collection?.lacksAny(of: known) ?? false
      }
  }
}
