/// How JSON text is spread over lines.
package struct JSONLayout: Sendable, Hashable {
  /// The indentation of each level; `nil` keeps everything on one line.
  package var indent: String?
  /// The indentation of each line of a multi-line value but the first.
  package var margin: String
  /// The text between members on one line, after the comma.
  package var afterComma: String
  /// The text between a name's colon and its value.
  package var afterColon: String
  /// The text inside the braces of an object on one line.
  package var padding: String
  /// The end of a line.
  package var newline: String
  /// The text after a comma in lists of strings, numbers and the like that are on one line, where all else has lines of its
  /// own; `nil` for lists that have, too.
  package var afterElement: String?

  package init(
    indent: String? = "  ", margin: String = "", afterComma: String = "", afterColon: String = " ",
    padding: String = "", newline: String = "\n"
  ) {
    self.indent = indent
    self.margin = margin
    self.afterComma = afterComma
    self.afterColon = afterColon
    self.padding = padding
    self.newline = newline
  }

  /// Whether nothing but white space is written, so that the text stays valid.
  var isBlank: Bool {
    [indent ?? "", margin, afterComma, afterColon, padding, newline, afterElement ?? ""].allSatisfy { text in
      text.utf8.allSatisfy(JSONSyntax.isWhitespace)
    }
  }

  /// Two spaces per level, as `JSON.stringify(value, null, 2)` writes.
  package static let pretty = JSONLayout()

  /// No white space at all.
  package static let compact = JSONLayout(indent: nil, afterColon: "")
}

