/// A set of instructions, as bits.
struct InstructionSet: Hashable, Sendable {
  private(set) var words: [UInt64]

  init(capacity: Int) {
    words = Array(repeating: 0, count: (capacity + 63) / 64)
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// Adds an instruction, and returns whether it is new.
  @discardableResult
  mutating func insert(_ instruction: Int) -> Bool {
    let bit = UInt64(1) << UInt64(instruction % 64)
    guard words[instruction / 64] & bit == 0 else { return false }
    words[instruction / 64] |= bit
    return true
  }

  /// The instructions, in order.
  var elements: [Int] {
    var elements: [Int] = []
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        elements.append(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return elements
  }
}

/// Where a pattern may be between two characters, and what it knows about the one before.
struct PatternState: Hashable, Sendable {
  var instructions: InstructionSet
  var isAtStart: Bool
  var isAfterWord: Bool
}

extension PatternProgram {
  /// What a character makes of a state.
  enum Step {
    case state(PatternState)
    /// A match has ended before the character.
    case matched
    /// No match is possible any more.
    case failed
  }

  /// The state at the start of a text.
  var initialState: PatternState {
    var set = InstructionSet(capacity: instructions.count)
    set.insert(start)
    return PatternState(instructions: set, isAtStart: true, isAfterWord: false)
  }

  /// Consumes a symbol of the alphabet, or `nil` at the end of the text. O(number of instructions).
  func step(from state: PatternState, taking symbol: Int?) -> Step {
    let isWord = symbol.map { alphabet.set(wordSet, contains: $0) } ?? false
    var reached = state.instructions
    var pending = reached.elements
    var taken = InstructionSet(capacity: instructions.count)
    while let index = pending.popLast() {
      switch instructions[index] {
      case .match: return .matched
      case .take(let set, let next):
        if let symbol, alphabet.set(set, contains: symbol) { taken.insert(next) }
      case .split(let first, let second):
        if reached.insert(first) { pending.append(first) }
        if reached.insert(second) { pending.append(second) }
      case .check(let assertion, let next):
        let holds =
          switch assertion {
          case .start: state.isAtStart
          case .end: symbol == nil
          case .wordBoundary: state.isAfterWord != isWord
          case .noWordBoundary: state.isAfterWord == isWord
          }
        if holds, reached.insert(next) { pending.append(next) }
      }
    }
    guard symbol != nil else { return .failed }
    // A match may also begin after this character.
    if canStartAnywhere { taken.insert(start) }
    guard !taken.isEmpty else { return .failed }
    return .state(PatternState(instructions: taken, isAtStart: false, isAfterWord: checksWords && isWord))
  }
}
