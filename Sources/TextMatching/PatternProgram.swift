import JSONServerValues
import OrderedCollections

/// A pattern as a nondeterministic automaton (Thompson's construction).
struct PatternProgram: Sendable {
  enum Instruction: Sendable {
    /// Consumes a character of a set, given by its index in the alphabet.
    case take(set: Int, next: Int)
    /// Continues at both instructions. A match by the first one is preferred.
    case split(Int, Int)
    /// Continues if the condition holds.
    case check(PatternAssertion, next: Int)
    /// Begins or ends a group: the number of each is twice that of the group, and one more at its end.
    case mark(Int, next: Int)
    /// The pattern matches.
    case match
  }

  let instructions: [Instruction]
  let start: Int
  let alphabet: Alphabet

  /// The index in the alphabet of the set of word characters.
  let wordSet: Int

  /// Whether an assertion checks the character before the position.
  let checksWords: Bool

  /// Whether a match may start other than at the start of the text.
  let canStartAnywhere: Bool

  /// The most instructions that a pattern may compile to; counted repetitions multiply them.
  static let maximumSize = 1_000

  /// Compiles a syntax tree. O(size of the tree).
  ///
  /// - Throws: ``PatternError`` if the program would be too large.
  init(_ node: PatternNode) throws(PatternError) {
    var sets: OrderedSet<ScalarSet> = []
    wordSet = sets.append(.wordCharacters).index
    var instructions: [Instruction] = [.match]
    start = Self.compile(node, next: 0, into: &instructions, sets: &sets)
    // The instruction that ends a match is in every program.
    guard instructions.count - 1 <= Self.maximumSize else {
      throw PatternError(message: "The pattern repeats too much.", offset: 0)
    }
    self.instructions = instructions
    alphabet = Alphabet(sets: sets.elements)
    checksWords = instructions.contains {
      switch $0 {
      case .check(.wordBoundary, _), .check(.noWordBoundary, _): true
      case .check(.start, _), .check(.end, _), .mark, .take, .split, .match: false
      }
    }
    let beginning = [(place: start, bounds: ())]
    canStartAnywhere = !Self.reached(by: beginning, in: instructions, where: { $0 != .start }, marking: { _, _ in })
      .isEmpty
  }

  /// Follows paths through the program to the instructions that take a character, and to the end. Each place is entered
  /// once, by the preferred path.
  ///
  /// - Parameters:
  ///   - paths: The places where the paths are, each with the bounds of its groups, the preferred path first.
  ///   - holds: Whether a condition holds at the position.
  ///   - mark: Records in the bounds that a path has come to the beginning or the end of a group.
  static func reached<Bounds>(
    by paths: [(place: Int, bounds: Bounds)], in instructions: [Instruction], where holds: (PatternAssertion) -> Bool,
    marking mark: (inout Bounds, _ number: Int) -> Void
  ) -> [(place: Int, bounds: Bounds)] {
    var reached: [(place: Int, bounds: Bounds)] = []
    var isKnown = Array(repeating: false, count: instructions.count)
    var pending = Array(paths.reversed())
    while let (place, bounds) = pending.popLast() {
      guard !isKnown[place] else { continue }
      isKnown[place] = true
      switch instructions[place] {
      case .take, .match: reached.append((place, bounds))
      case .split(let first, let second): pending += [(second, bounds), (first, bounds)]
      case .check(let assertion, let next): if holds(assertion) { pending.append((next, bounds)) }
      case .mark(let number, let next):
        pending.append((next, bounds))
        mark(&pending[pending.count - 1].bounds, number)
      }
    }
    return reached
  }

  /// Adds the instructions of a node that continue with `next`, and returns the first of them; stops when there are too
  /// many.
  ///
  /// A node has at least one instruction, so that their number also bounds the work of unfolding repetitions.
  private static func compile(
    _ node: PatternNode, next: Int, into instructions: inout [Instruction], sets: inout OrderedSet<ScalarSet>
  ) -> Int {
    func emit(_ instruction: Instruction) -> Int {
      instructions.append(instruction)
      return instructions.count - 1
    }
    guard instructions.count - 1 <= maximumSize else { return next }
    switch node {
    case .scalar(let scalar):
      let family = CaseFolding.family(of: scalar).map { $0.value...$0.value }
      return emit(.take(set: sets.append(ScalarSet(family)).index, next: next))
    case .set(let set):
      return emit(.take(set: sets.append(set).index, next: next))
    case .assertion(let assertion):
      return emit(.check(assertion, next: next))
    case .sequence(let nodes) where nodes.isEmpty: return emit(.split(next, next))
    case .repetition(_, minimum: _, maximum: 0?, isLazy: _): return emit(.split(next, next))
    case .sequence(let nodes):
      return nodes.reversed().reduce(next) { compile($1, next: $0, into: &instructions, sets: &sets) }
    case .alternation(let nodes):
      let entries = nodes.map { compile($0, next: next, into: &instructions, sets: &sets) }
      return entries.dropLast().reversed().reduce(entries.last ?? next) { emit(.split($1, $0)) }
    case .group(let number, let node):
      let end = emit(.mark(2 * number + 1, next: next))
      return emit(.mark(2 * number, next: compile(node, next: end, into: &instructions, sets: &sets)))
    case .repetition(let node, let minimum, let maximum, let isLazy):
      func branch(_ body: Int) -> Instruction { isLazy ? .split(next, body) : .split(body, next) }
      var entry = next
      var required = minimum
      if let maximum {
        for _ in 0..<min(maximum - minimum, maximumSize + 1) {
          let optional = compile(node, next: entry, into: &instructions, sets: &sets)
          entry = emit(branch(optional))
        }
      } else {
        let loop = emit(.match)
        let body = compile(node, next: loop, into: &instructions, sets: &sets)
        instructions[loop] = branch(body)
        // The body that loops is also the last one required.
        entry = minimum > 0 ? body : loop
        required = max(0, minimum - 1)
      }
      for _ in 0..<min(required, maximumSize + 1) {
        entry = compile(node, next: entry, into: &instructions, sets: &sets)
      }
      return entry
    }
  }
}

