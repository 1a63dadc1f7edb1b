import JSONServerValues

@testable import JSONServer
@testable import JSONServerHTTP

/// What must hold of bodies that are turned into JSON.
enum BodyChecks {
  /// What becomes of a form, whose boundary is `x`, is an object.
  static func checkMultipart(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let form = try? MultipartForm(Array(bytes), boundary: "x"), let json = try? form.json() else { return }
    precondition((try? JSONValue(parsing: json))?.object != nil, "a form becomes what is no object")
  }

  /// What becomes of a table is an array of objects, and a table with all cells in quotes says the same.
  static func checkCSV(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let json = (try? CSVTable(Array(bytes)))?.json else { return }
    guard let records = (try? JSONValue(parsing: json))?.array else {
      preconditionFailure("a table becomes what is no array")
    }
    precondition(records.allSatisfy { $0.object != nil }, "a row becomes what is no object")
    var reader = CSVReader(Array(bytes))
    var rows: [[[UInt8]]] = []
    while let row = try? reader.nextRow() { rows.append(row.cells.map(\.bytes)) }
    precondition(rows.isEmpty ? records.isEmpty : records.count == rows.count - 1, "a row is lost")
    var quotedReader = CSVReader(quoted(rows))
    var quotedRows: [[[UInt8]]] = []
    while let row = try? quotedReader.nextRow() { quotedRows.append(row.cells.map(\.bytes)) }
    precondition(quotedRows == rows, "in quotes the cells are others")
  }

  private static func quoted(_ rows: [[[UInt8]]]) -> [UInt8] {
    rows.reduce(into: []) { output, row in
      for (index, cell) in row.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        output.append(UInt8(ascii: "\""))
        for byte in cell { output += byte == UInt8(ascii: "\"") ? [byte, byte] : [byte] }
        output.append(UInt8(ascii: "\""))
      }
      output += "\r\n".utf8
    }
  }
}
