/// An error in a JSON text, and its place.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error.
  public enum Code: Sendable, Hashable {
    /// A character is where the grammar does not allow it.
    case unexpectedCharacter
    /// The text ends inside of the value.
    case unexpectedEnd
    /// A number has a form that JSON lacks, such as `01` or `1.`.
    case invalidNumber
    /// A string holds a bad escape or a raw control character.
    case invalidString
    /// The bytes are not UTF-8.
    case invalidUTF8
    /// Arrays and objects are nested deeper than allowed.
    case tooDeep
    /// There are characters after the value.
    case trailingCharacters
    /// A value takes more than 4 GiB.
    case tooLarge
    /// The text is JSON, but not the expected value.
    case unsuitable
  }

  /// The kind of error, for a switch.
  public let code: Code

  /// A sentence for people, without the place.
  public let message: String

  /// The offset of the error in bytes, from 0.
  public let offset: Int

  /// The line of the error, from 1.
  public let line: Int

  /// The column of the error in characters, from 1.
  public let column: Int

  /// The place and the message: `3:5: expected ',' or '}', found '"'`.
  public var description: String { "\(line):\(column): \(message)" }
}

extension JSONError {
  /// Creates an error and determines the line and the column of its offset. O(offset).
  package init(_ code: Code, _ message: String, at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    let place = TextPosition(offset: offset, in: bytes)
    self.init(code: code, message: message, offset: offset, line: place.line, column: place.column)
  }
}

/// A position in a text for people.
package struct TextPosition: Sendable, Hashable {
  /// The line, from 1.
  package let line: Int
  /// The column in characters, from 1.
  package let column: Int

  /// Determines the line and the column of a byte offset. O(offset).
  package init(offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    var line = 1
    let end = min(offset, bytes.count)
    // Editors do not show a byte order mark, so it takes no column.
    var lineStart = min(JSONSyntax.endOfByteOrderMark(in: bytes), end)
    for position in 0..<end where bytes[position] == UInt8(ascii: "\n") {
      line += 1
      lineStart = position + 1
    }
    self.line = line
    // A byte of the form 10xxxxxx continues a character that is already counted.
    column = 1 + bytes[lineStart..<end].count { $0 & 0xC0 != 0x80 }
  }
}
