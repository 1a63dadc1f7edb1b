/// A pattern as instructions, run on all paths in parallel: time is the length of the text times that of the program,
/// whatever the pattern (Thompson's simulation with captures, as in RE2's "Pike VM").
struct RewriteProgram: Sendable {
  private enum Instruction {
    case byte(ByteSet)
    /// Continues at both places; a match by the first one is preferred.
    case split(Int, Int)
    case jump(Int)
    /// Records the offset as the start or the end of a group.
    case save(Int)
    case match
  }

  /// One path through the program.
  private struct Thread {
    let position: Int
    /// The start and end of each group; -1 where it took no part.
    let offsets: [Int]
  }

  /// The most instructions of a pattern.
  static let maximumCount = 1000

  private var instructions: [Instruction] = []
  private let groupCount: Int

  /// Translates a pattern that must match a text from start to end.
  ///
  /// - Returns: `nil`, when the pattern takes more than ``maximumCount`` instructions.
  init?(_ pattern: RewriteNode, groupCount: Int) {
    self.groupCount = groupCount
    guard emit(pattern) else { return nil }
    instructions.append(.match)
  }

  /// Matches a whole text.
  ///
  /// - Returns: The range of each group, `nil` for one that took no part; `nil` when the text does not match.
  func match(_ text: [UInt8]) -> [Range<Int>?]? {
    var threads: [Thread] = []
    var visited = [Int](repeating: -1, count: instructions.count)
    add(Thread(position: 0, offsets: Array(repeating: -1, count: groupCount * 2)), at: 0, to: &threads, &visited)
    for (offset, byte) in text.enumerated() {
      guard !threads.isEmpty else { return nil }
      var next: [Thread] = []
      for thread in threads {
        guard case .byte(let set) = instructions[thread.position], set.contains(byte) else { continue }
        let follower = Thread(position: thread.position + 1, offsets: thread.offsets)
        add(follower, at: offset + 1, to: &next, &visited)
      }
      threads = next
    }
    // The first thread that has reached the end is the preferred one.
    for thread in threads {
      guard case .match = instructions[thread.position] else { continue }
      return (0..<groupCount).map { group in
        let (start, end) = (thread.offsets[group * 2], thread.offsets[group * 2 + 1])
        return end < 0 ? nil : start..<end
      }
    }
    return nil
  }

  /// Follows a path up to the instructions that read a byte. Each instruction is entered once for each offset.
  private func add(_ thread: Thread, at offset: Int, to threads: inout [Thread], _ visited: inout [Int]) {
    var pending = [thread]
    while let current = pending.popLast() {
      guard visited[current.position] != offset else { continue }
      visited[current.position] = offset
      switch instructions[current.position] {
      case .byte, .match: threads.append(current)
      case .jump(let position): pending.append(Thread(position: position, offsets: current.offsets))
      case .split(let first, let second):
        pending.append(Thread(position: second, offsets: current.offsets))
        pending.append(Thread(position: first, offsets: current.offsets))
      case .save(let slot):
        var offsets = current.offsets
        offsets[slot] = offset
        pending.append(Thread(position: current.position + 1, offsets: offsets))
      }
    }
  }
}

extension RewriteProgram {
  /// Appends the instructions of a piece; `false` when there are too many.
  private mutating func emit(_ node: RewriteNode) -> Bool {
    guard instructions.count < Self.maximumCount else { return false }
    switch node {
    case .byte(let set): instructions.append(.byte(set))
    case .sequence(let nodes):
      for node in nodes { guard emit(node) else { return false } }
    case .choice(let nodes): return emitChoice(nodes[...])
    case .repetition(let node, let minimum, let maximum, let isLazy):
      return emitRepetition(of: node, minimum, maximum, isLazy)
    case .capture(let group, let node):
      instructions.append(.save(group * 2 - 2))
      guard emit(node) else { return false }
      instructions.append(.save(group * 2 - 1))
    }
    return true
  }

  private mutating func emitChoice(_ nodes: ArraySlice<RewriteNode>) -> Bool {
    guard let first = nodes.first else { return true }
    guard nodes.count > 1 else { return emit(first) }
    let split = reserve()
    guard emit(first) else { return false }
    let end = reserve()
    instructions[split] = .split(split + 1, instructions.count)
    guard emitChoice(nodes.dropFirst()) else { return false }
    instructions[end] = .jump(instructions.count)
    return true
  }

  private mutating func emitRepetition(of node: RewriteNode, _ minimum: Int, _ maximum: Int?, _ isLazy: Bool) -> Bool {
    for _ in 0..<minimum { guard emit(node) else { return false } }
    guard let maximum else {
      let split = reserve()
      guard emit(node) else { return false }
      instructions.append(.jump(split))
      instructions[split] = branch(into: split + 1, or: instructions.count, isLazy)
      return true
    }
    var splits: [Int] = []
    for _ in minimum..<maximum {
      splits.append(reserve())
      guard emit(node) else { return false }
    }
    for split in splits { instructions[split] = branch(into: split + 1, or: instructions.count, isLazy) }
    return true
  }

  private func branch(into body: Int, or exit: Int, _ isLazy: Bool) -> Instruction {
    isLazy ? .split(exit, body) : .split(body, exit)
  }

  /// Reserves a place for an instruction that is known only after what follows it.
  private mutating func reserve() -> Int {
    instructions.append(.match)
    return instructions.count - 1
  }
}
