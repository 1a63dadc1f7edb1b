extension JSON5Reader {
  /// Reads a number and writes it as JSON allows it.
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
}
