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
