/// Lays valid JSON text out anew; strings, numbers and the order of members stay as they are.
package struct JSONFormatter {
  private let layout: JSONLayout
  /// The line breaks of the first levels, made once: newline, margin and the level's indentation.
  private var lineBreaks: [[UInt8]] = []
  private let afterComma: [UInt8]
  private let afterColon: [UInt8]
  private let padding: [UInt8]

  /// Creates a formatter for one layout; use it for many values.
  package init(_ layout: JSONLayout) {
    self.layout = layout
    afterComma = Array(layout.afterComma.utf8)
    afterColon = Array(layout.afterColon.utf8)
    padding = Array(layout.padding.utf8)
    if layout.indent != nil { lineBreaks = (0..<8).map { Self.lineBreak(layout, level: $0) } }
  }

  /// Appends the value that starts at an offset of valid text.
  ///
  /// - Parameters:
  ///   - bytes: Valid JSON text; what follows the value is not read.
  ///   - start: The offset of the value's first byte.
  ///   - level: The number of levels the value is already nested in.
  ///   - output: Where the text goes.
  /// - Returns: The offset after the value.
  @discardableResult
  package func append(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0, level: Int = 0, to output: inout [UInt8]
  ) -> Int {
    var position = JSONSyntax.skipWhitespace(in: bytes, from: start)
    var depth = 0
    repeat {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let close = bytes[position] + 2
        output.append(bytes[position])
        position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
        if bytes[position] == close {
          output.append(close)
          position += 1
        } else {
          depth += 1
          breakLine(level + depth, padded: close == UInt8(ascii: "}"), to: &output)
          continue
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        breakLine(level + depth, padded: bytes[position] == UInt8(ascii: "}"), to: &output)
        output.append(bytes[position])
        position += 1
      case UInt8(ascii: ","):
        output.append(UInt8(ascii: ","))
        if layout.indent == nil { output += afterComma } else { breakLine(level + depth, padded: false, to: &output) }
        position += 1
      case UInt8(ascii: ":"):
        output.append(UInt8(ascii: ":"))
        output += afterColon
        position += 1
      default:
        let end = JSONSyntax.endOfValue(in: bytes, from: position)
        output += UnsafeBufferPointer(rebasing: bytes[position..<end])
        position = end
      }
      if depth > 0 { position = JSONSyntax.skipWhitespace(in: bytes, from: position) }
    } while depth > 0
    return position
  }

  private func breakLine(_ level: Int, padded: Bool, to output: inout [UInt8]) {
    guard layout.indent != nil else {
      if padded { output += padding }
      return
    }
    if level < lineBreaks.count {
      output += lineBreaks[level]
    } else {
      output += Self.lineBreak(layout, level: level)
    }
  }

  private static func lineBreak(_ layout: JSONLayout, level: Int) -> [UInt8] {
    Array((layout.newline + layout.margin + String(repeating: layout.indent ?? "", count: level)).utf8)
  }
}
