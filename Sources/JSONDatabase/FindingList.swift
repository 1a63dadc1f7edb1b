import OrderedJSON

/// Findings on their way to a list in the order of the text, each with its line and column.
struct FindingList {
  private var found: [(severity: Finding.Severity, message: String, offset: Int)] = []

  mutating func add(_ severity: Finding.Severity, _ message: String, at offset: Int) {
    found.append((severity, message, offset))
  }

  /// The findings in the order of the text. O(size of the text) for all of them together.
  func located(in bytes: UnsafeBufferPointer<UInt8>) -> [Finding] {
    var (offset, line, column) = (0, 1, 1)
    return found.sorted { $0.offset < $1.offset }.map { found in
      // From one finding to the next, so that a file on one line is read once too.
      let step = TextPosition(
        offset: found.offset - offset, in: UnsafeBufferPointer(rebasing: bytes[offset...]))
      column = step.line == 1 ? column + step.column - 1 : step.column
      line += step.line - 1
      offset = found.offset
      return Finding(
        severity: found.severity, message: found.message, offset: found.offset, line: line, column: column)
    }
  }
}
