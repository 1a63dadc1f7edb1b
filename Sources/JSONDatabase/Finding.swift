/// Something about a file that a person should know before it is served.
package struct Finding: Sendable, Hashable {
  package enum Severity: Sendable, Hashable {
    /// The file would be refused.
    case error
    /// The file would be served, and surprise.
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
