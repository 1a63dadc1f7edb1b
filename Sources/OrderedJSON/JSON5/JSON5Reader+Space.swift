extension JSON5Reader {
  /// Checks that the text is UTF-8, which all other steps rely on.
  func checkUTF8() throws(JSONError) {
    var position = 0
    while position < bytes.count {
      guard bytes[position] >= 0x80 else {
        position += 1
        continue
      }
      guard let end = JSONSyntax.endOfMultibyteCharacter(in: bytes, from: position) else {
        throw .notUTF8(at: position, in: bytes)
      }
      position = end
    }
  }

  /// Skips white space and comments.
  mutating func skipSpace() throws(JSONError) {
    while let scalar = scalar(at: position) {
      if scalar.isJSON5WhiteSpace || scalar.isLineTerminator {
        position += UTF8.width(scalar)
      } else if scalar == "/" {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(JSONError) {
    let start = position
    position += 2
    switch scalar(at: start + 1) {
    case "/":
      while let scalar = scalar(at: position), !scalar.isLineTerminator { position += UTF8.width(scalar) }
    case "*":
      while position + 1 < bytes.count {
        if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
          position += 2
          return
        }
        position += 1
      }
      throw error(.unexpectedEnd, "a comment is not closed", at: start)
    default:
      throw error(.unexpectedCharacter, "expected '//' or '/*' to start a comment", at: start)
    }
  }

  /// The character at an offset, or `nil` at the end.
  func scalar(at offset: Int) -> Unicode.Scalar? {
    guard offset < bytes.count else { return nil }
    guard bytes[offset] >= 0x80 else { return Unicode.Scalar(bytes[offset]) }
    return String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
  }

  func error(_ code: JSONError.Code, _ message: String, at offset: Int) -> JSONError {
    JSONError(code, message, at: offset, in: bytes)
  }

  func describe(at offset: Int) -> String {
    JSONSyntax.describe(in: bytes, at: offset)
  }
}

extension Unicode.Scalar {
  /// Whether the character ends a line in ECMAScript 5.1, section 7.3.
  var isLineTerminator: Bool {
    switch self {
    case "\n", "\r", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  fileprivate var isJSON5WhiteSpace: Bool {
    switch self {
    case "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{FEFF}": true
    default: value >= 0x80 && properties.generalCategory == .spaceSeparator
    }
  }
}
