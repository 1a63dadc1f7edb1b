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
    /// Everything was replaced; there are this many resources, or there were before.
    indirect case replaceAll(before: Database, resourceCount: Int)

    var resources: Range<Int> {
      switch self {
      case .append(let resource, _, _), .set(let resource, _, _), .replace(let resource, _): resource..<(resource + 1)
      case .replaceAll(_, let count): 0..<count
      }
    }
  }

  var steps: [Step] = []

  /// No changes.
  package init() {}

  /// Whether nothing was changed.
  package var isEmpty: Bool { steps.isEmpty }

  /// The places of the resources that were changed.
  package var resources: Set<Int> { Set(steps.flatMap(\.resources)) }

  /// Adds later changes.
  package mutating func append(_ later: UndoLog) {
    steps += later.steps
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
