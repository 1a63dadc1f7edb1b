/// A pattern that matches a whole text and returns the texts of its groups.
///
/// All paths through the program run in parallel, so the time is the length of the text times that of the program for
/// every pattern (Thompson's simulation with captures, as in RE2's "Pike VM"). Swift's `Regex` backtracks, and a client
/// chooses the text: `x(a+)*` took 4.6 s for a text of 21 bytes, and `(.*)/(.*)/(.*)/(.*)/(.*)/(.*)/x` 19 s for one of
/// 130.
package struct CapturingPattern: Sendable {
  /// One path through the program: its next instruction, and the start and end of each group.
  private typealias Path = (place: Int, bounds: [String.Index?])

  private let program: PatternProgram
  private let groupCount: Int

  /// Compiles a syntax tree.
  ///
  /// - Parameter groupCount: The number of groups in the tree.
  /// - Throws: ``PatternError`` if the tree is too large.
  package init(_ node: PatternNode, groupCount: Int) throws(PatternError) {
    program = try PatternProgram(node)
    self.groupCount = groupCount
  }

  /// Matches a whole text.
  ///
  /// - Returns: The text of each group, `nil` for a group without a match; `nil` when the text does not match.
  package func groups(in text: Substring) -> [Substring?]? {
    let scalars = text.unicodeScalars
    let start: Path = (program.start, Array(repeating: nil, count: 2 * groupCount))
    var paths = reached(by: [start], at: scalars.startIndex, of: scalars)
    for index in scalars.indices {
      let symbol = program.alphabet.symbol(of: scalars[index].value)
      let taken: [Path] = paths.compactMap { path in
        guard case .take(let set, let next) = program.instructions[path.place],
          program.alphabet.set(set, contains: symbol)
        else { return nil }
        return (next, path.bounds)
      }
      if taken.isEmpty { return nil }
      paths = reached(by: taken, at: scalars.index(after: index), of: scalars)
    }
    // The first path that has reached the end is the preferred one.
    let match = paths.first { if case .match = program.instructions[$0.place] { true } else { false } }
    return match.map { match in
      (0..<groupCount).map { group in
        guard let start = match.bounds[2 * group], let end = match.bounds[2 * group + 1] else { return nil }
        return text[start..<end]
      }
    }
  }

  /// Follows paths to the instructions that take a character, and to the end.
  private func reached(by paths: [Path], at index: String.Index, of text: Substring.UnicodeScalarView) -> [Path] {
    func isWord(_ scalar: Unicode.Scalar?) -> Bool {
      scalar.map { ScalarSet.wordCharacters.contains($0.value) } ?? false
    }
    return PatternProgram.reached(by: paths, in: program.instructions) { assertion in
      assertion.holds(
        isAtStart: index == text.startIndex, isAtEnd: index == text.endIndex,
        isAtBoundary: isWord(text[..<index].last) != isWord(text[index...].first))
    } marking: { bounds, number in
      bounds[number] = index
    }
  }
}
