/// A regular expression in JavaScript's syntax that goes by case, as JSON Schema has it.
package struct TextPattern: Sendable {
  private let pattern: Pattern

  /// Reads a pattern.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` that says what cannot be matched in linear time, or is wrong.
  package init(_ text: String) throws(DatabaseError) {
    do throws(PatternError) {
      pattern = try Pattern(text, ignoresCase: false)
    } catch {
      throw DatabaseError(.invalidQuery, "the pattern '\(text)' cannot be used: \(error)")
    }
  }

  /// Whether a text holds a match.
  package func matches(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { PatternMatcher(pattern).matches($0) }
  }
}
