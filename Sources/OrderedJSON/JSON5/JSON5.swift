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

/// Checks a JSON5 text and writes it as JSON without white space, with a stack of its own instead of recursion.
struct JSON5Reader {
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

  /// Closes what ends after a value; stops at the next value and returns `true`, or returns `false` when all is closed.
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
}
