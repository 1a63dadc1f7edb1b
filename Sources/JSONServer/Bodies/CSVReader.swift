import HTTPTypes

/// Reads comma-separated values row by row (RFC 4180). Lines may end with LF alone; empty lines are skipped.
struct CSVReader {
  /// One cell of a row.
  struct Cell: Hashable {
    /// The text, without its quotes.
    var bytes: [UInt8] = []
    /// Whether the text was in quotes.
    var isQuoted = false
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

  /// Starts to read a table; a byte order mark at its start is skipped.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// Reads the next row; `nil` at the end of the table.
  ///
  /// - Throws: 400 with the line, when quotes are where they may not be, or do not end.
  mutating func nextRow() throws(RequestError) -> Row? {
    while takeLineEnd() {}
    guard position < bytes.count else { return nil }
    var row = Row(line: line)
    repeat {
      row.cells.append(try nextCell())
    } while take(UInt8(ascii: ","))
    _ = takeLineEnd()
    return row
  }

  /// Reads a cell up to the comma or the line end after it.
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

  /// Whether a comma or a line end is next.
  private var isCellEnd: Bool {
    switch bytes[position] {
    case UInt8(ascii: ","), UInt8(ascii: "\n"): true
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
    guard position < bytes.count, isCellEnd, bytes[position] != UInt8(ascii: ",") else { return false }
    if bytes[position] == UInt8(ascii: "\r") { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "\n") { position += 1 }
    line += 1
    return true
  }
}
