extension JSONValue {
  /// Reads a JSON text (RFC 8259).
  ///
  /// - Parameters:
  ///   - text: The text; white space and a byte order mark around the value are skipped.
  ///   - maximumDepth: The deepest nesting that is accepted.
  /// - Throws: ``JSONError`` with the line and column of the first fault.
  public init(parsing text: String, maximumDepth: Int = 512) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
  }

  /// Reads a JSON text from UTF-8 bytes; see ``init(parsing:maximumDepth:)-(String,_)``.
  public init(parsing bytes: [UInt8], maximumDepth: Int = 512) throws(JSONError) {
    let result = bytes.withUnsafeBufferPointer { bytes -> Result<JSONValue, JSONError> in
      var scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
      do throws(JSONError) {
        return .success(JSONValue(validated: bytes, from: try scanner.scanDocument().lowerBound))
      } catch {
        return .failure(error)
      }
    }
    self = try result.get()
  }

  /// Builds the tree of the value that starts at an offset of valid text.
  package init(validated bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) {
    var builder = JSONTreeBuilder(bytes, position: start)
    self = builder.build()
  }

  /// The value as JSON text.
  ///
  /// - Parameter pretty: Whether to lay it out as `JSON.stringify(value, null, 2)` does; otherwise without white space.
  public func text(pretty: Bool = true) -> String {
    String(decoding: utf8Text(pretty ? .pretty : .compact), as: UTF8.self)
  }

  /// The value as JSON text in a layout, in UTF-8.
  package func utf8Text(_ layout: JSONLayout = .pretty) -> [UInt8] {
    var compact: [UInt8] = []
    appendCompact(to: &compact)
    guard layout != .compact else { return compact }
    var output: [UInt8] = []
    _ = compact.withUnsafeBufferPointer { JSONFormatter(layout).append($0, to: &output) }
    return output
  }

  /// Appends the value without white space.
  package func appendCompact(to output: inout [UInt8]) {
    var writer = JSONTreeWriter()
    writer.write(self, to: &output)
  }
}
