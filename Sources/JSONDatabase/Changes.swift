import OrderedJSON

/// What one or more operations changed, in order, with what it takes to undo it.
package struct Changes: Sendable {
  enum Step: Sendable {
    /// A record was added in a new slot.
    case append(resource: Int, slot: Int)
    /// A record was replaced or removed.
    case set(resource: Int, slot: Int, before: Row)
    /// A singular resource was replaced.
    case replace(resource: Int, before: Text)

    var resource: Int {
      switch self {
      case .append(let resource, _), .set(let resource, _, _), .replace(let resource, _): resource
      }
    }
  }

  var steps: [Step] = []

  /// No changes.
  package init() {}

  /// Whether nothing was changed.
  package var isEmpty: Bool { steps.isEmpty }

  /// The places of the resources that were changed.
  package var resources: Set<Int> { Set(steps.map(\.resource)) }

  /// Adds later changes.
  package mutating func append(_ later: Changes) {
    steps += later.steps
  }
}
