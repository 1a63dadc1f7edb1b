import OrderedJSON

/// What one or more operations changed, in order, with what it takes to undo it.
package struct UndoLog: Sendable {
  enum Step: Sendable {
    /// A record was added in a new slot.
    case append(resource: Int, slot: Int, Row)
    /// A record was replaced or removed.
    case set(resource: Int, slot: Int, before: Row)
    /// A singular resource was replaced.
    case replace(resource: Int, before: ValidJSON)
    /// Everything was replaced; these are the places of the resources that differ, or are on one side alone.
    indirect case replaceAll(before: Database, resources: Set<Int>)
  }

  private(set) var steps: [Step] = []
  /// The places of the resources that were changed.
  package private(set) var resources: Set<Int> = []
  /// Whether everything was replaced on the way.
  private(set) var replacesAll = false

  /// No changes.
  package init() {}

  /// Whether nothing was changed.
  package var isEmpty: Bool { steps.isEmpty }

  /// Whether it holds so much that giving it up takes noticeably long. O(1).
  package var isLarge: Bool {
    replacesAll || steps.count > 1_000
  }

  /// Adds a later change. O(1), but for what replaces everything.
  mutating func append(_ step: Step) {
    switch step {
    case .append(let resource, _, _), .set(let resource, _, _), .replace(let resource, _): resources.insert(resource)
    case .replaceAll(_, let others):
      resources.formUnion(others)
      replacesAll = true
    }
    steps.append(step)
  }

  /// Adds later changes.
  package mutating func append(_ later: UndoLog) {
    guard !isEmpty else {
      self = later
      return
    }
    steps += later.steps
    resources.formUnion(later.resources)
    replacesAll = replacesAll || later.replacesAll
  }

  /// Changes each step; the resources that they are about stay.
  mutating func map(_ transform: (Step) -> Step) {
    steps = steps.map(transform)
  }
}

extension Database {
  /// Runs several operations as one: when one throws, what those before it changed is undone.
  package mutating func atomically<Result>(
    _ body: (inout Database) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let earlier = takeChanges()
    do throws(DatabaseError) {
      let result = try body(&self)
      let later = takeChanges()
      changes = earlier
      changes.append(later)
      return result
    } catch {
      undo(takeChanges())
      changes = earlier
      throw error
    }
  }

  /// Whether something was changed since changes were last taken.
  package var hasChanges: Bool { !changes.isEmpty }

  /// Returns and clears what was changed since the last call.
  package mutating func takeChanges() -> UndoLog {
    defer { changes = UndoLog() }
    return changes
  }

  /// The names of the resources that were changed since changes were last taken, in the file's order.
  package var changedResourceNames: [String] {
    changes.isEmpty ? [] : resourceNames(at: changes.resources)
  }

  /// Undoes changes, newest first; they must be the newest of the database.
  ///
  /// - Complexity: O(log n) for each change.
  package mutating func undo(_ changes: UndoLog) {
    for step in changes.steps.reversed() {
      switch step {
      case .append(let resource, let slot, _):
        change(resource) { $0.set(nil, at: slot) }
      case .set(let resource, let slot, let before):
        change(resource) { $0.set(before, at: slot) }
      case .replace(let resource, let before):
        entries[resource].resource = .singular(before)
      case .replaceAll(let before, _):
        let changes = self.changes
        self = before
        self.changes = changes
      }
    }
  }
}
