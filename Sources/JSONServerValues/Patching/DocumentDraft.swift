/// A document that changes at the places of pointers; all other bytes stay.
struct DocumentDraft {
  /// The reason why a change is impossible.
  struct Failure: Error {
    let code: PatchError.Code
    /// The end of a sentence.
    let reason: String

    init(_ code: PatchError.Code, _ reason: String) {
      self.code = code
      self.reason = reason
    }

    static func missing(_ pointer: some Collection<[UInt8]>) -> Failure {
      Failure(.conflict, "there is nothing at '\(text(pointer))'")
    }

    fileprivate static func text(_ tokens: some Collection<[UInt8]>) -> String {
      tokens.map { token in
        "/"
          + String(decoding: token, as: UTF8.self).replacing("~", with: "~0").replacing("/", with: "~1")
      }.joined()
    }
  }

  private(set) var document: ValidJSON
  private let originalCount: Int
  private let maximumDepth: Int
  private let maximumGrowth: Int
  private let maximumSize: Int
  /// The number of bytes that were read and written.
  private var handled = 0

  init(_ document: ValidJSON, maximumDepth: Int, maximumGrowth: Int, maximumSize: Int) {
    self.document = document
    originalCount = document.count
    self.maximumDepth = maximumDepth
    self.maximumGrowth = maximumGrowth
    self.maximumSize = maximumSize
  }

  /// The value at a pointer.
  mutating func value(at pointer: JSONPointer) throws(Failure) -> ValidJSON {
    try handle(document.count)
    let value = document.withToken { whole in
      whole.value(at: pointer.tokens[...]).map { document.part($0, of: whole) }
    }
    guard let value else { throw .missing(pointer.tokens) }
    return value
  }

  /// Sets a member, or inserts an element before the one at its position; `-` is the position after the last.
  mutating func add(_ value: ValidJSON, at pointer: JSONPointer) throws(Failure) {
    guard let last = pointer.tokens.last else {
      document = value
      return
    }
    let path = pointer.tokens.dropLast()
    try edit { whole throws(Failure) in
      guard let parent = whole.value(at: path) else { throw .missing(path) }
      let text = value.utf8
      switch parent.kind {
      case .object:
        if let member = parent.member(last) { return (member.range(in: whole), text) }
        var name: [UInt8] = []
        JSONText.appendEscaped(String(decoding: last, as: UTF8.self), to: &name)
        return Self.appending(name + [UInt8(ascii: ":")] + text, to: parent, of: whole)
      case .array:
        let items = Self.items(of: parent, in: whole)
        if last == Array("-".utf8) { return Self.appending(text, to: parent, of: whole) }
        guard let position = ValueToken.position(last) else {
          throw Failure(.conflict, "'\(String(decoding: last, as: UTF8.self))' is not a position in an array")
        }
        guard position <= items.count else {
          throw Failure(.conflict, "the array has \(items.count) elements, so \(position) is beyond its end")
        }
        guard position < items.count else { return Self.appending(text, to: parent, of: whole) }
        let start = items[position].lowerBound
        return (start..<start, text + [UInt8(ascii: ",")])
      case .null, .bool, .number, .string:
        throw Failure(
          .conflict, "'\(Failure.text(path))' is \(parent.kind.description), which has no members or elements")
      }
    }
  }

  /// Removes a member or an element.
  mutating func remove(_ pointer: JSONPointer) throws(Failure) {
    guard let last = pointer.tokens.last else {
      throw Failure(.conflict, "the whole document cannot be removed by a patch")
    }
    let path = pointer.tokens.dropLast()
    try edit { whole throws(Failure) in
      guard let parent = whole.value(at: path), let value = parent.value(at: [last]) else {
        throw .missing(pointer.tokens)
      }
      if parent.kind == .object {
        // A file may have a member twice; both are removed.
        return (parent.range(in: whole), ValidJSON(parent, removing: [last]).utf8)
      }
      let items = Self.items(of: parent, in: whole)
      let end = value.range(in: whole).upperBound
      // The value was found there.
      guard let position = items.firstIndex(where: { $0.upperBound == end }) else {
        throw .missing(pointer.tokens)
      }
      if position > 0 { return (items[position - 1].upperBound..<end, []) }
      let next = items.count > 1 ? items[1].lowerBound : end
      return (items[0].lowerBound..<next, [])
    }
  }

  /// Replaces an existing value.
  mutating func replace(_ pointer: JSONPointer, with value: ValidJSON) throws(Failure) {
    guard !pointer.tokens.isEmpty else {
      document = value
      return
    }
    try edit { whole throws(Failure) in
      guard let old = whole.value(at: pointer.tokens[...]) else { throw .missing(pointer.tokens) }
      return (old.range(in: whole), value.utf8)
    }
  }

