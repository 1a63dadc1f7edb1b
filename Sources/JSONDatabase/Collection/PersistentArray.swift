/// An array that is cheap to copy, and cheap to change after a copy.
///
/// The elements stand in arrays of arrays of arrays, so a change after a copy copies one leaf and its two ancestors
/// (64 elements, and about 64 + n / 4096 references), not all elements.
struct PersistentArray<Element: Sendable>: Sendable, RandomAccessCollection, MutableCollection {
  private static var leafBits: Int { 6 }
  private static var leafSize: Int { 1 << leafBits }

  private var leaves: ContiguousArray<ContiguousArray<ContiguousArray<Element>>> = []
  private(set) var count = 0

  init() {}

  init(_ elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Element {
    _read { yield leaves[Self.top(index)][Self.middle(index)][Self.bottom(index)] }
    _modify { yield &leaves[Self.top(index)][Self.middle(index)][Self.bottom(index)] }
  }

  private static func top(_ index: Int) -> Int { index >> (2 * leafBits) }
  private static func middle(_ index: Int) -> Int { (index >> leafBits) & (leafSize - 1) }
  private static func bottom(_ index: Int) -> Int { index & (leafSize - 1) }

  mutating func append(_ element: Element) {
    let (top, middle) = (Self.top(count), Self.middle(count))
    if top == leaves.count { leaves.append([]) }
    if middle == leaves[top].count {
      var leaf = ContiguousArray<Element>()
      leaf.reserveCapacity(Self.leafSize)
      leaves[top].append(leaf)
    }
    leaves[top][middle].append(element)
    count += 1
  }

  mutating func removeLast() {
    count -= 1
    let (top, middle) = (Self.top(count), Self.middle(count))
    leaves[top][middle].removeLast()
    if leaves[top][middle].isEmpty { leaves[top].removeLast() }
    if leaves[top].isEmpty { leaves.removeLast() }
  }

  /// Calls a closure with each element of a range, faster than a loop over the indices.
  @inline(__always)
  func forEach<Failure: Error>(
    in range: Range<Int>, _ body: (_ index: Int, _ element: Element) throws(Failure) -> Void
  ) throws(Failure) {
    var index = range.lowerBound
    let end = Swift.min(range.upperBound, count)
    while index < end {
      let leaf = leaves[Self.top(index)][Self.middle(index)]
      for bottom in Self.bottom(index)..<leaf.count where index < end {
        try body(index, leaf[bottom])
        index += 1
      }
    }
  }

  /// Whether two arrays share all elements.
  func isIdentical(to other: PersistentArray) -> Bool {
    count == other.count && Self.isIdentical(leaves, other.leaves)
  }

  private static func isIdentical<Item>(_ left: ContiguousArray<Item>, _ right: ContiguousArray<Item>) -> Bool {
    left.count == right.count
      && left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { $0.baseAddress == left.baseAddress } }
  }

  /// The ranges of indices whose elements two arrays do not share, in ascending order; those that only one array has
  /// are among them.
  func rangesNotShared(with other: PersistentArray) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var index = 0
    let end = Swift.max(count, other.count)
    while index < end {
      let shared = sharedSize(at: index, with: other)
      let next = Swift.min(index + Swift.max(shared, Self.leafSize), end)
      if shared == 0 { ranges.append(index..<next) }
      index = next
    }
    return ranges
  }

  /// How many elements, from one on, are shared with another array: those of a branch, of a leaf, or none.
  private func sharedSize(at index: Int, with other: PersistentArray) -> Int {
    guard index < count, index < other.count else { return 0 }
    let (top, middle) = (Self.top(index), Self.middle(index))
    if middle == 0, Self.isIdentical(leaves[top], other.leaves[top]) { return Self.leafSize * Self.leafSize }
    return Self.isIdentical(leaves[top][middle], other.leaves[top][middle]) ? Self.leafSize : 0
  }
}
