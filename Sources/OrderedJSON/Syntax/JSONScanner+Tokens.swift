extension JSONScanner {
  /// Checks the number that starts at an offset and returns the offset after it (RFC 8259, section 6).
  func scanNumber(from start: Int) throws(JSONError) -> Int {
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
  func scanString(from start: Int) throws(JSONError) -> Int {
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
        position = try scanMultibyteCharacter(from: position)
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

  /// Checks one character of two to four bytes and returns the offset after it.
  private func scanMultibyteCharacter(from start: Int) throws(JSONError) -> Int {
    guard let end = JSONSyntax.endOfMultibyteCharacter(in: bytes, from: start) else {
      throw .notUTF8(at: start, in: bytes)
    }
    return end
  }
}

extension JSONError {
  /// The error for bytes that are not a character in UTF-8.
  static func notUTF8(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> JSONError {
    JSONError(.invalidUTF8, "the text is not UTF-8 here; save it as UTF-8", at: offset, in: bytes)
  }
}
