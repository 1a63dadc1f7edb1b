import OrderedJSON

/// Something about a file that a person should know before it is served.
package struct Finding: Sendable, Hashable {
  package enum Severity: Sendable, Hashable {
    /// The file would be refused.
    case error
    /// The file would be served, with surprising results.
    case warning
  }

  package let severity: Severity
  /// A sentence for a person, without the place.
  package let message: String
  /// The offset of the place in bytes, from 0.
  package let offset: Int
  /// The line of the place, from 1.
  package let line: Int
  /// The column of the place in characters, from 1.
  package let column: Int
}

extension Finding: CustomStringConvertible {
  package var description: String { "\(line):\(column): \(message)" }
}

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
