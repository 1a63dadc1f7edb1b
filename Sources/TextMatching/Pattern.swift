import Synchronization

/// A regular expression in JavaScript's syntax, which ignores case, as `_like` does.
///
/// Matching takes time linear in the text for every pattern: there is no backtracking. Backreferences and
/// lookaround, which need it, are refused. Characters are Unicode scalars, and `\w`, `\d` and `\b` cover ASCII only.
package struct Pattern: Sendable {
  /// The longest pattern that is accepted, in UTF-8 bytes.
  static let maximumLength = 256

  let program: PatternProgram

  /// Finds the characters with which every match begins; `nil` if there are none.
  let prefixSearch: LiteralSearch?

  /// Whether the pattern is a plain text, so that each text found by ``prefixSearch`` is a match.
  let isLiteral: Bool

  /// The longest text that occurs in the JSON of every value whose text matches, unless it is escaped there.
  ///
  /// `nil` when there is none. The text of a list, an object or a number such as `1e3` differs from its JSON.
  let verbatimText: String?

  /// Reads a pattern.
  ///
  /// - Parameter ignoresCase: Whether letter case makes no difference.
  /// - Throws: ``PatternError`` if the syntax is wrong or not supported, or if the pattern is too long or too large.
  package init(_ text: String, ignoresCase: Bool = true) throws(PatternError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw PatternError(
        message: "The pattern is longer than \(Self.maximumLength) bytes.", offset: Self.maximumLength)
    }
    let node = try PatternNode(parsing: text, ignoresCase: ignoresCase)
    program = try PatternProgram(node)
    let literals = node.literals
    prefixSearch = literals[0].isEmpty ? nil : LiteralSearch(caseInsensitive: String(literals[0]))
    verbatimText = literals.flatMap { $0.split(separator: ",") }.map { String(Array($0)) }
      .filter(Self.isVerbatim).max { $0.utf8.count < $1.utf8.count }
    isLiteral = literals.count == 1
  }

  /// Whether a text contains a match. For many texts, one ``PatternMatcher`` is faster.
  package func matches(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { PatternMatcher(self).matches($0) }
  }

  /// Whether a text without commas that occurs in a value's text occurs in its JSON as well.
  private static func isVerbatim(_ literal: String) -> Bool {
    // One character is in most records; looking for it first would be a detour.
    literal.utf8.count > 1 && !literal.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
      && !"[object object]".contains(literal.lowercased())
  }
}

extension String {
  fileprivate init(_ scalars: [Unicode.Scalar]) {
    self.init(String.UnicodeScalarView(scalars))
  }
}

/// The reason why a pattern is refused.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence for a person.
  package let message: String

  /// The offset of the fault in the pattern's UTF-8 bytes, from 0.
  let offset: Int

  package var description: String { "\(message) (at offset \(offset))" }
}

/// The steps that the patterns of a query may take together, on all threads.
///
/// A pattern of bounded repetitions may need another state after every character, and each state a step through the whole
/// pattern.
package final class StepBudget: Sendable {
  private let maximum: Int
  private let taken = Atomic(0)

  package init(maximum: Int) {
    self.maximum = maximum
  }

  /// Whether there were too many steps, so that matches were missed.
  package var isSpent: Bool { taken.load(ordering: .relaxed) > maximum }

  /// Counts some steps.
  ///
  /// - Returns: Whether they may be taken.
  func take(_ count: Int) -> Bool {
    !isSpent && taken.wrappingAdd(count, ordering: .relaxed).newValue <= maximum
  }
}

