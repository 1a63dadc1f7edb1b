import OrderedJSON

extension Database {
  /// Replaces everything by what another database of the same schema holds.
  ///
  /// The change counts as one of all resources.
  package mutating func restore(from other: Database) {
    let earlier = takeChanges()
    let before = self
    self = other
    changes = earlier
    changes.steps.append(.replaceAll(before: before, resourceCount: max(before.entries.count, entries.count)))
  }

  /// Adds the resources of another database that are not there yet, after those that are.
  package mutating func add(_ other: Database) {
    let added = other.entries.filter { positions[TextKey($0.name)] == nil }
    guard !added.isEmpty else { return }
    guard let end = entries.last else { return restore(from: other) }
    // The white space before the closing brace stays there.
    var joined = entries
    joined[joined.count - 1] = end.with(trail: Text(""))
    joined += added.map { $0.with(trail: Text("")) }
    joined[joined.count - 1] = joined[joined.count - 1].with(trail: end.trail)
    restore(from: Database(schema: schema, prefix: prefix, entries: joined, suffix: suffix))
  }
}

extension ResourceEntry {
  fileprivate func with(trail: Text) -> ResourceEntry {
    ResourceEntry(name: name, lead: lead, resource: resource, trail: trail)
  }
}
