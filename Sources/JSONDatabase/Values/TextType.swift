import OrderedJSON

/// What a text becomes that stands for a value, because its sender could write nothing but texts.
enum TextType: Hashable {
  enum Scalar: Hashable {
    case number, boolean, text
  }

  case scalar(Scalar)
  /// A list, a single text too; its elements follow the elements of other lists, if there are any.
  case list(Scalar?)

  /// Appends a value as JSON in this type.
  ///
  /// Null and objects stay as they are, and so does a text that is not what the type needs.
  ///
  /// - Parameter value: A string; or a number or boolean that was taken for one because its text looks like it.
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
      output.append(UInt8(ascii: "["))
      var reader = ArrayReader(value)
      var isFirst = true
      while let element = reader?.next() {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        append(element, type, to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .bool, .number, .string:
      let text = value.kind == .string ? value.unescapedContent : Array(value.bytes)
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
  /// Whether a text is how JSON writes a value of this type.
  fileprivate func isWritten(_ text: [UInt8]) -> Bool {
    switch self {
    case .number: JSONNumber(text: String(decoding: text, as: UTF8.self)) != nil
    case .boolean: text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8)
    case .text: false
    }
  }
}
