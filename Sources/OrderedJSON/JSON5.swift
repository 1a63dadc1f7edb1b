/// JSON5, the JSON that people write by hand (https://spec.json5.org).
package enum JSON5 {
  /// Converts a JSON5 text to a JSON text of the same value.
  ///
  /// Members keep their order. Numbers and escapes keep their text where JSON allows it; where it does not, they get
  /// the nearest text that it allows: `+.5` becomes `0.5`, `0x10` becomes `16`. Comments and line breaks are lost.
  ///
  /// - Parameters:
  ///   - bytes: The JSON5 text in UTF-8.
  ///   - maximumDepth: The deepest nesting of arrays and objects that is accepted.
  /// - Returns: The JSON text, indented by two spaces a level.
  /// - Throws: ``JSONError`` with the place in the JSON5 text. `Infinity` and `NaN`, which JSON lacks, are errors too.
  package static func json(
    from bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = JSONScanner.defaultMaximumDepth
  ) throws(JSONError) -> [UInt8] {
    var reader = JSON5Reader(bytes, maximumDepth: maximumDepth)
    let compact = try reader.read()
    var output: [UInt8] = []
    output.reserveCapacity(compact.count + compact.count / 2)
    _ = compact.withUnsafeBufferPointer { JSONFormatter(.pretty).append($0, to: &output) }
    return output
  }
}
