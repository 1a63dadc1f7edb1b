/// Writes a tree without white space, with a stack of its own instead of recursion.
struct JSONTreeWriter {
  /// An array or object that is not closed yet, and what remains to be written of it.
  private enum Container {
    case array(IndexingIterator<[JSONValue]>)
    case object(AnyIterator<(name: String, value: JSONValue)>)
  }

  private var open: [Container] = []

  /// Appends a value.
  ///
  /// - Parameter change: Changes each object before its members are written.
  mutating func write(
    _ value: JSONValue, to output: inout [UInt8], changing change: (JSONObject) -> JSONObject = { $0 }
  ) {
    var next: JSONValue? = value
    while let value = next {
      let isOpened = begin(value, &output, change)
      next = proceed(isFirst: isOpened, &output)
    }
  }

  /// Writes a scalar completely, or opens a container and returns `true`.
  private mutating func begin(
    _ value: JSONValue, _ output: inout [UInt8], _ change: (JSONObject) -> JSONObject
  ) -> Bool {
    switch value {
    case .null: output += "null".utf8
    case .bool(let value): output += (value ? "true" : "false").utf8
    case .number(let number): output += number.text.utf8
    case .string(let string): JSONText.appendEscaped(string, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      open.append(.array(elements.makeIterator()))
      return true
    case .object(let object):
      output.append(UInt8(ascii: "{"))
      open.append(.object(change(object).makeIterator()))
      return true
    }
    return false
  }

  /// Closes what ends here and returns the next value, or `nil` when all is closed.
  ///
  /// - Parameter isFirst: Whether a container was just opened, so that no comma comes before its first value.
  private mutating func proceed(isFirst: Bool, _ output: inout [UInt8]) -> JSONValue? {
    var isFirst = isFirst
    while let last = open.indices.last {
      switch open[last] {
      case .array(var elements):
        if let element = elements.next() {
          open[last] = .array(elements)
          if !isFirst { output.append(UInt8(ascii: ",")) }
          return element
        }
        output.append(UInt8(ascii: "]"))
      case .object(let members):
        if let member = members.next() {
          if !isFirst { output.append(UInt8(ascii: ",")) }
          JSONText.appendEscaped(member.name, to: &output)
          output.append(UInt8(ascii: ":"))
          return member.value
        }
        output.append(UInt8(ascii: "}"))
      }
      open.removeLast()
      isFirst = false
    }
    return nil
  }
}
