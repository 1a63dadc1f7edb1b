// What another thread finds out about a version is taken over here, and nothing is found out on the way.

extension FieldIndexes {
  /// Whether the values at a path are indexed.
  func hasEquality(of path: FieldPath) -> Bool { equality.contains(path) }

  /// Whether the order by sort keys is known.
  func hasOrder(by keys: [SortKey]) -> Bool { order.contains(keys) }

  /// Whether the order of a member's values finds what passes a comparison of it by size, and an index what equals.
  ///
  /// - Returns: `nil` when they would have to be made first.
  func settles(_ condition: Condition) -> Bool? {
    let keys = [SortKey(condition.path)]
    if unordered.contains(keys) { return false }
    guard let order = order.known(keys) else { return nil }
    guard order.settles(condition) else { return false }
    return condition.comparison != .notEqual || hasEquality(of: condition.path) ? true : nil
  }

  /// Whether any row has a value at a path, if that is known.
  func knowledge(of path: FieldPath) -> Bool? { known[path] }

  /// Gives up the indexes of values, of which each is copied as a whole when it changes while a copy is read.
  mutating func forgetEquality(unless isNeeded: (FieldPath) -> Bool) {
    matches.removeAll { _ in true }
    equality.removeAll { !isNeeded($0) }
  }

  /// Whether another version knows what this one does not.
  func lacksAny(of other: FieldIndexes) -> Bool {
    other.equality.keys.contains { !equality.contains($0) } || other.order.keys.contains { !order.contains($0) }
      || other.known.keys.contains { known[$0] == nil } || !other.unordered.isSubset(of: unordered)
  }

  /// Gives up what another knows, too.
  mutating func remove(_ other: FieldIndexes) {
    equality.removeAll { other.equality.contains($0) }
    order.removeAll { other.order.contains($0) }
    known = known.filter { other.known[$0.key] == nil }
  }

  /// Adds what another knows of the same rows.
  mutating func add(_ other: FieldIndexes) {
    equality.add(other.equality)
    order.add(other.order)
    unordered.formUnion(other.unordered)
    if known.count + other.known.count > Self.maximumKnown {
      known = other.known
    } else {
      known.merge(other.known) { mine, _ in mine }
    }
  }
}
