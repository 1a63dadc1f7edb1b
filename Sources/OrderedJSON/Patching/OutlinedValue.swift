/// A value with the ends of all arrays and objects in it, which one walk found.
///
/// Who goes into a value level by level would otherwise walk at each level over all that is below it.
struct OutlinedValue {
  private struct Container {
    /// The offset after it.
    var end: UInt32
    /// The index of the first container after it.
    var next: Int
  }

  /// A member of an object or, without a name, an element of an array.
  struct Entry {
    let name: ValueToken?
    let value: OutlinedValue
  }

  private let whole: ValueToken
  private let range: Range<Int>
  /// The arrays and objects of the whole, in the order in which they start.
  private let containers: [Container]
  /// The index of this container, or of the first one after this scalar.
  private let index: Int

  /// - Complexity: O(size of the value).
  init(_ value: ValueToken) {
    var containers: [Container] = []
    var open: [Int] = []
    var reader = TokenReader(value)
    while let token = reader.next() {
      switch token {
      case .open:
        open.append(containers.count)
        containers.append(Container(end: 0, next: 0))
      case .close:
        // A value has no more than 4 GiB, and each end of its arrays and objects a start.
        guard let index = open.popLast() else { continue }
        containers[index] = Container(end: UInt32(reader.position), next: containers.count)
      case .name, .scalar: continue
      }
    }
    self.init(value, 0..<value.bytes.count, containers, index: 0)
  }

  private init(_ whole: ValueToken, _ range: Range<Int>, _ containers: [Container], index: Int) {
    self.whole = whole
    self.range = range
    self.containers = containers
    self.index = index
  }

  var token: ValueToken { whole[walked: range] }

  /// Walks the members of an object or the elements of an array; `nil` for any other value.
  func makeReader() -> Reader? {
    let kind = token.kind
    guard kind == .object || kind == .array else { return nil }
    return Reader(self, hasNames: kind == .object)
  }

  /// Walks members or elements, over each in the same time whatever it holds.
  struct Reader {
    private let container: OutlinedValue
    private let hasNames: Bool
    private var position: Int
    private var index: Int

    fileprivate init(_ container: OutlinedValue, hasNames: Bool) {
      self.container = container
      self.hasNames = hasNames
      position = container.range.lowerBound
      index = container.index + 1
    }

    /// Returns the next member or element, or `nil` after the last.
    mutating func next() -> Entry? {
      let bytes = container.whole.bytes
      // The byte here is the opening one before the first, ',' before the others and the closing one at the end.
      guard position < container.range.upperBound - 1 else { return nil }
      var start = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
      guard start < container.range.upperBound - 1 else { return nil }
      var name: ValueToken?
      if hasNames {
        let end = JSONSyntax.endOfString(in: bytes, from: start)
        name = container.whole[walked: start..<end]
        let colon = JSONSyntax.skipWhitespace(in: bytes, from: end)
        start = JSONSyntax.skipWhitespace(in: bytes, from: colon + 1)
      }
      let isContainer = bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[")
      let end =
        isContainer ? Int(container.containers[index].end) : JSONSyntax.endOfScalar(in: bytes, from: start)
      let value = OutlinedValue(container.whole, start..<end, container.containers, index: index)
      if isContainer { index = container.containers[index].next }
      position = JSONSyntax.skipWhitespace(in: bytes, from: end)
      return Entry(name: name, value: value)
    }
  }
}
