import JSONServerValues

/// A CSV table with a header row, as JSON.
struct CSVTable {
  /// The JSON text of an array with one object for each row; an empty table is an empty array.
  private(set) var json: [UInt8] = [UInt8(ascii: "[")]
  /// The columns with a JSON string, array or object in a cell; the types of other records do not count for their
  /// values.
  private(set) var exactNames: Set<[UInt8]> = []

  /// Reads a table.
  ///
  /// An unquoted cell becomes a number, boolean or null if its text is exactly that. A quoted cell becomes a string,
  /// array or object if its text is JSON of that kind. Any other cell is a string, and an empty unquoted one is left
  /// out. Afterwards, values get the types of the collection's other records, except in ``exactNames``.
  ///
  /// - Throws: 400 with the line that breaks RFC 4180, or whose number of cells differs from the header's.
  init(_ body: [UInt8]) throws(RequestError) {
    guard String(validating: body, as: UTF8.self) != nil else {
      throw RequestError(.malformed, "The CSV in the body is not UTF-8; send it as UTF-8.")
    }
    var reader = CSVReader(body)
    guard let header = try reader.nextRow() else {
      json.append(UInt8(ascii: "]"))
      return
    }
    let names = try Self.memberNames(header)
    json.reserveCapacity(body.count * 2)
    while let row = try reader.nextRow() {
      guard row.cells.count == names.count else {
        throw RequestError(
          .malformed,
          """
          Line \(row.line) of the CSV has \(row.cells.count) cells, but the header has \(names.count); give it as many, \
          or put a cell that holds a comma in quotes.
          """)
      }
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      append(row, names)
    }
    json.append(UInt8(ascii: "]"))
  }

  /// The name of a column.
  private struct Column {
    let name: [UInt8]
    /// The name as a JSON token, with its colon.
    let token: [UInt8]
  }

  private static func memberNames(_ header: CSVReader.Row) throws(RequestError) -> [Column] {
    var names: [Column] = []
    var seen: Set<[UInt8]> = []
    for (index, cell) in header.cells.enumerated() {
      let quotedName = cell.exactValue?.string
      let name = quotedName ?? String(decoding: cell.bytes, as: UTF8.self)
      guard !name.isEmpty || quotedName != nil else {
        throw RequestError(.malformed, "Column \(index + 1) of the CSV has no name in the header row; give it one.")
      }
      guard seen.insert(Array(name.utf8)).inserted else {
        throw RequestError(.malformed, "The column '\(name)' stands twice in the CSV's header row; rename one of them.")
      }
      var token: [UInt8] = []
      JSONText.appendEscaped(name, to: &token)
      token.append(UInt8(ascii: ":"))
      names.append(Column(name: Array(name.utf8), token: token))
    }
    return names
  }

  private mutating func append(_ row: CSVReader.Row, _ names: [Column]) {
    let members = zip(names, row.cells).filter { $1.isQuoted || !$1.bytes.isEmpty }
    JSONText.appendList(members, "{", "}", to: &json) { member, output in
      let (column, cell) = member
      output += column.token
      if cell.exactValue != nil {
        exactNames.insert(column.name)
        output += cell.bytes
      } else if !cell.isQuoted, Self.isLiteral(cell.bytes) {
        output += cell.bytes
      } else {
        JSONText.appendEscaped(String(decoding: cell.bytes, as: UTF8.self), to: &output)
      }
    }
  }

  /// Whether a cell is, byte for byte, a JSON number, boolean or null.
  private static func isLiteral(_ cell: [UInt8]) -> Bool {
    switch cell.first {
    case UInt8(ascii: "t"): cell.elementsEqual("true".utf8)
    case UInt8(ascii: "f"): cell.elementsEqual("false".utf8)
    case UInt8(ascii: "n"): cell.elementsEqual("null".utf8)
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
      JSONNumber(text: String(decoding: cell, as: UTF8.self)) != nil
    default: false
    }
  }
}

/// Reads comma-separated values row by row (RFC 4180). Lines may end with LF alone; empty lines are skipped. Semicolons
/// or tabs separate the values when the first line has them and no comma.
struct CSVReader {
  /// One cell of a row.
  struct Cell: Hashable {
    /// The text, without its quotes.
    var bytes: [UInt8] = []
    /// Whether the text was in quotes.
    var isQuoted = false

    /// The JSON string, array or object in a quoted cell; `nil` for any other cell.
    var exactValue: JSONValue? {
      guard isQuoted, let first = bytes.first, "\"[{".utf8.contains(first) else { return nil }
      return try? JSONValue(parsing: bytes)
    }
  }

  /// The cells of one row.
  struct Row: Hashable {
    /// The line on which the row starts, from 1.
    let line: Int
    var cells: [Cell] = []
  }

  private let bytes: [UInt8]
  private var position: Int
  private var line = 1
  private let separator: UInt8

  /// Starts to read a table; a byte order mark at its start is skipped.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.withUnsafeBufferPointer(JSONSyntax.endOfByteOrderMark)
    var isQuoted = false
    var separators: Set<UInt8> = []
    for byte in bytes[position...] {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard !isQuoted else { continue }
      if byte == UInt8(ascii: "\n") { break }
      if ",;\t".utf8.contains(byte) { separators.insert(byte) }
    }
    let comma = UInt8(ascii: ",")
    separator = separators.count == 1 ? separators.first ?? comma : comma
  }

  /// Reads the next row; `nil` at the end of the table.
  ///
  /// - Throws: 400 with the line, for misplaced or unclosed quotes.
  mutating func nextRow() throws(RequestError) -> Row? {
    while takeLineEnd() {}
    guard position < bytes.count else { return nil }
    var row = Row(line: line)
    repeat {
      row.cells.append(try nextCell())
    } while take(separator)
    _ = takeLineEnd()
    return row
  }

  /// Reads a cell up to the separator or the line end after it.
  private mutating func nextCell() throws(RequestError) -> Cell {
    if take(UInt8(ascii: "\"")) { return try quotedCell() }
    let start = position
    while position < bytes.count, !isCellEnd {
      guard bytes[position] != UInt8(ascii: "\"") else {
        throw RequestError(
          .malformed,
          "Line \(line) of the CSV has a quote inside a cell without quotes; put the cell in quotes and double the quote."
        )
      }
      position += 1
    }
    return Cell(bytes: Array(bytes[start..<position]))
  }

  private mutating func quotedCell() throws(RequestError) -> Cell {
    let opening = line
    var cell = Cell(isQuoted: true)
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        guard take(UInt8(ascii: "\"")) else {
          guard position == bytes.count || isCellEnd else {
            throw RequestError(
              .malformed,
              "Line \(line) of the CSV has text after a closing quote; end the cell there, or double the quote.")
          }
          return cell
        }
      } else if byte == UInt8(ascii: "\n") {
        line += 1
      }
      cell.bytes.append(byte)
    }
    throw RequestError(.malformed, "The quote that opens on line \(opening) of the CSV is not closed; close it.")
  }

  /// Whether a separator or a line end is next.
  private var isCellEnd: Bool {
    switch bytes[position] {
    case separator, UInt8(ascii: "\n"): true
    case UInt8(ascii: "\r"): position + 1 == bytes.count || bytes[position + 1] == UInt8(ascii: "\n")
    default: false
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func takeLineEnd() -> Bool {
    guard position < bytes.count, isCellEnd, bytes[position] != separator else { return false }
    if bytes[position] == UInt8(ascii: "\r") { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
    line += 1
    return true
  }
}
