/// Checks JSON text against RFC 8259, value by value, and finds where each value ends.
///
/// The scanner builds nothing and never recurses: nesting costs one byte per level, so a text that is too deep is
/// refused, never a cause of a crash. It runs at about 2 GB/s in a release build.
package struct JSONScanner {
  /// The text to check.
  package let text: UTF8Slice

  /// The bytes of the text; valid while the scanner lives, which keeps the text alive.
  let bytes: UnsafeBufferPointer<UInt8>

  /// The deepest nesting of arrays and objects that is accepted.
  private let maximumDepth: Int

  /// Whether each open container is an object, innermost last.
  private var isObject: [Bool] = []

  /// The nesting that is accepted unless another is given.
  package static let defaultMaximumDepth = 512

  /// Creates a scanner of a text.
  package init(_ text: UTF8Slice, maximumDepth: Int = Self.defaultMaximumDepth) {
    self.text = text
    bytes = text.bytes
    self.maximumDepth = maximumDepth
  }

  /// Checks a whole text: one value with nothing but white space around it.
  ///
  /// - Returns: The value, without the white space. A leading byte order mark is skipped.
  package mutating func scanDocument() throws(JSONError) -> ValidJSON {
    let start = skipWhitespace(from: JSONSyntax.endOfByteOrderMark(in: bytes))
    guard start < bytes.count else {
      throw error(.unexpectedEnd, "expected a JSON value, but the text is empty", at: start)
    }
    let value = try scanValue(from: start)
    let rest = skipWhitespace(from: offset(after: value))
    guard rest == bytes.count else {
      throw error(.trailingCharacters, "expected the end of the text, found \(describe(at: rest))", at: rest)
    }
    return value
  }

  /// Returns the offset of the first byte at or after an offset that is not white space.
  package func skipWhitespace(from offset: Int) -> Int {
    JSONSyntax.skipWhitespace(in: bytes, from: offset)
  }

  /// Checks the value that starts at an offset.
  ///
  /// - Parameters:
  ///   - start: The offset of the value's first byte.
  ///   - depth: The number of containers already open around the value.
  package mutating func scanValue(from start: Int, depth: Int = 0) throws(JSONError) -> ValidJSON {
    let end = try endOfValue(from: start, depth: depth)
    guard end - start <= ValidJSON.maximumCount else {
      throw error(.tooLarge, "a value takes more than \(ValidJSON.maximumCount) bytes", at: start)
    }
    return ValidJSON(text.storage, uncheckedRange: (text.offset + start)..<(text.offset + end))
  }

  /// The offset in the text after a value that was scanned in it.
  package func offset(after value: ValidJSON) -> Int {
    value.offset + value.count - text.offset
  }

  /// Checks the value that starts at an offset and returns the offset just after it.
  private mutating func endOfValue(from start: Int, depth: Int) throws(JSONError) -> Int {
    isObject.removeAll(keepingCapacity: true)
    var position = start
    while true {
      // A value starts here.
      guard position < bytes.count else { throw expected("a value", at: position) }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = try scanString(from: position)
      case UInt8(ascii: "{"):
        try checkDepth(depth, at: position)
        position = skipWhitespace(from: position + 1)
        if position < bytes.count, bytes[position] == UInt8(ascii: "}") {
          position += 1
        } else {
          isObject.append(true)
          position = try scanName(from: position, after: "{")
          continue
        }
      case UInt8(ascii: "["):
        try checkDepth(depth, at: position)
        position = skipWhitespace(from: position + 1)
        if position < bytes.count, bytes[position] == UInt8(ascii: "]") {
          position += 1
        } else {
          isObject.append(false)
          continue
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        position = try scanNumber(from: position)
      case UInt8(ascii: "t"): position = try scanLiteral("true", from: position)
      case UInt8(ascii: "f"): position = try scanLiteral("false", from: position)
      case UInt8(ascii: "n"): position = try scanLiteral("null", from: position)
      default:
        throw unexpectedValue(at: position)
      }
      // A value has ended; close what ends with it.
      while true {
        guard let inObject = isObject.last else { return position }
        position = skipWhitespace(from: position)
        if position < bytes.count, bytes[position] == UInt8(ascii: ",") {
          position = skipWhitespace(from: position + 1)
          if inObject { position = try scanName(from: position, after: ",") }
          break
        }
        guard position < bytes.count, bytes[position] == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw expected("',' or '\(inObject ? "}" : "]")'", at: position)
        }
        isObject.removeLast()
        position += 1
      }
    }
  }

  /// Checks a member's name and the colon after it, and returns the name and the offset of the member's value.
  package func scanMember(
    from start: Int, after opener: Character
  ) throws(JSONError) -> (name: String, value: Int) {
    let value = try scanName(from: start, after: opener)
    // The name was scanned just now.
    let end = JSONSyntax.endOfString(in: bytes, from: start)
    return (JSONText.unescape(UnsafeBufferPointer(rebasing: bytes[start..<end])), value)
  }

  /// Checks a member's name and the colon after it, and returns the offset of the member's value.
  private func scanName(from start: Int, after opener: Character) throws(JSONError) -> Int {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else {
      let isTrailingComma = opener == "," && bytes[start...].first == UInt8(ascii: "}")
      throw expected("a member name in quotes", at: start, afterTrailingComma: isTrailingComma)
    }
    let colon = skipWhitespace(from: try scanString(from: start))
    guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
      throw expected("':' after the member name", at: colon)
    }
    return skipWhitespace(from: colon + 1)
  }

  private func checkDepth(_ outer: Int, at offset: Int) throws(JSONError) {
    guard outer + isObject.count < maximumDepth else {
      throw error(.tooDeep, "nested deeper than \(maximumDepth) levels", at: offset)
    }
  }

  private func scanLiteral(_ literal: StaticString, from start: Int) throws(JSONError) -> Int {
    let count = literal.utf8CodeUnitCount
    for index in 0..<count {
      guard start + index < bytes.count else { throw expected("'\(literal)'", at: bytes.count) }
      guard bytes[start + index] == literal.utf8Start[index] else { throw unexpectedValue(at: start) }
    }
    return start + count
  }

  /// Creates an error with the line and column of an offset.
  package func error(_ code: JSONError.Code, _ message: String, at offset: Int) -> JSONError {
    JSONError(code, message, at: offset, in: bytes)
  }

  /// Creates the error for an offset at which something else is expected.
  package func expected(_ what: String, at offset: Int, afterTrailingComma: Bool = false) -> JSONError {
    guard offset < bytes.count else { return error(.unexpectedEnd, "expected \(what), but the text ends", at: offset) }
    let remedy = afterTrailingComma ? "; remove the comma before it" : ""
    return error(.unexpectedCharacter, "expected \(what), found \(describe(at: offset))\(remedy)", at: offset)
  }

  private func unexpectedValue(at offset: Int) -> JSONError {
    let before = bytes[..<offset].last { !JSONSyntax.isWhitespace($0) }
    let isTrailingComma = bytes[offset] == UInt8(ascii: "]") && before == UInt8(ascii: ",")
    return expected("a value", at: offset, afterTrailingComma: isTrailingComma)
  }

  /// The character at an offset as an error message shows it.
  package func describe(at offset: Int) -> String {
    guard offset < bytes.count else { return JSONSyntax.describe(in: bytes, at: offset) }
    switch bytes[offset] {
    case UInt8(ascii: "'"): return "a single quote (JSON uses double quotes)"
    case UInt8(ascii: "/"): return "'/' (JSON has no comments)"
    default: return JSONSyntax.describe(in: bytes, at: offset)
    }
  }

  /// Checks the number that starts at an offset and returns the offset after it (RFC 8259, section 6).
  private func scanNumber(from start: Int) throws(JSONError) -> Int {
    var position = start
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let integer = position
    position = skipDigits(from: position)
    guard position > integer else {
      throw error(.invalidNumber, "expected a digit after '-', found \(describe(at: position))", at: position)
    }
    guard bytes[integer] != UInt8(ascii: "0") || position == integer + 1 else {
      throw error(.invalidNumber, "a number may not start with 0", at: integer)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      let fraction = position + 1
      position = skipDigits(from: fraction)
      guard position > fraction else {
        throw error(.invalidNumber, "expected a digit after '.', found \(describe(at: position))", at: position)
      }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      let exponent = position
      position = skipDigits(from: exponent)
      guard position > exponent else {
        throw error(.invalidNumber, "expected a digit in the exponent, found \(describe(at: position))", at: position)
      }
    }
    return position
  }

  private func skipDigits(from start: Int) -> Int {
    var position = start
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
    return position
  }

  /// Checks the string that starts at an offset, its quotes included, and returns the offset after it.
  private func scanString(from start: Int) throws(JSONError) -> Int {
    var position = start + 1
    while true {
      position = JSONSyntax.skipPlainASCII(in: bytes, from: position)
      guard position < bytes.count else {
        throw error(.unexpectedEnd, "a string is not closed", at: start)
      }
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") { return position + 1 }
      if byte == UInt8(ascii: "\\") {
        position = try scanEscape(from: position)
      } else if byte < 0x20 {
        throw error(
          .invalidString, "a control character in a string must be escaped, found \(describe(at: position))",
          at: position)
      } else {
        guard let end = JSONSyntax.endOfMultibyteCharacter(in: bytes, from: position) else {
          throw .notUTF8(at: position, in: bytes)
        }
        position = end
      }
    }
  }

  private func scanEscape(from start: Int) throws(JSONError) -> Int {
    guard start + 1 < bytes.count else { throw error(.unexpectedEnd, "a string is not closed", at: start) }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      guard JSONSyntax.hexadecimal(in: bytes, at: start + 2) != nil else {
        throw error(.invalidString, "expected four hexadecimal digits after '\\u'", at: start)
      }
      return start + 6
    default:
      throw error(.invalidString, "'\\' must be followed by one of \"\\/bfnrtu", at: start)
    }
  }
}

extension JSONError {
  /// The error for bytes that are not a character in UTF-8.
  static func notUTF8(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> JSONError {
    JSONError(.invalidUTF8, "the text is not UTF-8 here; save it as UTF-8", at: offset, in: bytes)
  }
}
