/// The line of a text that an error is about, with a caret under the place.
package struct Excerpt: Sendable, Hashable {
  package let text: String

  /// Cuts the line around an offset out of UTF-8 text, and a long line on both sides. Terminal controls are escaped.
  ///
  /// At the text's end, the place is after the last thing before it.
  package init(of bytes: UnsafeBufferPointer<UInt8>, at offset: Int) {
    let isBreak = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || isBreak(byte) }
    let offset = offset < bytes.count ? offset : (bytes.lastIndex { !isSpace($0) } ?? -1) + 1
    let lineStart = (bytes[..<offset].lastIndex(where: isBreak) ?? -1) + 1
    let lineEnd = bytes[offset...].firstIndex(where: isBreak) ?? bytes.count
    let start = max(lineStart, offset - 60)
    let before = Self.printable(bytes[start..<offset])
    let after = Self.printable(bytes[offset..<min(lineEnd, offset + 40)])
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
