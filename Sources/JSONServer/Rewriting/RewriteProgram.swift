/// A pattern as instructions, run on all paths in parallel: time is the length of the text times that of the program,
/// whatever the pattern (Thompson's simulation with captures, as in RE2's "Pike VM").
///
/// Swift's `Regex` backtracks, and a client chooses the text: the pattern `/x(a+)*` took 4.6 s for a path of 21 bytes, and
/// `/*/*/*/*/*/*/x` 19 s for one of 130, on the loop that serves all clients.
struct RewriteProgram: Sendable {
  /// Places are counted from the instruction itself, so that a program can be a piece of another.
  private enum Instruction {
    case byte(ByteSet)
    /// Continues at both places; a match by the first one is preferred.
    case split(Int, Int)
    case jump(Int)
    /// Records the offset as the start or the end of a group.
    case save(Int)
  }

  /// One path through the program.
  private struct Thread {
    let position: Int
    /// The start and end of each group; -1 where it took no part.
    let offsets: [Int]
  }

  /// The most instructions of a pattern up to its last byte.
  private static let maximumCount = 1000

  private var instructions: [Instruction]

  /// Whether a pattern takes more instructions than a rule may have.
  var isTooLong: Bool {
    let last = instructions.lastIndex { if case .byte = $0 { true } else { false } }
    return last.map { $0 >= Self.maximumCount } ?? false
  }

  private init(_ instructions: [Instruction]) {
    self.instructions = instructions
  }

  // MARK: Pieces

  /// Matches the empty text.
  init() {
    instructions = []
  }

  /// One byte of a set.
  static func byte(_ set: ByteSet) -> RewriteProgram { RewriteProgram([.byte(set)]) }

  /// The bytes of a text, letters in either case.
  static func literal(_ text: some Sequence<UInt8>) -> RewriteProgram {
    RewriteProgram(text.map { .byte(ByteSet(CollectionOfOne($0))) })
  }

  /// Any bytes, as many as possible.
  static let anything = byte(.all).repeated()

  /// One piece after the other.
  static func + (first: RewriteProgram, second: RewriteProgram) -> RewriteProgram {
    RewriteProgram(first.instructions + second.instructions)
  }

  /// The first of several pieces that lets the rest match.
  static func choice(_ pieces: [RewriteProgram]) -> RewriteProgram {
    pieces.dropLast().reversed().reduce(pieces.last ?? RewriteProgram()) { others, piece in
      let (count, others) = (piece.instructions.count, others.instructions)
      return RewriteProgram([.split(1, count + 2)] + piece.instructions + [.jump(others.count + 1)] + others)
    }
  }

  /// The piece several times: as often as possible, or as seldom when lazy.
  func repeated(_ minimum: Int = 0, _ maximum: Int? = nil, isLazy: Bool = false) -> RewriteProgram {
    let count = instructions.count
    func branch(over count: Int) -> Instruction { isLazy ? .split(count, 1) : .split(1, count) }
    var further: [Instruction] = []
    if let maximum {
      for _ in minimum..<maximum { further = [branch(over: count + further.count + 1)] + instructions + further }
    } else {
      further = [branch(over: count + 2)] + instructions + [.jump(-count - 1)]
    }
    return RewriteProgram(repeatElement(instructions, count: minimum).flatMap(\.self) + further)
  }

  /// The piece, which may be missing.
  var optional: RewriteProgram { repeated(0, 1) }

  /// The piece, whose text a target can use, by the number of its group from 0.
  func captured(_ group: Int) -> RewriteProgram {
    RewriteProgram([.save(group * 2)] + instructions + [.save(group * 2 + 1)])
  }

  // MARK: Matching

  /// Matches a whole text.
  ///
  /// - Returns: The range of each group, `nil` for one that took no part; `nil` when the text does not match.
  func match(_ text: [UInt8], groupCount: Int) -> [Range<Int>?]? {
    var threads: [Thread] = []
    var visited = [Int](repeating: -1, count: instructions.count + 1)
    add(Thread(position: 0, offsets: Array(repeating: -1, count: groupCount * 2)), at: 0, to: &threads, &visited)
    for (offset, byte) in text.enumerated() {
      guard !threads.isEmpty else { return nil }
      var next: [Thread] = []
      for thread in threads where thread.position < instructions.count {
        guard case .byte(let set) = instructions[thread.position], set.contains(byte) else { continue }
        let follower = Thread(position: thread.position + 1, offsets: thread.offsets)
        add(follower, at: offset + 1, to: &next, &visited)
      }
      threads = next
    }
    // The first thread that has reached the end is the preferred one.
    return threads.first { $0.position == instructions.count }.map { thread in
      (0..<groupCount).map { group in
        let (start, end) = (thread.offsets[group * 2], thread.offsets[group * 2 + 1])
        return end < 0 ? nil : start..<end
      }
    }
  }

  /// Follows a path up to the instructions that read a byte, and to the end. Each place is entered once for each offset.
  private func add(_ thread: Thread, at offset: Int, to threads: inout [Thread], _ visited: inout [Int]) {
    var pending = [thread]
    while let current = pending.popLast() {
      let position = current.position
      guard visited[position] != offset else { continue }
      visited[position] = offset
      guard position < instructions.count else {
        threads.append(current)
        continue
      }
      switch instructions[position] {
      case .byte: threads.append(current)
      case .jump(let distance): pending.append(Thread(position: position + distance, offsets: current.offsets))
      case .split(let first, let second):
        pending.append(Thread(position: position + second, offsets: current.offsets))
        pending.append(Thread(position: position + first, offsets: current.offsets))
      case .save(let slot):
        var offsets = current.offsets
        offsets[slot] = offset
        pending.append(Thread(position: position + 1, offsets: offsets))
      }
    }
  }
}
