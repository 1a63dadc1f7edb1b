import JSONServerValues

/// The way from a record to an expanded parent, for filters and sorting by the parent's members.
struct ParentJoin: Sendable {
  /// One step: the foreign key, and the collection of the parent.
  struct Step: Sendable {
    let key: FieldPath
    let parents: RecordCollection
    let ids: IDHashTable
  }

  /// The names of the expanded parents, from the outside in: `post`, `author`.
  let names: [String]
  let steps: [Step]

  /// The rest of a path below the parent; `nil` for a path that does not go there.
  func path(below path: FieldPath) -> FieldPath? {
    names.reduce(path) { $0?.below($1) }
  }

  /// Whether a record has a member with the parent's name, which is not replaced.
  func isHidden(by record: ValueToken) -> Bool {
    steps[0].key.name != names[0] && record.member(Array(names[0].utf8)) != nil
  }

  /// Calls a closure with a record's parent, with the first of several, or with an empty object.
  func withParent<Result>(of record: ValueToken, _ body: (ValueToken) -> Result) -> Result {
    var result: Result?
    _ = contains(in: record, steps[...]) { parent in
      result = body(parent)
      return true
    }
    return result ?? ValidJSON.emptyObject.withToken(body)
  }

  /// Whether one of a record's parents satisfies a predicate; without a parent, whether an empty object does.
  func contains(in record: ValueToken, where isWanted: (ValueToken) -> Bool) -> Bool {
    var hasParent = false
    let isFound = contains(in: record, steps[...]) { parent in
      hasParent = true
      return isWanted(parent)
    }
    return isFound || !hasParent && ValidJSON.emptyObject.withToken(isWanted)
  }

  private func contains(
    in record: ValueToken, _ steps: ArraySlice<Step>, where isWanted: (ValueToken) -> Bool
  ) -> Bool {
    guard let step = steps.first else { return isWanted(record) }
    guard let value = step.key.value(in: record) else { return false }
    func follow(_ id: ValueToken) -> Bool {
      let slot = id.isNull ? nil : id.withText { step.ids.slot(of: $0, in: step.parents.rows) }
      guard let row = slot.flatMap({ step.parents.rows[$0] }) else { return false }
      return row.withRecord { contains(in: $0, steps.dropFirst(), where: isWanted) }
    }
    return ArrayReader(value)?.contains(where: follow) ?? follow(value)
  }
}

extension [ParentJoin] {
  /// The parent in a path, and the rest of the path; of several parents, the farthest one.
  func join(for path: FieldPath) -> (parent: ParentJoin, path: FieldPath)? {
    var found: (parent: ParentJoin, path: FieldPath)?
    for join in self where join.names.count > found?.parent.names.count ?? 0 {
      if let rest = join.path(below: path) { found = (join, rest) }
    }
    return found
  }

  /// Whether any parent has a value at a path that starts at the record. O(n) at most.
  func hasMember(_ path: FieldPath, _ patience: Patience) -> Bool {
    contains { join in
      guard let rest = join.path(below: path), let parents = join.steps.last?.parents else { return false }
      return parents.hasMember(rest, patience)
    }
  }
}
