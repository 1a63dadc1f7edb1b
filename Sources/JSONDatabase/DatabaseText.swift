import OrderedJSON

/// One version of a database as the text of its file.
///
/// Holds the rows, not the indexes, so that a commit that keeps a version makes no later write copy an index.
package struct DatabaseText: Sendable {
  private struct Piece: Sendable {
    let lead: Text
    let rows: RowsOrText
    let trail: Text
  }

  private enum RowsOrText: Sendable {
    case collection(CollectionText)
    case text(Text)
  }

  private let prefix: Text
  private let pieces: [Piece]
  private let suffix: Text

  init(prefix: Text, entries: [ResourceEntry], suffix: Text) {
    self.prefix = prefix
    self.suffix = suffix
    pieces = entries.map { entry in
      switch entry.resource {
      case .collection(let collection):
        Piece(lead: entry.lead, rows: .collection(collection.text), trail: entry.trail)
      case .singular(let text), .unserved(let text):
        Piece(lead: entry.lead, rows: .text(text), trail: entry.trail)
      }
    }
  }

  /// Calls a closure with the text piece by piece, in order. O(number of records).
  package func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try prefix.withBytesRethrowing(body)
    for (index, piece) in pieces.enumerated() {
      if index > 0 { try CollectionText.comma.withBytesRethrowing(body) }
      try piece.lead.withBytesRethrowing(body)
      switch piece.rows {
      case .collection(let collection): try collection.forEachSlice(body)
      case .text(let text): try text.withBytesRethrowing(body)
      }
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