  /// Replaces a range of the document.
  private mutating func edit(
    _ change: (ValueToken) throws(Failure) -> (range: Range<Int>, text: [UInt8])
  ) throws(Failure) {
    let text = try document.withToken { whole throws(Failure) in
      let (range, text) = try change(whole)
      let count = whole.bytes.count - range.count + text.count
      guard count - originalCount <= maximumGrowth else {
        throw Failure(
          .tooLarge, "the result has over \(maximumGrowth) bytes more than there were, the most that a patch may add")
      }
      try handle(count)
      return whole.bytes[..<range.lowerBound] + text + whole.bytes[range.upperBound...]
    }
    do throws(JSONError) {
      document = try ValidJSON(parsing: Array(text), maximumDepth: maximumDepth)
    } catch {
      throw Failure(.tooDeep, "the result is \(error.message)")
    }
  }

  /// Counts the cost of an operation.
  private mutating func handle(_ count: Int) throws(Failure) {
    handled += count
    guard handled <= maximumSize else {
      throw Failure(.tooLarge, "the patch handles more than \(maximumSize >> 20) MiB; send it in parts")
    }
  }

  private static func appending(
    _ text: [UInt8], to container: ValueToken, of whole: ValueToken
  ) -> (range: Range<Int>, text: [UInt8]) {
    let end = container.range(in: whole).upperBound - 1
    let isEmpty = items(of: container, in: whole).isEmpty
    return (end..<end, isEmpty ? text : [UInt8(ascii: ",")] + text)
  }

  /// The ranges of an object's members, including their names, or of an array's elements, in the document.
  private static func items(of container: ValueToken, in whole: ValueToken) -> [Range<Int>] {
    if let elements = ArrayReader(container) { return elements.map { $0.range(in: whole) } }
    var items: [Range<Int>] = []
    guard var reader = ObjectReader(container) else { return items }
    while let member = reader.next() {
      items.append(member.name.range(in: whole).lowerBound..<member.value.range(in: whole).upperBound)
    }
    return items
  }
}

/// A value with the ends of all its arrays and objects, found in one pass.
///
/// Without these, going into a value level by level would read all deeper levels again at each level.
struct OutlinedValue {
  private struct Container {
    /// The offset after the container.
    var end: UInt32
    /// The index of the first container after this one.
    var next: Int
  }

  /// A member of an object or, without a name, an element of an array.
  struct Entry {
    let name: ValueToken?
    let value: OutlinedValue
  }

  private let whole: ValueToken
  private let range: Range<Int>
  /// All arrays and objects, in the order in which they start.
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
        // A value has at most 4 GiB, and each end of an array or object has a start.
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

  /// Returns a reader of an object's members or an array's elements; `nil` for any other value.
  func makeReader() -> Reader? {
    let kind = token.kind
    guard kind == .object || kind == .array else { return nil }
    return Reader(self, hasNames: kind == .object)
  }

  /// Reads members or elements, each in the same time.
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

extension ValueToken {
  /// Whether two values are equal by RFC 6902 (section 4.6): numbers by value, strings by characters, objects in any
  /// order.
  ///
  /// Of members with the same name, the first counts.
  ///
  /// - Complexity: O(size of both), for objects on average.
  func isEqual(to other: ValueToken) -> Bool {
    bytes.elementsEqual(other.bytes) || OutlinedValue(self).isEqual(to: OutlinedValue(other))
  }
}

extension OutlinedValue {
  /// Compares with a stack instead of recursion.
  fileprivate func isEqual(to other: OutlinedValue) -> Bool {
    var pairs = [(self, other)]
    while let (left, right) = pairs.popLast() {
      guard left.isEqual(to: right, butFor: &pairs) else { return false }
    }
    return true
  }

  /// Whether two values are equal, provided that the elements and members are equal that are added to the pairs.
  private func isEqual(to other: OutlinedValue, butFor pairs: inout [(OutlinedValue, OutlinedValue)]) -> Bool {
    let (token, counterpart) = (token, other.token)
    guard token.kind == counterpart.kind else { return false }
    switch token.kind {
    case .null: return true
    case .bool: return token.bytes.elementsEqual(counterpart.bytes)
    case .number:
      return token.bytes.elementsEqual(counterpart.bytes)
        || DecimalNumber(token.bytes) == DecimalNumber(counterpart.bytes)
    case .string: return token.unescapedContent == counterpart.unescapedContent
    case .array:
      guard var left = makeReader(), var right = other.makeReader() else { return false }
      while let element = left.next() {
        guard let counterpart = right.next() else { return false }
        pairs.append((element.value, counterpart.value))
      }
      return right.next() == nil
    case .object:
      let (left, right) = (firstMembers, other.firstMembers)
      guard left.count == right.count else { return false }
      for (name, value) in left {
        guard let counterpart = right[name] else { return false }
        pairs.append((value, counterpart))
      }
      return true
    }
  }

  private var firstMembers: [[UInt8]: OutlinedValue] {
    var members: [[UInt8]: OutlinedValue] = [:]
    var reader = makeReader()
    while let member = reader?.next(), let token = member.name {
      let name = token.unescapedContent
      if members[name] == nil { members[name] = member.value }
    }
    return members
  }
}
