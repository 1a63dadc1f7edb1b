/// A place in a text as a person counts it.
package struct TextPosition: Sendable, Hashable {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int

  /// Counts the line and the column of a byte offset. O(offset).
  package init(offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    var line = 1
    let end = min(offset, bytes.count)
    // Editors do not show a byte order mark, so it takes no column.
    var lineStart = min(JSONSyntax.endOfByteOrderMark(in: bytes), end)
    for position in 0..<end where bytes[position] == UInt8(ascii: "\n") {
      line += 1
      lineStart = position + 1
    }
    self.line = line
    // A byte of the form 10xxxxxx continues a character that is already counted.
    column = 1 + bytes[lineStart..<end].count { $0 & 0xC0 != 0x80 }
  }
}
