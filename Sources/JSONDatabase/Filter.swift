import OrderedJSON

/// Which records a query selects.
struct Filter {
  indirect enum Node {
    case condition(Condition)
    case all([Node])
    case any([Node])
  }

  /// What a record must pass, all of it.
  var nodes: [Node] = []
  /// What some value of a record must hold.
  var search: SearchTerm?

  /// Whether every record passes.
  var isEmpty: Bool { nodes.isEmpty && search == nil }

  /// What to look for in the bytes of all records before any is read; `nil` when nothing is sure to stand there.
  var scan: RecordScan? {
    if let search { return search.scan }
    for case .condition(let condition) in nodes {
      if let scan = condition.scan { return scan }
    }
    return nil
  }

  /// Conditions of which all must hold, without those that merely join others.
  static func flattened(_ nodes: [Node]) -> [Node] {
    nodes.flatMap { node in
      switch node {
      case .all(let nodes): flattened(nodes)
      case .condition, .any: [node]
      }
    }
  }

  func matches(_ record: UnsafeBufferPointer<UInt8>) -> Bool {
    nodes.allSatisfy { Self.matches($0, record) } && (search?.matches(record) ?? true)
  }

  private static func matches(_ node: Node, _ record: UnsafeBufferPointer<UInt8>) -> Bool {
    switch node {
    case .condition(let condition): condition.matches(record)
    case .all(let nodes): nodes.allSatisfy { matches($0, record) }
    case .any(let nodes): nodes.contains { matches($0, record) }
    }
  }
}
