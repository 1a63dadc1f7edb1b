/// A pattern as a nondeterministic automaton (Thompson's construction).
struct PatternProgram: Sendable {
  enum Instruction: Sendable {
    /// Consumes a character of a set, given by its index in the alphabet.
    case take(set: Int, next: Int)
    /// Continues at both instructions.
    case split(Int, Int)
    /// Continues if the condition holds.
    case check(PatternAssertion, next: Int)
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

  /// Compiles a syntax tree. O(size of the tree).
  init(_ node: PatternNode) {
    var sets = SetTable()
    wordSet = sets.index(of: .wordCharacters)
    var instructions: [Instruction] = [.match]
    start = Self.compile(node, next: 0, into: &instructions, sets: &sets)
    self.instructions = instructions
    alphabet = Alphabet(sets: sets.sets)
    checksWords = instructions.contains {
      switch $0 {
      case .check(.wordBoundary, _), .check(.noWordBoundary, _): true
      case .check(.start, _), .check(.end, _), .take, .split, .match: false
      }
    }
    canStartAnywhere = Self.canStartAnywhere(from: start, in: instructions)
  }

  /// Returns whether anything but `^` can be reached from an instruction without consuming a character.
  private static func canStartAnywhere(from start: Int, in instructions: [Instruction]) -> Bool {
    var reached = InstructionSet(capacity: instructions.count)
    reached.insert(start)
    var pending = [start]
    while let index = pending.popLast() {
      switch instructions[index] {
      case .check(.start, _): continue
      case .split(let first, let second):
        if reached.insert(first) { pending.append(first) }
        if reached.insert(second) { pending.append(second) }
      case .check, .take, .match: return true
      }
    }
    return false
  }

  /// Adds the instructions of a node that continue with `next`, and returns the first of them.
  private static func compile(
    _ node: PatternNode, next: Int, into instructions: inout [Instruction], sets: inout SetTable
  ) -> Int {
    func emit(_ instruction: Instruction) -> Int {
      instructions.append(instruction)
      return instructions.count - 1
    }
    switch node {
    case .scalar(let scalar):
      let family = CaseFolding.family(of: scalar).map { $0.value...$0.value }
      return emit(.take(set: sets.index(of: ScalarSet(family)), next: next))
    case .set(let set):
      return emit(.take(set: sets.index(of: set), next: next))
    case .assertion(let assertion):
      return emit(.check(assertion, next: next))
    case .sequence(let nodes):
      return nodes.reversed().reduce(next) { compile($1, next: $0, into: &instructions, sets: &sets) }
    case .alternation(let nodes):
      let entries = nodes.map { compile($0, next: next, into: &instructions, sets: &sets) }
      return entries.dropLast().reversed().reduce(entries.last ?? next) { emit(.split($1, $0)) }
    case .repetition(let node, let minimum, let maximum):
      var entry = next
      var required = minimum
      if let maximum {
        for _ in minimum..<maximum {
          let optional = compile(node, next: entry, into: &instructions, sets: &sets)
          entry = emit(.split(optional, next))
        }
      } else {
        let loop = emit(.match)
        let body = compile(node, next: loop, into: &instructions, sets: &sets)
        instructions[loop] = .split(body, next)
        // The body that loops is also the last one required.
        entry = minimum > 0 ? body : loop
        required = max(0, minimum - 1)
      }
      for _ in 0..<required { entry = compile(node, next: entry, into: &instructions, sets: &sets) }
      return entry
    }
  }

  /// The sets of a pattern, each once.
  private struct SetTable {
    private(set) var sets: [ScalarSet] = []
    private var indices: [ScalarSet: Int] = [:]

    mutating func index(of set: ScalarSet) -> Int {
      if let index = indices[set] { return index }
      indices[set] = sets.count
      sets.append(set)
      return sets.count - 1
    }
  }
}
