extension JSON5Reader {
  /// Reads a string in single or double quotes and writes it in double quotes.
  mutating func readString() throws(JSONError) {
    let start = position
    let quote = bytes[start]
    position += 1
    output.append(UInt8(ascii: "\""))
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case quote:
        output.append(UInt8(ascii: "\""))
        position += 1
        return
      case UInt8(ascii: "\\"):
        try readEscape(stringStart: start)
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        throw error(.invalidString, "a string may not break the line; end the line with '\\' to go on", at: position)
      case UInt8(ascii: "\""), 0..<0x20:
        JSONText.appendEscaped(byte, to: &output)
        position += 1
      default:
        output.append(byte)
        position += 1
      }
    }
    throw error(.unexpectedEnd, "a string is not closed", at: start)
  }

  private mutating func readEscape(stringStart: Int) throws(JSONError) {
    let start = position
    guard let escaped = scalar(at: start + 1) else {
      throw error(.unexpectedEnd, "a string is not closed", at: stringStart)
    }
    position += 1 + UTF8.width(escaped)
    switch escaped {
    case "\"", "\\", "/", "b", "f", "n", "r", "t":
      output += bytes[start..<position]
    case "u":
      try readUnicodeEscape(from: start)
    case "x":
      guard position + 2 <= bytes.count, bytes[position..<position + 2].allSatisfy(JSONSyntax.isHexadecimal) else {
        throw error(.invalidString, "expected two hexadecimal digits after '\\x'", at: start)
      }
      output += "\\u00".utf8
      output += bytes[position..<position + 2]
      position += 2
    case "v":
      JSONText.appendEscaped(0x0B, to: &output)
    case "0" where !(scalar(at: position)?.isDecimalDigit ?? false):
      JSONText.appendEscaped(0x00, to: &output)
    case "0"..."9":
      throw error(.invalidString, "'\\' may not be followed by a digit", at: start)
    case "\r" where scalar(at: position) == "\n":
      position += 1
    case _ where escaped.isLineTerminator:
      break
    case _ where escaped.value < 0x20:
      JSONText.appendEscaped(UInt8(truncatingIfNeeded: escaped.value), to: &output)
    default:
      output += bytes[start + 1..<position]
    }
  }

  /// Copies the escape `\uHHHH` that starts at an offset and returns its value.
  @discardableResult
  private mutating func readUnicodeEscape(from start: Int) throws(JSONError) -> UInt16 {
    guard let value = JSONSyntax.hexadecimal(in: bytes, at: start + 2) else {
      throw error(.invalidString, "expected four hexadecimal digits after '\\u'", at: start)
    }
    position = start + 6
    output += bytes[start..<position]
    return value
  }

  /// Reads a name without quotes (ECMAScript 5.1, section 7.6) and writes it in double quotes.
  mutating func readIdentifier() throws(JSONError) {
    let start = position
    output.append(UInt8(ascii: "\""))
    while let character = scalar(at: position) {
      let isFirst = position == start
      if character == "\\", scalar(at: position + 1) == "u" {
        let escapeStart = position
        let escaped = Unicode.Scalar(try readUnicodeEscape(from: position))
        guard let escaped, isFirst ? escaped.isIdentifierStart : escaped.isIdentifierPart else {
          throw error(.unexpectedCharacter, "a name with this character must stand in quotes", at: escapeStart)
        }
      } else {
        guard isFirst ? character.isIdentifierStart : character.isIdentifierPart else { break }
        let end = position + UTF8.width(character)
        output += bytes[position..<end]
        position = end
      }
    }
    guard position > start else {
      throw error(
        position < bytes.count ? .unexpectedCharacter : .unexpectedEnd,
        "expected a member name, found \(describe(at: position))", at: position)
    }
    output.append(UInt8(ascii: "\""))
  }
}

extension Unicode.Scalar {
  fileprivate var isDecimalDigit: Bool { "0"..."9" ~= self }

  var isIdentifierStart: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "$", "_": return true
    case _ where value < 0x80: return false
    default: break
    }
    return switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: true
    default: false
    }
  }

  var isIdentifierPart: Bool {
    if isIdentifierStart || isDecimalDigit || self == "\u{200C}" || self == "\u{200D}" { return true }
    guard value >= 0x80 else { return false }
    return switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: true
    default: false
    }
  }
}
