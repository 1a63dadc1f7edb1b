/// JSON5, the JSON that people write by hand (https://spec.json5.org).
package enum JSON5 {
  /// Converts a JSON5 text to a JSON text of the same value.
  ///
  /// Members keep their order. Numbers and escapes keep their text where JSON allows it; where it does not, they get
  /// the nearest text that it allows: `+.5` becomes `0.5`, `0x10` becomes `16`. Comments and line breaks are lost.
  ///
  /// - Parameters:
  ///   - bytes: The JSON5 text in UTF-8.
  ///   - maximumDepth: The deepest nesting of arrays and objects that is accepted.
  /// - Returns: The JSON text, indented by two spaces per level.
  /// - Throws: ``JSONError`` with the place in the JSON5 text. `Infinity` and `NaN`, which JSON lacks, are errors too.
  package static func json(
    from bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = JSONScanner.defaultMaximumDepth
  ) throws(JSONError) -> [UInt8] {
    var reader = JSON5Reader(bytes, maximumDepth: maximumDepth)
    let compact = try reader.read()
    var output: [UInt8] = []
    output.reserveCapacity(compact.count + compact.count / 2)
    // The reader writes JSON as it checks JSON5.
    compact.withUnsafeBufferPointer { JSONFormatter(.pretty).append(ValueToken(unchecked: $0), to: &output) }
    return output
  }
}

/// Checks a JSON5 text and writes it as JSON without white space, with a stack instead of recursion.
private struct JSON5Reader {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  var output: [UInt8] = []

  private let maximumDepth: Int
  /// Whether each open container is an object, innermost last.
  private var isObject: [Bool] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  /// Reads the whole text and returns its JSON.
  mutating func read() throws(JSONError) -> [UInt8] {
    try checkUTF8()
    output.reserveCapacity(bytes.count)
    try skipSpace()
    guard position < bytes.count else {
      throw error(.unexpectedEnd, "expected a JSON5 value, but the text is empty", at: position)
    }
    try readValue()
    try skipSpace()
    guard position == bytes.count else {
      throw error(.trailingCharacters, "expected the end of the text, found \(describe(at: position))", at: position)
    }
    return output
  }

