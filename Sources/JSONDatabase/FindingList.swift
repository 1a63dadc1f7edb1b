import OrderedJSON

/// Findings on their way to a list in the order of the text, each with its line and column.
struct FindingList {
  private var found: [(severity: Finding.Severity, message: String, offset: Int)] = []

  mutating func add(_ severity: Finding.Severity, _ message: String, at offset: Int) {
    found.append((severity, message, offset))
  }

  /// The findings in the order of the text. O(size of the text) for all of them together.
  func located(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
    var lineStart = 0
    var line = 1
    return found.sorted { $0.offset < $1.offset }.map { found in
      let place = TextPosition(
        offset: found.offset - lineStart, in: UnsafeBufferPointer(rebasing: bytes[lineStart...]))
      let column = place.column
      line += place.line - 1
      lineStart = bytes[lineStart..<found.offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lineStart
      return Finding(
        severity: found.severity, message: found.message, offset: found.offset, line: line, column: column)
    }
  }
}
