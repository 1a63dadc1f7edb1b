import OrderedJSON

/// What one or more operations changed, in order, with what it takes to undo it.
package struct Changes: Sendable {
  enum Step: Sendable {
    /// A record was added in a new slot.
    case append(resource: Int, slot: Int, Row)
    /// A record was replaced or removed.
    case set(resource: Int, slot: Int, before: Row)
    /// A singular resource was replaced.
    case replace(resource: Int, before: Text)
    /// Everything was replaced; there are this many resources, or there were.
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
  package mutating func append(_ later: Changes) {
    steps += later.steps
  }
}
