/// Text of clients and files, made safe for a terminal and a log.
package enum LogText {
  /// Escapes control characters, line breaks and characters that change the direction of text as `\u{1B}`.
  package static func escaped(_ text: String) -> String {
    replacingUnsafe(in: text) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  /// Escapes the same characters in the strings of JSON text as `\u202E`, so that a reader gets the original
  /// characters.
  package static func escapedInJSON(_ text: String) -> String {
    // All of them have four digits or fewer, and none occurs outside strings in JSON text on one line.
    replacingUnsafe(in: text) { "\\u\(String(0x1_0000 + $0.value, radix: 16, uppercase: true).dropFirst())" }
  }

  /// A request's target for people: with its escapes decoded where possible, and made safe.
  package static func readable(_ target: String) -> String {
    escaped(PercentEncoding.decode(target.utf8, plusIsSpace: false) ?? target)
  }

  /// A number with a comma between thousands.
  package static func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
    return (number < 0 ? "-" : "") + String(digits)
  }

  /// A size in a suitable unit.
  package static func size(_ bytes: Int) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")]
    guard let (unit, name) = units.first(where: { bytes >= $0.0 }) else { return "\(bytes) B" }
    return "\(grouped(bytes / unit)) \(name)"
  }

  /// A duration in seconds, such as `1.4 s`.
  package static func seconds(_ duration: Duration) -> String {
    let tenths = Int(duration / .milliseconds(100))
    return "\(tenths / 10).\(tenths % 10) s"
  }

  private static func replacingUnsafe(
    in text: String, with escape: (Unicode.Scalar) -> String
  ) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    return text.unicodeScalars.map { isUnsafe($0) ? escape($0) : String($0) }.joined()
  }

  /// The width of a text in a terminal: two columns for each East Asian or emoji character.
  package static func width(of text: String) -> Int {
    text.reduce(0) { width, character in
      width + (character.unicodeScalars.first.map(isWide) == true ? 2 : 1)
    }
  }

  /// The spaces that fill a text to a width, for columns.
  package static func padding(of text: String, to width: Int) -> String {
    String(repeating: " ", count: max(width - self.width(of: text), 0))
  }

  /// The wide ranges of Unicode's East Asian Width (UAX #11), without their small gaps.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    case 0x2028, 0x2029, 0xFEFF: true
    default: false
    }
  }
}

/// The line of an error in a text, with a caret below the place.
package struct Excerpt: Sendable, Hashable {
  package let text: String

  /// Takes the line around an offset out of UTF-8 text; cuts a long line on both sides, and escapes terminal controls.
  ///
  /// At the text's end, the caret is after the last visible character.
  package init(of bytes: UnsafeBufferPointer<UInt8>, at offset: Int) {
    let isBreak = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || isBreak(byte) }
    let offset = offset < bytes.count ? offset : (bytes.lastIndex { !isSpace($0) } ?? -1) + 1
    // Of a long line, no more is read than is shown.
    let first = max(offset - 61, 0)
    let lineStart = bytes[first..<offset].lastIndex(where: isBreak).map { $0 + 1 } ?? first
    let end = min(offset + 40, bytes.count)
    let lineEnd = bytes[offset..<end].firstIndex(where: isBreak) ?? end
    let start = max(lineStart, offset - 60)
    let before = Self.printable(bytes[start..<offset])
    let after = Self.printable(bytes[offset..<lineEnd])
    let mark = start > lineStart ? "…" : ""
    text = "  \(mark)\(before)\(after)\n  \(String(repeating: " ", count: mark.count + LogText.width(of: before)))^"
  }

  /// Cuts the line around an offset out of UTF-8 text.
  package init(of bytes: [UInt8], at offset: Int) {
    self = bytes.withUnsafeBufferPointer { Excerpt(of: $0, at: offset) }
  }

  private static func printable(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    LogText.escaped(String(decoding: bytes, as: UTF8.self).replacing("\t", with: " "))
  }
}