  private mutating func readValue() throws(JSONError) {
    while true {
      guard position < bytes.count else {
        throw error(.unexpectedEnd, "expected a value, but the text ends", at: position)
      }
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if try opensContainer() { continue }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        try readString()
      case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
        try readNumber()
      default:
        try readWord()
      }
      guard try continuesContainer() else { return }
    }
  }

  /// Writes an empty container completely, or opens one and stops at its first value and returns `true`.
  private mutating func opensContainer() throws(JSONError) -> Bool {
    guard isObject.count < maximumDepth else {
      throw error(.tooDeep, "nested deeper than \(maximumDepth) levels", at: position)
    }
    let opener = bytes[position]
    position += 1
    output.append(opener)
    try skipSpace()
    // In ASCII a closing bracket or brace comes two places after its opening one.
    if position < bytes.count, bytes[position] == opener + 2 {
      output.append(opener + 2)
      position += 1
      return false
    }
    isObject.append(opener == UInt8(ascii: "{"))
    if opener == UInt8(ascii: "{") { try readName() }
    return true
  }

  /// Closes the containers that end after a value; returns `true` at the next value, or `false` when all are closed.
  private mutating func continuesContainer() throws(JSONError) -> Bool {
    while let inObject = isObject.last {
      let closer = inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
      try skipSpace()
      let hasComma = position < bytes.count && bytes[position] == UInt8(ascii: ",")
      if hasComma {
        position += 1
        try skipSpace()
      }
      guard position < bytes.count else {
        let expected =
          "expected \(hasComma ? "a \(inObject ? "member" : "value")" : "','") or '\(inObject ? "}" : "]")'"
        throw error(.unexpectedEnd, "\(expected), but the text ends", at: position)
      }
      if bytes[position] == closer {
        output.append(closer)
        position += 1
        isObject.removeLast()
      } else if hasComma {
        output.append(UInt8(ascii: ","))
        if inObject { try readName() }
        return true
      } else {
        throw error(
          .unexpectedCharacter, "expected ',' or '\(inObject ? "}" : "]")', found \(describe(at: position))",
          at: position)
      }
    }
    return false
  }

  /// Reads a member's name and the colon after it, and stops at the member's value.
  private mutating func readName() throws(JSONError) {
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") {
      try readString()
    } else {
      try readIdentifier()
    }
    try skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
      throw error(
        position < bytes.count ? .unexpectedCharacter : .unexpectedEnd,
        "expected ':' after the member name, found \(describe(at: position))", at: position)
    }
    output.append(UInt8(ascii: ":"))
    position += 1
    try skipSpace()
  }

  /// Reads `null`, `true` or `false`.
  private mutating func readWord() throws(JSONError) {
    let start = position
    while let scalar = scalar(at: position), scalar.isIdentifierPart { position += UTF8.width(scalar) }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    switch word {
    case "null", "true", "false":
      output += word.utf8
    case "Infinity", "NaN":
      throw error(.invalidNumber, "JSON has no \(word)", at: start)
    default:
      let found = word.isEmpty ? describe(at: start) : "'\(word)'"
      throw error(.unexpectedCharacter, "expected a value, found \(found)", at: start)
    }
  }

  /// Reads a number and writes it in a form that JSON allows.
  mutating func readNumber() throws(JSONError) {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { output.append(bytes[position]) }
    if bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") { position += 1 }
    switch scalar(at: position) {
    case "0" where position + 1 < bytes.count && bytes[position + 1] | 0x20 == UInt8(ascii: "x"):
      try readHexadecimal(from: start)
    case "I", "N":
      try refuseNamedNumber()
    default:
      try readDecimal()
    }
    if let next = scalar(at: position), next.isIdentifierPart || next == "\\" {
      throw error(.invalidNumber, "a number may not be followed by \(describe(at: position))", at: position)
    }
  }

  private func refuseNamedNumber() throws(JSONError) {
    for name in ["Infinity", "NaN"] where bytes[position...].starts(with: name.utf8) {
      throw error(.invalidNumber, "JSON has no \(name)", at: position)
    }
    throw error(.invalidNumber, "expected a digit, found \(describe(at: position))", at: position)
  }

  /// Reads digits with a point anywhere: `5.` loses the point, `.5` gets a zero.
  private mutating func readDecimal() throws(JSONError) {
    let integer = readDigits()
    guard integer.count < 2 || bytes[integer.lowerBound] != UInt8(ascii: "0") else {
      throw error(.invalidNumber, "a number may not start with 0", at: integer.lowerBound)
    }
    output += integer.isEmpty ? [UInt8(ascii: "0")] : Array(bytes[integer])
    var fraction = position..<position
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      fraction = readDigits()
      if !fraction.isEmpty { output += bytes[fraction.lowerBound - 1..<fraction.upperBound] }
    }
    guard !integer.isEmpty || !fraction.isEmpty else {
      throw error(.invalidNumber, "expected a digit, found \(describe(at: position))", at: position)
    }
    try readExponent()
  }

  private mutating func readExponent() throws(JSONError) {
    guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return }
    let start = position
    position += 1
    if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
      position += 1
    }
    guard !readDigits().isEmpty else {
      throw error(.invalidNumber, "expected a digit in the exponent, found \(describe(at: position))", at: position)
    }
    output += bytes[start..<position]
  }

  private mutating func readDigits() -> Range<Int> {
    let start = position
    while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
    return start..<position
  }

  /// Reads `0x` and digits; exact up to 64 bits, beyond that the nearest double, as JavaScript reads it.
  private mutating func readHexadecimal(from start: Int) throws(JSONError) {
    let prefix = position
    position += 2
    while position < bytes.count, JSONSyntax.isHexadecimal(bytes[position]) { position += 1 }
    guard position > prefix + 2 else {
      throw error(.invalidNumber, "expected a hexadecimal digit, found \(describe(at: position))", at: position)
    }
    let digits = String(decoding: bytes[prefix + 2..<position], as: UTF8.self)
    if let integer = UInt64(digits, radix: 16) {
      output += String(integer).utf8
    } else if let number = Double("0x\(digits)"), number.isFinite {
      output += JavaScriptNumber.text(of: number).utf8
    } else {
      throw error(.invalidNumber, "the number is too large", at: start)
    }
  }

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

  var isIdentifierStart: Bool { self == "$" || self == "_" || properties.isIDStart }

  var isIdentifierPart: Bool {
    self == "$" || self == "\u{200C}" || self == "\u{200D}" || properties.isIDContinue
  }
}

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
