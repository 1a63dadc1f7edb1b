/// Walks everything that a value holds in the order of its text, at any depth and without a stack.
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

  /// Returns the name or scalar that starts at an offset; the value was scanned, so that a string has its end.
  private mutating func text(from start: Int) -> Token {
    let bytes = whole.bytes
    position = JSONSyntax.endOfScalar(in: bytes, from: start)
    let token = whole[walked: start..<position]
    guard bytes[start] == UInt8(ascii: "\"") else { return .scalar(token) }
    let next = JSONSyntax.skipWhitespace(in: bytes, from: position)
    return next < bytes.count && bytes[next] == UInt8(ascii: ":") ? .name(token) : .scalar(token)
  }
}
