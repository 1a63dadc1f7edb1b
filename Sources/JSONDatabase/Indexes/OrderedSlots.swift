import JSONServerValues

/// Slots in an order that the caller decides, in chunks: a slot is added or removed without moving all that follow.
///
/// Finding takes O(log n) comparisons, adding and removing move at most one chunk, and a window is reached by its
/// offset in O(n / chunk size).
struct OrderedSlots: Sendable {
  private static let maximumChunkSize = 1_024

  private var chunks: [ContiguousArray<Int32>] = []
  private(set) var count = 0

  /// Takes slots that are in order.
  init(_ slots: [Int32]) {
    count = slots.count
    let size = Self.maximumChunkSize / 2
    chunks = stride(from: 0, to: slots.count, by: size).map { start in
      ContiguousArray(slots[start..<min(start + size, slots.count)])
    }
  }

  /// Returns the slots at a range of positions. O(n / chunk size + length of the range).
  subscript(range: Range<Int>) -> [Int32] {
    var result: [Int32] = []
    result.reserveCapacity(range.count)
    forEach(in: range) { slot in
      result.append(slot)
      return true
    }
    return result
  }

  /// The number of slots at the start that satisfy a predicate. The predicate must be true up to some slot, and false after
  /// it.
  ///
  /// O(log n) calls, and O(n / chunk size).
  func prefixCount(_ isBefore: (Int32) -> Bool) -> Int {
    guard !chunks.isEmpty else { return 0 }
    let (chunk, index) = position(isBefore)
    return chunks[..<chunk].reduce(index) { $0 + $1.count }
  }

  /// Calls a closure with the slots at a range of positions, in order, until it returns `false`. O(n / chunk size + length
  /// of the range).
  func forEach(in range: Range<Int>, _ body: (Int32) -> Bool) {
    var start = 0
    for chunk in chunks {
      guard start < range.upperBound else { return }
      let inside = range.clamped(to: start..<(start + chunk.count))
      for index in inside where !body(chunk[index - start]) { return }
      start += chunk.count
    }
  }

  /// Adds a slot after all that come before it.
  mutating func insert(_ slot: Int32, after isBefore: (Int32) -> Bool) {
    count += 1
    guard !chunks.isEmpty else {
      chunks.append([slot])
      return
    }
    let (chunk, index) = position(isBefore)
    chunks[chunk].insert(slot, at: index)
    guard chunks[chunk].count > Self.maximumChunkSize else { return }
    let half = chunks[chunk].count / 2
    let tail = ContiguousArray(chunks[chunk][half...])
    chunks[chunk].removeSubrange(half...)
    chunks.insert(tail, at: chunk + 1)
  }

  /// Removes a slot, which is after all that come before it.
  mutating func remove(_ slot: Int32, after isBefore: (Int32) -> Bool) {
    guard !chunks.isEmpty else { return }
    let (chunk, index) = position(isBefore)
    guard index < chunks[chunk].count, chunks[chunk][index] == slot else { return }
    chunks[chunk].remove(at: index)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    count -= 1
  }

  /// The place of the first slot that does not come before: by bisection of the chunks' last slots, then of one chunk.
  private func position(_ isBefore: (Int32) -> Bool) -> (chunk: Int, index: Int) {
    let chunk = chunks.dropLast().partitioningIndex { chunk in !(chunk.last.map(isBefore) ?? false) }
    return (chunk, chunks[chunk].partitioningIndex { !isBefore($0) })
  }
}
