import JSONDatabase
import OrderedJSON

/// Reads a source's text into a database.
struct SourceParser: Sendable {
  let schema: Schema
  let ids: IDGenerator

  /// Reads text that a file or another source of this name holds.
  ///
  /// - Throws: ``SourceFault`` with the place of the first fault.
  func parse(_ text: Text, name: String) throws(SourceFault) -> Database {
    do throws(LoadError) {
      return try Database(parsing: try plainJSON(text, name: name), schema: schema, ids: ids)
    } catch {
      throw SourceFault(error, name: name, text: text)
    }
  }

  /// Reads text that a file of a directory holds.
  ///
  /// - Throws: ``SourceFault`` with the place of the first fault.
  func part(_ text: Text, resource: String, path: String) throws(SourceFault) -> DatabasePart {
    do throws(LoadError) {
      return try DatabasePart(name: resource, parsing: try plainJSON(text, name: path), schema: schema)
    } catch {
      throw SourceFault(error, name: path, text: text)
    }
  }

  private func plainJSON(_ text: Text, name: String) throws(LoadError) -> Text {
    guard name.hasSuffix(".json5") else { return text }
    return try text.withBytes { bytes throws(LoadError) in
      do throws(JSONError) {
        return Text(try JSON5.json(from: bytes, maximumDepth: schema.maximumDepth))
      } catch {
        throw LoadError(error, in: bytes)
      }
    }
  }
}

/// Why a source's text cannot be served, with the line it is about.
struct SourceFault: Error, Sendable, CustomStringConvertible {
  /// The place, the fault and the remedy: `database.json:3:5: expected ',' or '}', found '"'`.
  let description: String
  /// The line and a caret under the column.
  let excerpt: String

  init(_ error: LoadError, name: String, text: Text) {
    description = "\(name):\(error.position.line):\(error.position.column): \(error.message)"
    excerpt = text.withBytes { Self.excerpt(of: $0, error.offset, column: error.position.column) }
  }

  /// A window of the line around a fault; long lines are cut on both sides.
  private static func excerpt(of bytes: UnsafeBufferPointer<UInt8>, _ offset: Int, column: Int) -> String {
    let offset = min(offset, bytes.count)
    let isBreak = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let lineStart = (bytes[..<offset].lastIndex(where: isBreak) ?? -1) + 1
    let lineEnd = bytes[offset...].firstIndex(where: isBreak) ?? bytes.count
    let start = max(lineStart, offset - 60)
    let before = printable(bytes[start..<offset])
    let after = printable(bytes[offset..<min(lineEnd, offset + 40)])
    let mark = start > lineStart ? "…" : ""
    return "  \(mark)\(before)\(after)\n  \(String(repeating: " ", count: mark.count + before.count))^"
  }

  /// Text for a terminal: tabs are spaces, control characters are shown as a replacement.
  private static func printable(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      text.unicodeScalars.append(
        scalar == "\t" ? " " : scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
    }
    return text
  }
}
