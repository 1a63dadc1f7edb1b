import JSONDatabase

/// What deletions removed, kept for a while so that it can be put back.
struct Deletions {
  /// How long a deletion can be undone: a page offers it for ten seconds, perhaps on a machine that is busy with more.
  static let lifetime = Duration.seconds(300)
  private static let capacity = 16
  /// The most bytes of records that are kept.
  private static let byteCapacity = 32 * 1024 * 1024

  private var numbers: [Int] = []
  /// Oldest first; their numbers are at the same indexes.
  var kept: [RemovedRecords] = []
  private var lastNumber = 0

  /// Keeps what a deletion removed, and forgets the oldest when that is too much.
  ///
  /// - Returns: The number by which it is found; `nil` when it is too large to be kept.
  mutating func keep(_ removed: RemovedRecords) -> Int? {
    guard removed.byteCount <= Self.byteCapacity else { return nil }
    lastNumber += 1
    numbers.append(lastNumber)
    kept.append(removed)
    while kept.count > Self.capacity || kept.reduce(0, { $0 + $1.byteCount }) > Self.byteCapacity {
      numbers.removeFirst()
      kept.removeFirst()
    }
    return lastNumber
  }

  subscript(number: Int) -> RemovedRecords? {
    numbers.firstIndex(of: number).map { kept[$0] }
  }

  mutating func forget(_ number: Int) {
    guard let index = numbers.firstIndex(of: number) else { return }
    numbers.remove(at: index)
    kept.remove(at: index)
  }

  /// Goes back to what was kept for an earlier version of the data, but for what was forgotten since.
  mutating func goBack(to earlier: Deletions) {
    let left = earlier.numbers.indices.filter { numbers.contains(earlier.numbers[$0]) }
    numbers = left.map { earlier.numbers[$0] }
    kept = left.map { earlier.kept[$0] }
  }

  /// Forgets all of them: the records' places are others now.
  mutating func removeAll() {
    numbers = []
    kept = []
  }
}
