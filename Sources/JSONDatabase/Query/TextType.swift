import JSONServerValues

/// The type of a value that was sent as text, since its sender could send nothing else.
enum TextType: Hashable {
  enum Scalar: Hashable {
    case number, boolean, text
  }

  case scalar(Scalar)
  /// A list, even for a single text; its elements have the type of the elements of other lists, if there are any.
  case list(Scalar?)

  /// Appends a value as JSON of this type.
  ///
  /// Null, objects, and a text that does not fit the type stay as they are.
  ///
  /// - Parameter value: A string; or a number or boolean that was text.
  func append(_ value: ValueToken, to output: inout [UInt8]) {
    switch self {
    case .scalar(let type): Self.append(value, type, to: &output)
    case .list(let type):
      let isSingle = value.kind != .array && !value.isNull
      if isSingle { output.append(UInt8(ascii: "[")) }
      Self.append(value, type, to: &output)
      if isSingle { output.append(UInt8(ascii: "]")) }
    }
  }

  private static func append(_ value: ValueToken, _ type: Scalar?, to output: inout [UInt8]) {
    guard let type else {
      output += value.bytes
      return
    }
    switch value.kind {
    case .null, .object: output += value.bytes
    case .array:
      guard let elements = ArrayReader(value) else { return }
      JSONText.appendList(elements, "[", "]", to: &output) { append($0, type, to: &$1) }
    case .bool, .number, .string:
      let text = value.plainText
      if type.isWritten(text) {
        output += text
      } else if value.kind == .string {
        output += value.bytes
      } else {
        JSONText.appendEscaped(String(decoding: text, as: UTF8.self), to: &output)
      }
    }
  }
}

extension TextType.Scalar {
  /// Whether a text is valid JSON of this type.
  fileprivate func isWritten(_ text: [UInt8]) -> Bool {
    switch self {
    case .number: JSONNumber(text: String(decoding: text, as: UTF8.self)) != nil
    case .boolean: text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8)
    case .text: false
    }
  }
}
