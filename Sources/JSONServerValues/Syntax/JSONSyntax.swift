/// The small steps that every reader of JSON text takes.
package enum JSONSyntax {
  /// A one in each byte of a word.
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  /// The high bit of each byte of a word.
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Returns the offset after a UTF-8 byte order mark, or 0.
  package static func endOfByteOrderMark(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
  }

  /// Returns the offset of the first byte at or after an offset that is not white space.
  @inline(__always)
  package static func skipWhitespace(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
    guard offset < bytes.count, isWhitespace(bytes[offset]) else { return offset }
    return skipIndentation(in: bytes, from: offset + 1)
  }

  /// Skips white space, mostly spaces, eight bytes at a time.
  private static func skipIndentation(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
    var position = offset
    while let word = word(in: bytes, at: position) {
      let others = word ^ (ones &* 0x20)
      position += others.trailingZeroBitCount / 8
      if others != 0 { break }
    }
    while position < bytes.count, isWhitespace(bytes[position]) { position += 1 }
    return position
  }

  /// Returns the eight bytes at an offset, the first in the lowest place; `nil` where there are fewer.
  @inline(__always)
  static func word(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt64? {
    guard offset + 8 <= bytes.count else { return nil }
    // Bytes that are not empty have an address.
    let address = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + offset)
    return UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
  }

  /// Whether a byte is JSON's white space: space, tab, line feed or carriage return.
  @inline(__always)
  package static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Returns the offset of the first byte that is a quote, a backslash, a control character or not ASCII.
  ///
  /// Eight bytes at a time: this loop is where most of a file's bytes are read.
  @inline(__always)
  static func skipPlainASCII(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
    var position = offset
    while let word = word(in: bytes, at: position) {
      let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
      let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
      // For each byte, the high bit means: zero after the xor, below 0x20, or not ASCII.
      let found =
        ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- (ones &* 0x20)) & ~word) | word
      let mask = found & highBits
      if mask != 0 { return position + mask.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
      position += 1
    }
    return position
  }

  /// Returns the offset of the first byte that is a quote, a backslash or a control character.
  static func skipUnescaped(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
    var position = skipPlainASCII(in: bytes, from: offset)
    while position < bytes.count, bytes[position] >= 0x80 { position = skipPlainASCII(in: bytes, from: position + 1) }
    return position
  }

  /// Returns the offset after the character of two to four bytes that starts at an offset; `nil` if there is none (RFC
  /// 3629: no overlong forms, no surrogates, none above U+10FFFF).
  static func endOfMultibyteCharacter(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    func byte(_ index: Int) -> UInt8 { start + index < bytes.count ? bytes[start + index] : 0 }
    func continues(_ index: Int) -> Bool { byte(index) & 0xC0 == 0x80 }
    let second = byte(1)
    switch bytes[start] {
    case 0xC2...0xDF where continues(1): return start + 2
    case 0xE0 where second >= 0xA0 && continues(1) && continues(2): return start + 3
    case 0xED where second < 0xA0 && continues(1) && continues(2): return start + 3
    case 0xE1...0xEC where continues(1) && continues(2): return start + 3
    case 0xEE...0xEF where continues(1) && continues(2): return start + 3
    case 0xF0 where second >= 0x90 && continues(1) && continues(2) && continues(3): return start + 4
    case 0xF1...0xF3 where continues(1) && continues(2) && continues(3): return start + 4
    case 0xF4 where second < 0x90 && continues(1) && continues(2) && continues(3): return start + 4
    default: return nil
    }
  }

  /// Returns the value of four hexadecimal digits, or `nil`.
  static func hexadecimal(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt16? {
    guard offset + 4 <= bytes.count else { return nil }
    var value: UInt16 = 0
    for byte in bytes[offset..<(offset + 4)] {
      guard let digit = hexadecimalValue(byte) else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  /// Returns the value of one hexadecimal digit, or `nil`.
  @inlinable
  package static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether a byte is a hexadecimal digit.
  @inlinable
  package static func isHexadecimal(_ byte: UInt8) -> Bool { hexadecimalValue(byte) != nil }

  /// Returns the offset after the string that starts at an offset, in scanned text: the closing quote is there.
  @inline(__always)
  static func endOfString(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var quote = start
    while true {
      quote = nextQuote(in: bytes, from: quote + 1)
      // Each two backslashes before it are an escaped one; one that is left over escapes the quote.
      var content = quote
      while bytes[content - 1] == UInt8(ascii: "\\") { content -= 1 }
      if (quote - content) & 1 == 0 { return quote + 1 }
    }
  }

  /// Returns the offset of the first quote at or after an offset of a string that has an end.
  @inline(__always)
  private static func nextQuote(in bytes: UnsafeBufferPointer<UInt8>, from offset: Int) -> Int {
    var position = offset
    var isFirst = true
    // Most strings are short: eight bytes, then 64 as long as there is no quote, and the rest again by eight.
    while let word = word(in: bytes, at: position) {
      let others = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
      let found = (others &- ones) & ~others & highBits
      if found != 0 { return position + found.trailingZeroBitCount / 8 }
      position += 8
      guard isFirst else { continue }
      isFirst = false
      // Bytes that are not empty have an address.
      let base = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
      while position + 64 <= bytes.count, !holdsQuote(base + position) { position += 64 }
    }
    // The string was scanned: its closing quote ends the loop.
    while bytes[position] != UInt8(ascii: "\"") { position += 1 }
    return position
  }

  /// Whether 64 bytes hold a quote.
  @inline(__always)
  private static func holdsQuote(_ bytes: UnsafeRawPointer) -> Bool {
    let found = (quotes(bytes) .| quotes(bytes + 16)) .| (quotes(bytes + 32) .| quotes(bytes + 48))
    // As words: the compiler makes slow code of `any`.
    let words = unsafeBitCast(found, to: SIMD2<UInt64>.self)
    return words.x | words.y != 0
  }

  /// Which of 16 bytes are quotes.
  @inline(__always)
  private static func quotes(_ bytes: UnsafeRawPointer) -> SIMDMask<SIMD16<Int8>> {
    bytes.loadUnaligned(as: SIMD16<UInt8>.self) .== SIMD16(repeating: UInt8(ascii: "\""))
  }

  /// Returns the offset after the string, number or literal that starts at an offset, in text that was
  /// scanned.
  @inline(__always)
  static func endOfScalar(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard bytes[start] != UInt8(ascii: "\"") else { return endOfString(in: bytes, from: start) }
    var position = start + 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0A, 0x0D, 0x09: return position
      default: position += 1
      }
    }
    return position
  }

  /// Returns the offset after the value that starts at an offset, in text that was scanned.
  static func endOfValue(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var position = start
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = endOfString(in: bytes, from: position)
        if depth == 0 { return position }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return position }
        depth -= 1
        position += 1
        if depth == 0 { return position }
      case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
        if depth == 0 { return position }
        position += 1
      default:
        position += 1
      }
    }
    return position
  }

  /// The character at an offset as an error message shows it.
  static func describe(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the text" }
    let tail = bytes[offset..<min(offset + 4, bytes.count)]
    switch String(decoding: tail, as: UTF8.self).unicodeScalars.first {
    case let scalar? where scalar.value >= 0x20 && scalar.value != 0x7F && scalar.value != 0xFFFD: return "'\(scalar)'"
    default: return "the byte 0x\(String(bytes[offset], radix: 16, uppercase: true))"
    }
  }
}

