import TextMatching

/// A case-sensitive regular expression in JavaScript's syntax, as in JSON Schema.
package struct TextPattern: Sendable {
  private let pattern: Pattern

  /// Reads a pattern.
  ///
  /// - Throws: ``DatabaseError`` with code `invalidQuery` if the syntax is wrong or cannot be matched in linear time.
  package init(_ text: String) throws(DatabaseError) {
    do throws(PatternError) {
      pattern = try Pattern(text, ignoresCase: false)
    } catch {
      throw DatabaseError(.invalidQuery, "the pattern '\(text)' cannot be used: \(error)")
    }
  }

  /// Whether a text contains a match.
  package func matches(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { PatternMatcher(pattern).matches($0) }
  }
}
