/// Why a text is no pattern that can be matched.
package struct PatternError: Error, Sendable, Hashable {
  /// A sentence for a person.
  package let message: String

  /// The offset of the fault in the pattern's UTF-8 bytes, from 0.
  package let offset: Int
}

extension PatternError: CustomStringConvertible {
  package var description: String { "\(message) (at offset \(offset))" }
}
