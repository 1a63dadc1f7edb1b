/// A regular expression in JavaScript's syntax that ignores case, as `_like` accepts it.
///
/// Matching takes time linear in the text, whatever the pattern: there is no backtracking. Backreferences and
/// lookaround, which need it, are refused. Characters are Unicode scalars, and `\w`, `\d` and `\b` cover ASCII only.
struct Pattern: Sendable {
  /// The longest pattern that is accepted, in UTF-8 bytes.
  static let maximumLength = 256

  /// The most instructions that a pattern may compile to; counted repetitions multiply them.
  static let maximumSize = 1_000

  let program: PatternProgram

  /// Finds the characters with which every match begins; `nil` if there are none.
  let prefixSearch: LiteralSearch?

  /// Whether the pattern is a plain text: what ``prefixSearch`` finds is a match then.
  let isLiteral: Bool

  /// The longest text that occurs in the JSON of every value whose text matches, unless it is escaped there.
  ///
  /// `nil` when there is none: the text of a list, of an object and of a number such as `1e3` is not what the JSON
  /// holds.
  let verbatimText: String?

  /// Reads a pattern.
  ///
  /// - Throws: ``PatternError`` if the syntax is wrong or not supported, or if the pattern is too long or too large.
  init(_ text: String) throws(PatternError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw PatternError(
        message: "The pattern is longer than \(Self.maximumLength) bytes.", offset: Self.maximumLength)
    }
    var parser = PatternParser(text)
    let node = try parser.parse()
    guard node.size(limit: Self.maximumSize) <= Self.maximumSize else {
      throw PatternError(message: "The pattern repeats too much.", offset: 0)
    }
    let prefix = node.literalPrefix
    program = PatternProgram(node)
    prefixSearch = prefix.scalars.isEmpty ? nil : LiteralSearch(caseInsensitive: String(prefix.scalars))
    verbatimText = node.literals.flatMap { $0.split(separator: ",") }.map { String(Array($0)) }
      .filter(Self.isVerbatim).max { $0.utf8.count < $1.utf8.count }
    isLiteral = prefix.isWhole
  }

  /// Whether a text without commas that occurs in a value's text occurs in its JSON as well.
  private static func isVerbatim(_ literal: String) -> Bool {
    // One character is in most records; looking for it first would be a detour.
    literal.utf8.count > 1 && !literal.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
      && !["[object object]", "-infinity"].contains { $0.contains(literal.lowercased()) }
  }
}

extension String {
  fileprivate init(_ scalars: [Unicode.Scalar]) {
    self.init(String.UnicodeScalarView(scalars))
  }
}

/// Why a text is not a pattern that can be matched.
struct PatternError: Error, Sendable, Hashable {
  /// A sentence for a person.
  let message: String

  /// The offset of the fault in the pattern's UTF-8 bytes, from 0.
  let offset: Int
}

extension PatternError: CustomStringConvertible {
  var description: String { "\(message) (at offset \(offset))" }
}
