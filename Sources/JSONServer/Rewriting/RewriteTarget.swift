/// What a rule rewrites to: text with the places of groups.
struct RewriteTarget: Sendable, Hashable {
  private enum Piece: Sendable, Hashable {
    case text([UInt8])
    /// The text of a group, from 0.
    case group(Int)
  }

  private var pieces: [Piece] = []

  /// Reads a target: `:name` and `$1` refer to groups of the pattern.
  ///
  /// In the query, `:name=` that is not a group is literal: it is an operator, as in `views:gt=100`.
  ///
  /// - Parameters:
  ///   - text: The target.
  ///   - rule: The pattern, for errors.
  ///   - groups: The names of the pattern's groups.
  init(_ text: String, of rule: String, groups: [String?]) throws(RewriteRuleFault) {
    var literal: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let isParameter = byte == UInt8(ascii: ":")
      let set = isParameter ? ByteSet.words : ByteSet.digits
      let name = rest.prefix(while: set.contains)
      guard isParameter || byte == UInt8(ascii: "$"), !name.isEmpty else {
        literal.append(byte)
        continue
      }
      rest = rest[name.endIndex...]
      let reference = String(decoding: name, as: UTF8.self)
      // As a JavaScript object does, of two groups with one name the last counts.
      let group = isParameter ? groups.lastIndex(of: reference) : Int(reference).map { $0 - 1 }
      if let group, groups.indices.contains(group) {
        pieces += [.text(literal), .group(group)]
        literal = []
      } else if isParameter, literal.contains(UInt8(ascii: "?")) || hasQuery, rest.first == UInt8(ascii: "=") {
        literal.append(byte)
        literal += name
      } else {
        throw RewriteRuleFault(
          rule: rule,
          message: """
            its target uses \(isParameter ? ":" : "$")\(reference), which the pattern does not have; add it to the \
            pattern, or take it out of '\(text)'.
            """)
      }
    }
    pieces.append(.text(literal))
  }

  private var hasQuery: Bool {
    pieces.contains { piece in
      guard case .text(let text) = piece else { return false }
      return text.contains(UInt8(ascii: "?"))
    }
  }

  /// The target with the groups' texts in place; a group that took no part is empty.
  func filled(from text: [UInt8], _ groups: [Range<Int>?]) -> [UInt8] {
    pieces.reduce(into: []) { result, piece in
      switch piece {
      case .text(let literal): result += literal
      case .group(let group):
        if let range = groups[group] { result += text[range] }
      }
    }
  }
}
