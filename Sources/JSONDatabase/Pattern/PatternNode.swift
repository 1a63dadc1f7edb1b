/// The syntax tree of a pattern.
indirect enum PatternNode: Sendable {
  /// One character, whatever its case.
  case scalar(Unicode.Scalar)
  /// One character of a set.
  case set(ScalarSet)
  /// A condition on the position, which consumes no character.
  case assertion(PatternAssertion)
  /// One node after the other; empty matches the empty text.
  case sequence([PatternNode])
  /// Any one of the nodes.
  case alternation([PatternNode])
  /// A node repeated between two counts; without a maximum, any number of times.
  case repetition(PatternNode, minimum: Int, maximum: Int?)
}

/// A condition on the position between two characters.
enum PatternAssertion: Sendable {
  case start
  case end
  case wordBoundary
  case noWordBoundary
}

extension PatternNode {
  /// The number of instructions that the node compiles to, or some number above `limit` if it is more than that.
  ///
  /// An empty node counts as one, so that the size also bounds the work of unfolding repetitions.
  func size(limit: Int) -> Int {
    let size =
      switch self {
      case .scalar, .set, .assertion: 1
      case .sequence(let nodes): nodes.reduce(0) { $0 + $1.size(limit: limit) }
      case .alternation(let nodes): nodes.reduce(-1) { $0 + $1.size(limit: limit) + 1 }
      case .repetition(let node, let minimum, let maximum):
        node.size(limit: limit, repeated: minimum, maximum)
      }
    return max(1, min(size, limit + 1))
  }

  /// The number of instructions of a repetition of the node, whose own are counted once: twice would take twice as long
  /// for each level of repetitions.
  private func size(limit: Int, repeated minimum: Int, _ maximum: Int?) -> Int {
    let size = size(limit: limit)
    guard let maximum else { return max(minimum, 1) * size + 1 }
    return minimum * size + (maximum - minimum) * (size + 1)
  }

  /// The characters with which every match begins, and whether they are the whole pattern.
  var literalPrefix: (scalars: [Unicode.Scalar], isWhole: Bool) {
    switch self {
    case .scalar(let scalar): return ([scalar], true)
    case .sequence(let nodes):
      var scalars: [Unicode.Scalar] = []
      for node in nodes {
        let (next, isWhole) = node.literalPrefix
        scalars += next
        if !isWhole { return (scalars, false) }
      }
      return (scalars, true)
    case .set, .assertion, .alternation, .repetition: return ([], false)
    }
  }

  /// The texts that occur in every match, each as one piece.
  var literals: [[Unicode.Scalar]] {
    var literals: [[Unicode.Scalar]] = [[]]
    addLiterals(to: &literals)
    return literals
  }

  /// Adds the node's literals; the first of them continues the last existing one.
  private func addLiterals(to literals: inout [[Unicode.Scalar]]) {
    switch self {
    case .scalar(let scalar): literals[literals.count - 1].append(scalar)
    case .assertion: break
    case .sequence(let nodes):
      for node in nodes { node.addLiterals(to: &literals) }
    case .set, .alternation: literals.append([])
    case .repetition(let node, let minimum, _):
      literals.append([])
      guard minimum > 0 else { return }
      node.addLiterals(to: &literals)
      literals.append([])
    }
  }
}
