import JSONServerValues

/// A fault of a document: its place, what is wrong, and what to do.
package struct DocumentFault: Error, Sendable, Hashable, CustomStringConvertible {
  package let file: String
  /// The line and the column, from 1.
  package let line: Int
  package let column: Int
  /// The offset in bytes, from 0.
  package let offset: Int
  package let message: String

  /// The fault in one line: `openapi.yaml:3:5: the reference '#/x' has no target; …`.
  package var description: String { "\(file):\(line):\(column): \(message)" }
}

/// Where the values of a JSON or YAML text are.
package struct DocumentPlaces: Sendable {
  private let reader: YAMLReader
  /// The offset of each line.
  private let lines: [Int]
  /// The marks of the values in an object or a list that was looked for, by their names, by its own mark.
  private var children: [Int: [String: Int]] = [:]
  /// The fault before: in one long line, columns are counted from there.
  private var last: (line: Int, offset: Int, column: Int) = (0, 0, 0)

  /// Reads a text.
  package init(in text: [UInt8], name: String) {
    var reader = YAMLReader(text, name: name)
    _ = try? reader.document()
    self.init(of: reader)
  }

  /// Takes the places of a text that was read.
  init(of reader: YAMLReader) {
    self.reader = reader
    var lines = [reader.start]
    reader.bytes.withUnsafeBufferPointer { bytes in
      for offset in bytes.indices where bytes[offset] == UInt8(ascii: "\n") { lines.append(offset + 1) }
    }
    self.lines = lines
  }

  /// Creates the fault of a value by its path. That of a value which has no place is at the one around it.
  package mutating func fault(_ message: String, at path: [String]) -> DocumentFault {
    var (mark, offset) = (0, 0)
    for name in [nil] + path {
      if let name {
        guard let child = child(name, of: mark) else { break }
        mark = child
      }
      if reader.marks.indices.contains(mark), reader.marks[mark].offset >= 0 { offset = reader.marks[mark].offset }
    }
    offset = max(offset, reader.start)
    let line = lines.partitioningIndex { $0 > offset }
    if last.line != line || last.offset > offset { last = (line, lines[line - 1], 1) }
    // A byte of the form 10xxxxxx continues a character that is already counted.
    last.column += reader.bytes[last.offset..<offset].count { $0 & 0xC0 != 0x80 }
    last.offset = offset
    return DocumentFault(file: reader.name, line: line, column: last.column, offset: offset, message: message)
  }

  private mutating func child(_ name: String, of mark: Int) -> Int? {
    guard reader.marks.indices.contains(mark) else { return nil }
    if children[mark] == nil {
      var (found, next, count) = ([String: Int](), mark + 1, 0)
      while next < min(reader.marks[mark].end, reader.marks.count) {
        let name = reader.marks[next].name ?? String(count)
        if found[name] == nil { found[name] = next }
        (next, count) = (reader.marks[next].end, count + 1)
      }
      children[mark] = found
    }
    return children[mark]?[name]
  }
}

extension Document {
  /// Whether a text is an OpenAPI document, by its name or its members.
  package static func isDocument(_ text: [UInt8], name: String) -> Bool {
    if [".yaml", ".yml"].contains(where: name.hasSuffix) { return true }
    let start = String(decoding: text.prefix(4096), as: UTF8.self)
    guard start.contains("\"openapi\"") || start.contains("\"swagger\"") else { return false }
    // Of JSON, two members are found without a tree of all values.
    let json = try? ValidJSON(parsing: text)
    let members = json.map { JSONValue.object($0.members(named: ["openapi", "swagger"])) }
    guard let value = members ?? (try? YAMLReader.value(of: text, name: name)) else {
      return start.contains("\"paths\"")
    }
    return (value["openapi"] ?? value["swagger"])?.string != nil
  }
}
