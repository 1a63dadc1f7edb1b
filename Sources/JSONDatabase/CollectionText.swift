import OrderedJSON

/// One version of a collection as its text in the file.
struct CollectionText: Sendable {
  let rows: RowVector
  /// The white space before the closing bracket while there are records.
  let tail: Text
  /// The white space between the brackets while there is no record.
  let emptyTail: Text

  static let comma = Text(",")
  private static let openingBracket = Text("[")
  private static let closingBracket = Text("]")

  /// Calls a closure with the text piece by piece; neighbours that stand as they were read are one piece.
  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try Self.openingBracket.withBytesRethrowing(body)
    var pending: Text?
    try rows.forEach { _, row in
      let text = row.layoutText
      guard let run = pending else {
        pending = text
        return true
      }
      if run.storage === text.storage, run.offset + run.count + 1 == text.offset {
        pending = Text(run.storage, offset: run.offset, count: run.count + 1 + text.count)
      } else {
        try run.withBytesRethrowing(body)
        try Self.comma.withBytesRethrowing(body)
        pending = text
      }
      return true
    }
    try pending?.withBytesRethrowing(body)
    try (rows.count == 0 ? emptyTail : tail).withBytesRethrowing(body)
    try Self.closingBracket.withBytesRethrowing(body)
  }
}

extension Text {
  /// Gives a closure the bytes and keeps them alive, for closures of any error.
  func withBytesRethrowing(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    defer { withExtendedLifetime(storage) {} }
    try body(bytes)
  }
}
