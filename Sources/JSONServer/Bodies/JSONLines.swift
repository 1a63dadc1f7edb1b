import HTTPTypes
import OrderedJSON

/// Reads newline-delimited JSON: one object per line.
enum JSONLines {
  /// Returns the lines as the JSON text of an array. Empty lines are skipped.
  ///
  /// - Parameter maximumDepth: The deepest nesting of a line that is accepted.
  /// - Throws: 400 with the number of the first line that is not a JSON object.
  static func json(_ body: [UInt8], maximumDepth: Int) throws(RequestError) -> [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "[")]
    output.reserveCapacity(body.count + 2)
    let start = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let lines = body[start...].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.allSatisfy(JSONSyntax.isWhitespace) {
      let object = try object(in: line, number: index + 1, maximumDepth: maximumDepth)
      if output.count > 1 { output.append(UInt8(ascii: ",")) }
      object.withToken { output += $0.bytes }
    }
    output.append(UInt8(ascii: "]"))
    return output
  }

  private static func object(
    in line: ArraySlice<UInt8>, number: Int, maximumDepth: Int
  ) throws(RequestError) -> ValidJSON {
    let object: ValidJSON
    do throws(JSONError) {
      object = try ValidJSON(parsing: Array(line), maximumDepth: maximumDepth)
    } catch {
      throw RequestError(
        .malformed,
        "Line \(number) of the body is not JSON: at \(number):\(error.column), \(error.message). Correct it there.")
    }
    let kind = object.withToken(\.kind)
    guard kind == .object else {
      throw RequestError(
        .malformed, "Line \(number) of the body is \(kind.description); every line must be an object.")
    }
    return object
  }
}
