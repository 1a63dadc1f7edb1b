/// Reads the members of an object without building anything.
///
/// The object was scanned: after each `{` and `,` a name and a value follow, and its last byte is `}`. So no step
/// leaves the bytes, although none checks for their end.
package struct ObjectReader: Sequence, IteratorProtocol {
  /// A member of an object.
  package struct Member {
    /// The name, including its quotes.
    package let name: ValueToken
    /// The value.
    package let value: ValueToken

    /// The name as text.
    package var nameText: String { JSONText.unescape(name.bytes) }

    /// Whether the member has a name, given in UTF-8.
    package func isNamed(_ wanted: [UInt8]) -> Bool { name.isString(wanted) }
  }

  /// The object.
  package let object: ValueToken
  private var position = 0

  /// Starts before the first member; `nil` when the value is not an object.
  package init?(_ value: ValueToken) {
    guard value.kind == .object else { return nil }
    object = value
  }

  /// Returns the next member, or `nil` after the last.
  package mutating func next() -> Member? {
    let bytes = object.bytes
    // The byte here is '{' before the first member, ',' before the others and '}' at the end.
    guard bytes[position] != UInt8(ascii: "}") else { return nil }
    let nameStart = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
    guard bytes[nameStart] != UInt8(ascii: "}") else { return nil }
    let nameEnd = JSONSyntax.endOfString(in: bytes, from: nameStart)
    let colon = JSONSyntax.skipWhitespace(in: bytes, from: nameEnd)
    let valueStart = JSONSyntax.skipWhitespace(in: bytes, from: colon + 1)
    let valueEnd = JSONSyntax.endOfValue(in: bytes, from: valueStart)
    position = JSONSyntax.skipWhitespace(in: bytes, from: valueEnd)
    return Member(name: object[walked: nameStart..<nameEnd], value: object[walked: valueStart..<valueEnd])
  }
}

/// Reads the elements of an array without building anything.
///
/// As with ``ObjectReader``, no step leaves the bytes, because they were scanned.
package struct ArrayReader: Sequence, IteratorProtocol {
  private let array: ValueToken
  private var position = 0

  /// Starts before the first element; `nil` when the value is not an array.
  package init?(_ value: ValueToken) {
    guard value.kind == .array else { return nil }
    array = value
  }

  /// Returns the next element, or `nil` after the last.
  package mutating func next() -> ValueToken? {
    let bytes = array.bytes
    // The byte here is '[' before the first element, ',' before the others and ']' at the end.
    guard bytes[position] != UInt8(ascii: "]") else { return nil }
    let start = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
    guard bytes[start] != UInt8(ascii: "]") else {
      position = start
      return nil
    }
    let end = JSONSyntax.endOfValue(in: bytes, from: start)
    position = JSONSyntax.skipWhitespace(in: bytes, from: end)
    return array[walked: start..<end]
  }
}

extension ValueToken {
  /// Whether the value is a string with a text, given in UTF-8.
  func isString(_ wanted: [UInt8]) -> Bool {
    let content = content
    if content.count == wanted.count { return content.elementsEqual(wanted) }
    // Only an escaped string can be longer than its text.
    guard content.count > wanted.count, content.contains(UInt8(ascii: "\\")) else { return false }
    return JSONText.unescapedBytes(content) == wanted
  }

  /// The value of an object's first member with a name; `nil` for a missing member, and if the value is not an object.
  package func member(_ name: [UInt8]) -> ValueToken? {
    guard var reader = ObjectReader(self) else { return nil }
    while let member = reader.next() {
      if member.isNamed(name) { return member.value }
    }
    return nil
  }
}

extension ValidJSON {
  /// The value of an object's first member with a name; `nil` for a missing member, and if the value is not an object.
  package func member(_ name: [UInt8]) -> ValidJSON? {
    withToken { whole in whole.member(name).map { part($0, of: whole) } }
  }

  /// The kind of the value.
  package var kind: ValueToken.Kind { withToken { $0.kind } }

  /// The members of an object, and the offsets of their names in the storage; `nil` for a value that is not an object.
  package var members: [(name: String, nameOffset: Int, value: ValidJSON)]? {
    withToken { whole in
      guard var reader = ObjectReader(whole) else { return nil }
      var members: [(name: String, nameOffset: Int, value: ValidJSON)] = []
      while let member = reader.next() {
        members.append((member.nameText, offset + member.name.offset(in: whole), part(member.value, of: whole)))
      }
      return members
    }
  }

  /// The members of an object with some names, of a repeated name the last one as in ``JSONValue``, without reading the
  /// values of the others; empty for a value that is not an object.
  package func members(named names: [String]) -> JSONObject {
    var members = JSONObject()
    let wanted = names.map { ($0, Array($0.utf8)) }
    withToken { whole in
      guard var reader = ObjectReader(whole) else { return }
      while let member = reader.next() {
        for (name, bytes) in wanted where member.isNamed(bytes) {
          members[name] = JSONValue(part(member.value, of: whole))
        }
      }
    }
    return members
  }

  /// The elements of an array; `nil` for a value that is not an array.
  package var elements: [ValidJSON]? {
    withToken { whole in ArrayReader(whole)?.map { part($0, of: whole) } }
  }
}

/// Reads all tokens of a value in the order of its text, at any depth and without a stack.
package struct TokenReader {
  package enum Token {
    /// An object's or an array's first byte.
    case open(ValueToken.Kind)
    /// An object's or an array's last byte.
    case close
    /// A member's name.
    case name(ValueToken)
    /// A value that is neither an object nor an array.
    case scalar(ValueToken)
  }

  private let whole: ValueToken
  /// The offset after the last token.
  package private(set) var position = 0

  /// Starts before the first token.
  package init(_ value: ValueToken) {
    whole = value
  }

  /// Returns the next token, or `nil` after the last.
  package mutating func next() -> Token? {
    let bytes = whole.bytes
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"):
        position += 1
        return .open(.object)
      case UInt8(ascii: "["):
        position += 1
        return .open(.array)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        position += 1
        return .close
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
        position += 1
      default: return text(from: position)
      }
    }
    return nil
  }

  /// Steps over the value of the member whose name was the last token, and returns the value's range.
  package mutating func skipValue() -> Range<Int> {
    let colon = JSONSyntax.skipWhitespace(in: whole.bytes, from: position)
    let start = JSONSyntax.skipWhitespace(in: whole.bytes, from: colon + 1)
    position = JSONSyntax.endOfValue(in: whole.bytes, from: start)
    return start..<position
  }

  /// Returns the name or scalar at an offset; the value was scanned, so every string ends.
  private mutating func text(from start: Int) -> Token {
    let bytes = whole.bytes
    position = JSONSyntax.endOfScalar(in: bytes, from: start)
    let token = whole[walked: start..<position]
    guard bytes[start] == UInt8(ascii: "\"") else { return .scalar(token) }
    let next = JSONSyntax.skipWhitespace(in: bytes, from: position)
    return next < bytes.count && bytes[next] == UInt8(ascii: ":") ? .name(token) : .scalar(token)
  }
}
