/// A document that is being changed at places that pointers name; all its other bytes stay.
struct DocumentDraft {
  /// Why a change is impossible.
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
  /// The bytes that were walked and written.
  private var handled = 0

  init(_ document: ValidJSON, maximumDepth: Int, maximumGrowth: Int, maximumSize: Int) {
    self.document = document
    originalCount = document.count
    self.maximumDepth = maximumDepth
    self.maximumGrowth = maximumGrowth
    self.maximumSize = maximumSize
  }

  /// The value to which a pointer leads.
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
          throw Failure(.conflict, "'\(String(decoding: last, as: UTF8.self))' is no position in an array")
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
        // A file may give a member twice; none of them is left.
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

  /// Counts what an operation costs.
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

  /// Where the members of an object, from their names on, or the elements of an array are in the document.
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
