import OrderedJSON

/// Walks the members of an object in valid JSON text, without building anything.
struct ObjectReader {
  /// A member of the object: where its name and its value stand.
  struct Member {
    /// The range of the name, its quotes included.
    let name: Range<Int>
    /// The range of the value.
    let value: Range<Int>
  }

  let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int

  /// Starts before the first member of the object that fills the bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    position = JSONSyntax.skipWhitespace(in: bytes, from: 0)
  }

  /// Returns the next member, or `nil` after the last.
  @inline(__always)
  mutating func next() -> Member? {
    // The byte here is '{' before the first member, ',' before the others and '}' at the end.
    guard bytes[position] != UInt8(ascii: "}") else { return nil }
    let nameStart = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
    guard bytes[nameStart] != UInt8(ascii: "}") else { return nil }
    let nameEnd = JSONSyntax.endOfString(in: bytes, from: nameStart)
    let colon = JSONSyntax.skipWhitespace(in: bytes, from: nameEnd)
    let valueStart = JSONSyntax.skipWhitespace(in: bytes, from: colon + 1)
    let valueEnd = JSONSyntax.endOfValue(in: bytes, from: valueStart)
    position = JSONSyntax.skipWhitespace(in: bytes, from: valueEnd)
    return Member(name: nameStart..<nameEnd, value: valueStart..<valueEnd)
  }

  /// The name of a member as text.
  func name(of member: Member) -> String {
    JSONText.unescape(UnsafeBufferPointer(rebasing: bytes[member.name]))
  }

  /// Whether a member has a name, given in UTF-8.
  @inline(__always)
  func isNamed(_ name: [UInt8], _ member: Member) -> Bool {
    let content = UnsafeBufferPointer(rebasing: bytes[(member.name.lowerBound + 1)..<(member.name.upperBound - 1)])
    if content.count == name.count { return content.elementsEqual(name) }
    // Only an escaped name can be longer than what it stands for.
    guard content.count > name.count, content.contains(UInt8(ascii: "\\")) else { return false }
    return JSONText.unescapedBytes(content) == name
  }

  /// Returns the value of the first member with a name, of the object that fills the bytes.
  static func value(named name: [UInt8], in bytes: UnsafeBufferPointer<UInt8>) -> ValueToken? {
    guard bytes.first == UInt8(ascii: "{") else { return nil }
    var reader = ObjectReader(bytes)
    while let member = reader.next() {
      if reader.isNamed(name, member) { return ValueToken(UnsafeBufferPointer(rebasing: bytes[member.value])) }
    }
    return nil
  }
}

/// Walks the elements of an array in valid JSON text, without building anything.
struct ArrayReader: Sequence, IteratorProtocol {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int

  /// Starts before the first element of the array that fills the bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    position = 0
  }

  mutating func next() -> ValueToken? {
    guard bytes[position] != UInt8(ascii: "]") else { return nil }
    let start = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
    guard bytes[start] != UInt8(ascii: "]") else {
      position = start
      return nil
    }
    let end = JSONSyntax.endOfValue(in: bytes, from: start)
    position = JSONSyntax.skipWhitespace(in: bytes, from: end)
    return ValueToken(UnsafeBufferPointer(rebasing: bytes[start..<end]))
  }
}
