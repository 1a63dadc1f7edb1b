extension Database {
  /// Runs several operations as one: when one throws, what those before it changed is taken back.
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

  /// Takes what was changed since the last call.
  package mutating func takeChanges() -> Changes {
    defer { changes = Changes() }
    return changes
  }

  /// The names of the resources that were changed since changes were last taken, in the file's order.
  package var changedResourceNames: [String] {
    changes.isEmpty ? [] : resourceNames(at: changes.resources)
  }

  /// Takes changes back, newest first; they must be the newest of the database.
  ///
  /// - Complexity: O(log n) for each change.
  package mutating func undo(_ changes: Changes) {
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
