import OrderedJSON

/// One version of a database as the text of its file.
///
/// Holds the rows, not the indexes, so that a commit that keeps a version makes no later write copy an index.
package struct DatabaseText: Sendable {
  private struct Piece: Sendable {
    let lead: Text
    let value: ResourceText
    let trail: Text
  }

  private let prefix: Text
  private let pieces: [Piece]
  private let suffix: Text

  init(prefix: Text, entries: [ResourceEntry], suffix: Text) {
    self.prefix = prefix
    self.suffix = suffix
    pieces = entries.map { entry in
      Piece(lead: entry.lead, value: ResourceText(entry.resource), trail: entry.trail)
    }
  }

  /// Calls a closure with the text piece by piece, in order. O(number of records).
  package func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try prefix.withBytesRethrowing(body)
    for (index, piece) in pieces.enumerated() {
      if index > 0 { try CollectionText.comma.withBytesRethrowing(body) }
      try piece.lead.withBytesRethrowing(body)
      try piece.value.forEachSlice(body)
      try piece.trail.withBytesRethrowing(body)
    }
    try suffix.withBytesRethrowing(body)
  }

  /// All bytes in one array.
  package var bytes: [UInt8] {
    var output: [UInt8] = []
    forEachSlice { output += $0 }
    return output
  }
}
