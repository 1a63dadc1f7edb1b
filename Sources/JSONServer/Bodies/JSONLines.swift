import HTTPTypes
import OrderedJSON

/// Reads newline-delimited JSON: one object a line.
enum JSONLines {
  /// Returns the lines as the JSON text of an array. Empty lines are skipped.
  ///
  /// - Parameter maximumDepth: The deepest nesting of a line that is accepted.
  /// - Throws: 400 with the number of the first line that is no JSON object.
  static func json(_ body: [UInt8], maximumDepth: Int) throws(HTTPError) -> [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "[")]
    output.reserveCapacity(body.count + 2)
    try body.withUnsafeBufferPointer { bytes throws(HTTPError) in
      var start = JSONSyntax.endOfByteOrderMark(in: bytes)
      var number = 1
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        if JSONSyntax.skipWhitespace(in: bytes, from: start) < end {
          let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
          let range = try rangeOfObject(in: line, number: number, maximumDepth: maximumDepth)
          if output.count > 1 { output.append(UInt8(ascii: ",")) }
          output.append(contentsOf: line[range])
        }
        start = end + 1
        number += 1
      }
    }
    output.append(UInt8(ascii: "]"))
    return output
  }

  private static func rangeOfObject(
    in line: UnsafeBufferPointer<UInt8>, number: Int, maximumDepth: Int
  ) throws(HTTPError) -> Range<Int> {
    var scanner = JSONScanner(line, maximumDepth: maximumDepth)
    let range: Range<Int>
    do throws(JSONError) {
      range = try scanner.scanDocument()
    } catch {
      throw HTTPError(
        .badRequest,
        "Line \(number) of the body is not JSON: at \(number):\(error.column), \(error.message). Correct it there.")
    }
    guard line[range.lowerBound] == UInt8(ascii: "{") else {
      throw HTTPError(
        .badRequest,
        "Line \(number) of the body is \(JSONBody.kind(of: line[range.lowerBound])); every line must be an object.")
    }
    return range
  }
}
