/// Why a text is no pattern that can be matched.
struct PatternError: Error, Sendable, Hashable {
  /// A sentence for a person.
  let message: String

  /// The offset of the fault in the pattern's UTF-8 bytes, from 0.
  let offset: Int
}

extension PatternError: CustomStringConvertible {
  var description: String { "\(message) (at offset \(offset))" }
}
