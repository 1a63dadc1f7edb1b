import HTTPTypes
import OrderedJSON

/// Turns a CSV table with a header row into JSON.
enum CSVTable {
  /// Returns a table as the JSON text of an array with one object for each row; an empty table is an empty array.
  ///
  /// A cell without quotes that is exactly a JSON number, `true`, `false` or `null` becomes that; any other is a
  /// string. What the records of the collection have under the column's name decides afterwards.
  ///
  /// - Throws: 400 with the line that breaks RFC 4180, or whose number of cells differs from the header's.
  static func json(_ body: [UInt8]) throws(RequestError) -> [UInt8] {
    guard String(validating: body, as: UTF8.self) != nil else {
      throw RequestError(.malformed, "The CSV in the body is not UTF-8; send it as UTF-8.")
    }
    var reader = CSVReader(body)
    guard let header = try reader.nextRow() else { return Array("[]".utf8) }
    let names = try memberNames(header)
    var output: [UInt8] = [UInt8(ascii: "[")]
    output.reserveCapacity(body.count * 2)
    while let row = try reader.nextRow() {
      guard row.cells.count == names.count else {
        throw RequestError(
          .malformed,
          """
          Line \(row.line) of the CSV has \(row.cells.count) cells, but the header has \(names.count); give it as many, \
          or put a cell that holds a comma in quotes.
          """)
      }
      if output.count > 1 { output.append(UInt8(ascii: ",")) }
      append(row, names, to: &output)
    }
    output.append(UInt8(ascii: "]"))
    return output
  }

  /// The header's cells as JSON tokens, each with its colon.
  private static func memberNames(_ header: CSVReader.Row) throws(RequestError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var seen: Set<[UInt8]> = []
    for (index, cell) in header.cells.enumerated() {
      let name = String(decoding: cell.bytes, as: UTF8.self)
      guard !name.isEmpty else {
        throw RequestError(.malformed, "Column \(index + 1) of the CSV has no name in the header row; give it one.")
      }
      guard seen.insert(cell.bytes).inserted else {
        throw RequestError(.malformed, "The column '\(name)' stands twice in the CSV's header row; rename one of them.")
      }
      var token: [UInt8] = []
      JSONText.appendEscaped(name, to: &token)
      token.append(UInt8(ascii: ":"))
      names.append(token)
    }
    return names
  }

  private static func append(_ row: CSVReader.Row, _ names: [[UInt8]], to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (index, cell) in row.cells.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      output += names[index]
      if !cell.isQuoted, isLiteral(cell.bytes) {
        output += cell.bytes
      } else {
        JSONText.appendEscaped(String(decoding: cell.bytes, as: UTF8.self), to: &output)
      }
    }
    output.append(UInt8(ascii: "}"))
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