/// Reads and writes the pieces of valid JSON text.
package enum JSONText {
  /// Returns the characters of a JSON string token, its escapes resolved.
  ///
  /// A lone surrogate escape, which no Swift string can hold, becomes U+FFFD.
  ///
  /// - Parameter token: The bytes of the string, its quotes included.
  static func unescape(_ token: UnsafeBufferPointer<UInt8>) -> String {
    let content = UnsafeBufferPointer(rebasing: token[1..<(token.count - 1)])
    guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
    return String(decoding: unescapedBytes(content), as: UTF8.self)
  }

  /// Returns the bytes of a string's content with its escapes resolved; the content was scanned, so each backslash
  /// has what follows it.
  static func unescapedBytes(_ content: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    var position = 0
    while position < content.count {
      guard content[position] == UInt8(ascii: "\\") else {
        result.append(content[position])
        position += 1
        continue
      }
      // Every scalar has a form in UTF-8.
      readEscape(in: content, at: &position).map { result.append(contentsOf: UTF8.encode($0).unsafelyUnwrapped) }
    }
    return result
  }

  /// Returns the character that an escape stands for and steps over it; `nil` where the text ends before it does.
  ///
  /// - Precondition: There is a backslash at the offset.
  package static func readEscape(
    in content: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> Unicode.Scalar? {
    guard position + 1 < content.count else {
      position = content.count
      return nil
    }
    let kind = content[position + 1]
    position += 2
    switch kind {
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return unescapeScalar(content, &position)
    default: return Unicode.Scalar(kind)
    }
  }

  /// Reads the digits after `\u`, and a second escape when the two make a surrogate pair.
  private static func unescapeScalar(_ content: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Unicode.Scalar {
    let first = JSONSyntax.hexadecimal(in: content, at: position) ?? 0xFFFD
    position += 4
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, position + 6 <= content.count, content[position] == UInt8(ascii: "\\"),
      content[position + 1] == UInt8(ascii: "u"),
      let second = JSONSyntax.hexadecimal(in: content, at: position + 2), 0xDC00...0xDFFF ~= second
    else { return "\u{FFFD}" }
    position += 6
    let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// Appends a string as a JSON token, escaped as JSON.stringify escapes it.
  package static func appendEscaped(_ string: String, to output: inout [UInt8]) {
    var string = string
    string.withUTF8 { bytes in
      output.append(UInt8(ascii: "\""))
      var position = 0
      while position < bytes.count {
        let end = JSONSyntax.skipUnescaped(in: bytes, from: position)
        output += UnsafeBufferPointer(rebasing: bytes[position..<end])
        position = end
        guard position < bytes.count else { break }
        appendEscaped(bytes[position], to: &output)
        position += 1
      }
      output.append(UInt8(ascii: "\""))
    }
  }

  /// Appends values that a closure writes, separated by commas and in brackets or braces.
  @inlinable
  package static func appendList<Value>(
    _ values: some Sequence<Value>, _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, to output: inout [UInt8],
    _ append: (Value, inout [UInt8]) -> Void
  ) {
    output.append(UInt8(ascii: opening))
    for (index, value) in values.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      append(value, &output)
    }
    output.append(UInt8(ascii: closing))
  }

  /// Appends values as an array, without white space between them.
  package static func appendArray(_ values: [ValidJSON], to output: inout [UInt8]) {
    appendList(values, "[", "]", to: &output) { value, output in value.withToken { output += $0.bytes } }
  }

  /// Appends a quote, a backslash or a control character as an escape.
  static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0..<0x20:
      output += "u00".utf8
      output.append(hexadecimalDigits[Int(byte >> 4)])
      output.append(hexadecimalDigits[Int(byte & 15)])
    default: output.append(byte)
    }
  }

  private static let hexadecimalDigits = Array("0123456789abcdef".utf8)
}