/// The possible positions in a pattern between two characters, and the relevant properties of the character before.
struct PatternState: Hashable, Sendable {
  /// The places of instructions, in order.
  var instructions: [Int32]
  var isAtStart: Bool
  var isAfterWord: Bool
}

extension PatternProgram {
  /// The result of a character in a state.
  enum Step {
    case state(PatternState)
    /// A match has ended before the character.
    case matched
    /// No match is possible.
    case failed
  }

  /// The state at the start of a text.
  var initialState: PatternState {
    PatternState(instructions: [Int32(start)], isAtStart: true, isAfterWord: false)
  }

  /// Consumes a symbol of the alphabet, or `nil` at the end of the text. O(number of instructions).
  func step(from state: PatternState, taking symbol: Int?) -> Step {
    let isWord = symbol.map { alphabet.set(wordSet, contains: $0) } ?? false
    let paths = state.instructions.map { (place: Int($0), bounds: ()) }
    let reached = Self.reached(by: paths, in: instructions) { assertion in
      assertion.holds(
        isAtStart: state.isAtStart, isAtEnd: symbol == nil, isAtBoundary: state.isAfterWord != isWord)
    } marking: { _, _ in
    }
    var isTaken = Array(repeating: false, count: instructions.count)
    for (place, _) in reached {
      switch instructions[place] {
      case .match: return .matched
      case .take(let set, let next): if let symbol, alphabet.set(set, contains: symbol) { isTaken[next] = true }
      case .mark, .split, .check: break
      }
    }
    guard symbol != nil else { return .failed }
    // A match may also begin after this character.
    if canStartAnywhere { isTaken[start] = true }
    let taken = isTaken.indices.filter { isTaken[$0] }.map(Int32.init)
    guard !taken.isEmpty else { return .failed }
    return .state(PatternState(instructions: taken, isAtStart: false, isAfterWord: checksWords && isWord))
  }
}

/// The symbols of a pattern: characters that no set of the pattern distinguishes are one symbol.
struct Alphabet: Sendable {
  /// The number of symbols; they are numbered from 0.
  let count: Int

  /// The symbol of each ASCII character.
  let asciiSymbols: [UInt16]

  /// Where each run of code points with one symbol starts, in order, and the symbol of each run.
  private let starts: [UInt32]
  private let symbols: [UInt16]

  /// For each set, in the order given, whether it holds each symbol.
  private let memberships: [[Bool]]

  init(sets: [ScalarSet]) {
    var boundaries: Set<UInt32> = [0]
    for range in sets.lazy.flatMap(\.ranges) {
      boundaries.insert(range.lowerBound)
      boundaries.insert(range.upperBound + 1)
    }
    let starts = boundaries.sorted()
    var symbolOfMembership: [[Bool]: UInt16] = [:]
    var membershipOfSymbol: [[Bool]] = []
    let symbols = starts.map { start in
      let membership = sets.map { $0.contains(start) }
      if let symbol = symbolOfMembership[membership] { return symbol }
      let symbol = UInt16(membershipOfSymbol.count)
      symbolOfMembership[membership] = symbol
      membershipOfSymbol.append(membership)
      return symbol
    }
    self.starts = starts
    self.symbols = symbols
    count = membershipOfSymbol.count
    memberships = sets.indices.map { set in membershipOfSymbol.map { $0[set] } }
    asciiSymbols = (0..<UInt32(128)).map { value in symbols[starts.partitioningIndex { $0 > value } - 1] }
  }

  /// Returns the symbol of a code point. O(log n) in the number of runs.
  func symbol(of value: UInt32) -> Int {
    Int(symbols[starts.partitioningIndex { $0 > value } - 1])
  }

  /// Returns whether a set, given by its index, holds the characters of a symbol.
  func set(_ set: Int, contains symbol: Int) -> Bool {
    memberships[set][symbol]
  }
}
