/// A piece of a rule's pattern.
indirect enum RewriteNode: Sendable, Hashable {
  /// One byte of a set.
  case byte(ByteSet)
  /// One piece after the other.
  case sequence([RewriteNode])
  /// The first of several pieces that lets the rest match.
  case choice([RewriteNode])
  /// A piece several times: as often as possible, or as seldom when lazy.
  case repetition(RewriteNode, minimum: Int, maximum: Int?, isLazy: Bool)
  /// A piece whose text a target can use, by the number of its group from 1.
  case capture(Int, RewriteNode)

  /// The bytes of a text, letters in either case.
  static func literal(_ text: some Sequence<UInt8>) -> RewriteNode {
    .sequence(text.map { .byte(ByteSet(CollectionOfOne($0))) })
  }

  /// A piece that may be missing.
  static func optional(_ node: RewriteNode) -> RewriteNode {
    .repetition(node, minimum: 0, maximum: 1, isLazy: false)
  }

  /// Any bytes, as many as possible.
  static let anything = RewriteNode.repetition(.byte(.all), minimum: 0, maximum: nil, isLazy: false)
}