/// Changes the layout of valid JSON text; strings, numbers and the order of members stay as they are.
package struct JSONFormatter {
  private let isOneLine: Bool
  private let indent: [UInt8]
  private let afterComma: [UInt8]
  private let afterColon: [UInt8]
  private let padding: [UInt8]
  private let afterElement: [UInt8]?
  /// Newline, margin and indentation, made in advance for the deepest level; a prefix of it serves every other level.
  private let lineBreak: [UInt8]
  private let lineStartCount: Int
  /// The first eight bytes of the line break as a number; `nil` where members have no line of their own, or no space after
  /// their colon.
  private let usualBreak: UInt64?

  /// Creates a formatter for one layout; use it for many values.
  package init(_ layout: JSONLayout) {
    isOneLine = layout.indent == nil
    indent = Array((layout.indent ?? "").utf8)
    afterComma = Array(layout.afterComma.utf8)
    afterColon = Array(layout.afterColon.utf8)
    padding = Array(layout.padding.utf8)
    afterElement = layout.afterElement.map { Array($0.utf8) }
    let lineStart = layout.newline + layout.margin
    lineStartCount = lineStart.utf8.count
    lineBreak = Array((lineStart + String(repeating: layout.indent ?? "", count: Self.levelsInAdvance)).utf8)
    let isUsual = !isOneLine && layout.afterColon == " "
    usualBreak = isUsual ? lineBreak.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } : nil
  }

  private static let levelsInAdvance = 16
  /// What is deeper is indented no further: its text would grow as the square of its depth. Text from outside is not.
  private static let deepestIndent = 1_000

  /// Appends a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - level: The number of levels the value is already nested in.
  ///   - output: The bytes to append the text to.
  package func append(_ value: ValidJSON, level: Int = 0, to output: inout [UInt8]) {
    value.withToken { append($0, level: level, to: &output) }
  }

  /// Appends a value; see ``append(_:level:to:)-(ValidJSON,_,_)``.
  package func append(_ value: ValueToken, level: Int = 0, to output: inout [UInt8]) {
    var position = Position()
    append(value, level: level, next: .max, from: &position, to: &output)
  }

  /// How far a value was written.
  package struct Position: Sendable {
    fileprivate var offset = 0
    fileprivate var depth = 0

    /// The start of a value.
    package init() {}

    /// Whether the value was written to its end.
    package var isAtEnd: Bool { offset > 0 && depth == 0 }
  }

  /// Appends the next part of a value.
  ///
  /// - Parameters:
  ///   - count: The number of bytes of the value after which the part ends, behind a whole string or number.
  ///   - position: How far the value was written, and then is; the whole value is written by parts that follow each other.
  package func append(
    _ value: ValueToken, level: Int, next count: Int, from position: inout Position, to output: inout [UInt8]
  ) {
    GatheredText.append(to: &output) { append(value, level: level, next: count, from: &position, to: &$0) }
  }

  /// Appends the next part of a value; see ``append(_:level:next:from:to:)-(_,_,_,_,[UInt8])``.
  package func append(
    _ value: ValueToken, level: Int, next count: Int, from position: inout Position, to output: inout GatheredText
  ) {
    write(value.bytes, level: level, from: &position, stoppingAt: position.offset + count, to: &output)
  }

  /// Writes up to an offset, or to the end.
  ///
  /// The bytes are one valid value, so that a bracket closes each level before they end.
  @inline(__always)
  private func write(
    _ bytes: UnsafeBufferPointer<UInt8>, level: Int, from start: inout Position, stoppingAt end: Int,
    to output: inout GatheredText
  ) {
    var position = start.offset
    var depth = start.depth
    // Where the bytes begin that are the same in both layouts and are not written yet.
    var unwritten = position
    repeat {
      switch bytes[position] {
      case UInt8(ascii: "[") where afterElement != nil && Self.isPlainList(bytes, from: position):
        output.append(bytes, unwritten..<position)
        position = writeList(bytes, from: position, to: &output)
        unwritten = position
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let close = bytes[position] + 2
        output.append(bytes, unwritten..<(position + 1))
        position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
        unwritten = position
        guard bytes[position] == close else {
          depth += 1
          breakLine(level + depth, padded: close == UInt8(ascii: "}"), to: &output)
          continue
        }
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        output.append(bytes, unwritten..<position)
        breakLine(level + depth, padded: bytes[position] == UInt8(ascii: "}"), to: &output)
        unwritten = position
        position += 1
      case UInt8(ascii: ","):
        output.append(bytes, unwritten..<(position + 1))
        if isOneLine { output.append(afterComma) } else { breakLine(level + depth, padded: false, to: &output) }
        position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
        unwritten = position
        continue
      case UInt8(ascii: ":"):
        let gap = position + 1
        position = JSONSyntax.skipWhitespace(in: bytes, from: gap)
        if position - gap != afterColon.count || !bytes[gap..<position].elementsEqual(afterColon) {
          output.append(bytes, unwritten..<gap)
          output.append(afterColon)
          unwritten = position
        }
        continue
      default:
        position = JSONSyntax.endOfScalar(in: bytes, from: position)
        if let usualBreak {
          writeMembers(bytes, usualBreak, level + depth, from: &position, &unwritten, stoppingAt: end, to: &output)
        }
      }
      let gap = position
      position = JSONSyntax.skipWhitespace(in: bytes, from: gap)
      if position > gap {
        output.append(bytes, unwritten..<gap)
        unwritten = position
      }
    } while depth > 0 && position < end
    output.append(bytes, unwritten..<position)
    (start.offset, start.depth) = (position, depth)
  }

  /// Writes members that have lines of their own in the text, too, as long as they follow each other: copies a line and the
  /// indentation of the next one at once, and lines with the same indentation together.
  ///
  /// - Parameter position: The end of a string or number, perhaps of a member's name, and then of the last that was read.
  @inline(__always)
  private func writeMembers(
    _ bytes: UnsafeBufferPointer<UInt8>, _ usualBreak: UInt64, _ level: Int, from position: inout Int,
    _ unwritten: inout Int, stoppingAt end: Int, to output: inout GatheredText
  ) {
    let count = lineStartCount + level * indent.count
    // Inside of an object, more bytes follow.
    while position < end, position + 2 < bytes.count, bytes[position] == UInt8(ascii: ":"), bytes[position + 1] == 0x20
    {
      let value = bytes[position + 2]
      guard value != UInt8(ascii: "{"), value != UInt8(ascii: "["), !JSONSyntax.isWhitespace(value) else { return }
      position = JSONSyntax.endOfScalar(in: bytes, from: position + 2)
      let gap = position + 1
      guard bytes[position] == UInt8(ascii: ","), bytes[gap] == 0x0A else { return }
      let next = JSONSyntax.skipWhitespace(in: bytes, from: gap)
      if count <= min(8, next - gap),
        JSONSyntax.word(in: bytes, at: gap).map({ ($0 ^ usualBreak) << (64 - 8 * count) }) == 0
      {
        if next > gap + count {
          output.append(bytes, unwritten..<(gap + count))
          unwritten = next
        }
      } else {
        output.append(bytes, unwritten..<gap)
        breakLine(level, padded: false, to: &output)
        unwritten = next
      }
      position = JSONSyntax.endOfString(in: bytes, from: next)
    }
  }

  /// Whether a list has elements, and none is a list or an object.
  private static func isPlainList(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    var position = start
    repeat {
      position = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
      if "[{]".utf8.contains(bytes[position]) { return false }
      position = JSONSyntax.skipWhitespace(in: bytes, from: JSONSyntax.endOfScalar(in: bytes, from: position))
    } while bytes[position] == UInt8(ascii: ",")
    return true
  }

  /// Writes a list of scalars on one line, and returns the offset after it.
  private func writeList(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to output: inout GatheredText) -> Int {
    var position = start
    while bytes[position] != UInt8(ascii: "]") {
      output.append(bytes, position..<(position + 1))
      if position > start { output.append(afterElement ?? []) }
      let element = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
      let end = JSONSyntax.endOfScalar(in: bytes, from: element)
      output.append(bytes, element..<end)
      position = JSONSyntax.skipWhitespace(in: bytes, from: end)
    }
    output.append(bytes, position..<(position + 1))
    return position + 1
  }

  private func breakLine(_ level: Int, padded: Bool, to output: inout GatheredText) {
    if isOneLine {
      if padded { output.append(padding) }
    } else {
      breakLine(level, to: &output)
    }
  }

  /// Appends the end of a line, and the indentation of the next one.
  package func breakLine(_ level: Int, to output: inout GatheredText) {
    let advance = min(level, Self.levelsInAdvance)
    let count = lineStartCount + advance * indent.count
    lineBreak.withUnsafeBufferPointer { output.append(UnsafeBufferPointer(rebasing: $0[..<count])) }
    for _ in advance..<max(advance, min(level, Self.deepestIndent)) { output.append(indent) }
  }
}
