import Foundation
import TestSupport
import Testing

@testable import TextMatching

/// Compares patterns with Foundation's on what means the same in both.
///
/// Left out: `\w`, `\b` and `\s` beside characters outside ASCII, line ends, characters whose full case folding is
/// longer, and texts that are long enough for backtracking to matter.
@Suite(.calculates) struct PatternDifferentialTests {
  private static let texts = ["a", "b", "c", "A", "B", "é", "É", "1", " ", "_", "-"]

  /// Returns a random pattern of a nesting of at most `depth`.
  private func pattern(depth: Int, using generator: inout SeededGenerator) -> String {
    let atoms = ["a", "B", "c", "é", ".", "1", "[ab]", "[^a1]", "[^é]", "[a-c]", "\\d", "[^\\d_]", "\\x61", "\\-", "_"]
    let quantifiers = ["", "", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "{1,2}?"]
    // ICU finds no match where a lazy loop runs over what may be empty, as in (a|)*?b.
    let greedyQuantifiers = quantifiers.filter { !$0.hasSuffix("?") || $0 == "?" }
    var pattern = ""
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: pattern += "^"
      case 1: pattern += "$"
      case 2: pattern += "|"
      case 3,
        4 where depth > 0:
        let opener = Bool.random(using: &generator) ? "(" : "(?:"
        let group = self.pattern(depth: depth - 1, using: &generator)
        pattern += opener + group + ")" + (greedyQuantifiers.randomElement(using: &generator) ?? "")
      default:
        pattern += atoms.randomElement(using: &generator) ?? ""
        pattern += quantifiers.randomElement(using: &generator) ?? ""
      }
    }
    return pattern
  }

  private func text(of characters: [String], using generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...8, using: &generator)).map { _ in characters.randomElement(using: &generator) ?? "" }
      .joined()
  }

  /// Compares one pattern with Foundation's on some texts.
  private func compare(_ pattern: String, on texts: [String]) throws {
    let expression = try NSRegularExpression(pattern: pattern, options: .caseInsensitive)
    let matcher = PatternMatcher(try Pattern(pattern))
    for text in texts {
      let expected = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
      let found = Array(text.utf8).withUnsafeBufferPointer { matcher.matches($0) }
      #expect(found == expected, "/\(pattern)/i on '\(text)'")
    }
  }

  @Test func `Random patterns match what Foundation's match`() throws {
    var generator = SeededGenerator(seed: 2024)
    for _ in 0..<3_000 {
      let pattern = pattern(depth: 2, using: &generator)
      try compare(pattern, on: (0..<8).map { _ in text(of: Self.texts, using: &generator) })
    }
  }

  @Test func `Random patterns with word boundaries match what Foundation's match`() throws {
    var generator = SeededGenerator(seed: 7)
    let parts = ["\\b", "\\B", "a", "\\w", "\\W", "\\s", "\\S*", "b?", ".", "(a|\\b-)", "(\\B|c)"]
    for _ in 0..<2_000 {
      let pattern = (0..<4).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
      let texts = (0..<8).map { _ in text(of: Self.texts.filter { $0.utf8.count == 1 }, using: &generator) }
      try compare(pattern, on: texts)
    }
  }
}