/// Matches many texts against one pattern, as a deterministic automaton that is built while it runs.
///
/// A state is the set of instructions that the pattern may be at; each text pays only for the states and transitions
/// that no text before it has needed. They are kept up to a bound, then dropped and begun again, so memory stays small.
/// A known transition costs about a nanosecond, an unknown one at most a step through the pattern.
package final class PatternMatcher {
  /// Entries of `transitions` that are not states.
  private enum Outcome {
    static let unknown: Int32 = -1
    static let failed: Int32 = -2
    static let matched: Int32 = -3
  }

  /// Limits the unknown transitions; `nil` for a pattern that no client chooses.
  package var steps: StepBudget?

  private let pattern: Pattern
  private let alphabet: Alphabet
  private let asciiSymbols: [UInt16]

  /// The transitions of a state: one for each symbol, then one for the end of the text.
  private let stride: Int

  /// The known states, the initial one first, and the offset in `transitions` of each one's first transition.
  private var states: [PatternState] = []
  private var offsets: [PatternState: Int32] = [:]
  private var transitions: [Int32] = []

  /// The number of transitions and of the instructions in all states.
  private var size = 0
  /// Above this size everything is dropped.
  private static let maximumSize = 1 << 17

  /// The pattern's ``Pattern/verbatimText``.
  package var verbatimText: String? { pattern.verbatimText }

  /// Creates a matcher that knows no states yet.
  package init(_ pattern: Pattern) {
    self.pattern = pattern
    alphabet = pattern.program.alphabet
    asciiSymbols = alphabet.asciiSymbols
    stride = alphabet.count + 1
    _ = offset(of: pattern.program.initialState)
  }

  /// Returns whether a match is anywhere in a text.
  package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    if let search = pattern.prefixSearch {
      guard let start = search.firstMatch(in: text, from: 0) else { return false }
      if pattern.isLiteral { return true }
      position = start
    }
    var state: Int32 = 0
    while true {
      let stop = run(text, from: &position, in: &state)
      var outcome = transitions[Int(state) + stop]
      if outcome == Outcome.unknown { outcome = addTransition(from: state, on: stop) }
      if outcome < 0 { return outcome == Outcome.matched }
      state = outcome
    }
  }

  /// Follows the known transitions, and returns the symbol that leads out of them; the position is after it.
  private func run(_ text: UnsafeBufferPointer<UInt8>, from position: inout Int, in state: inout Int32) -> Int {
    transitions.withUnsafeBufferPointer { transitions in
      asciiSymbols.withUnsafeBufferPointer { asciiSymbols in
        while position < text.count {
          let byte = text[position]
          let symbol: Int
          if byte < 0x80 {
            symbol = Int(asciiSymbols[Int(byte)])
            position += 1
          } else {
            symbol = alphabet.symbol(of: UTF8.decodeScalar(in: text, at: &position))
          }
          let next = transitions[Int(state) + symbol]
          if next < 0 { return symbol }
          state = next
        }
        return alphabet.count
      }
    }
  }

  /// Returns the offset of a state's transitions, adding the state if it is new.
  private func offset(of state: PatternState) -> Int32 {
    if let offset = offsets[state] { return offset }
    let offset = Int32(transitions.count)
    states.append(state)
    size += stride + state.instructions.count
    offsets[state] = offset
    transitions += repeatElement(Outcome.unknown, count: stride)
    return offset
  }

  /// Computes a transition and keeps it.
  private func addTransition(from offset: Int32, on symbol: Int) -> Int32 {
    if let steps, !steps.take(pattern.program.instructions.count) { return Outcome.failed }
    var offset = offset
    let state = states[Int(offset) / stride]
    if size > Self.maximumSize {
      states.removeAll(keepingCapacity: true)
      offsets.removeAll(keepingCapacity: true)
      transitions.removeAll(keepingCapacity: true)
      size = 0
      _ = self.offset(of: pattern.program.initialState)
      offset = self.offset(of: state)
    }
    let isEnd = symbol == alphabet.count
    let entry =
      switch pattern.program.step(from: state, taking: isEnd ? nil : symbol) {
      case .state(let next): self.offset(of: next)
      case .matched: Outcome.matched
      case .failed: Outcome.failed
      }
    transitions[Int(offset) + symbol] = entry
    return entry
  }
}
