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

extension ValueToken {
  /// The value of a number token; most are integers, which are converted without a string.
  var double: Double {
    guard bytes.count <= 15, isInteger else { return Double(String(decoding: bytes, as: UTF8.self)) ?? .nan }
    let isNegative = bytes[0] == UInt8(ascii: "-")
    let value = bytes[(isNegative ? 1 : 0)...].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return Double(isNegative ? -value : value)
  }

  /// Whether a string token has no escape, so that its bytes are its content.
  var isPlainString: Bool {
    !ByteSearch.contains(UInt8(ascii: "\\"), in: bytes)
  }

  /// Calls a closure with the value's text, as JavaScript's `String(value)` returns it.
  ///
  /// A string without its quotes and escapes, a number as JavaScript writes it, an array joined with commas (null is
  /// empty), an object as `[object Object]`. But an integer keeps all its digits: for JavaScript, 9007199254740993 and
  /// its neighbor are the same number, and so the same id.
  @inline(__always)
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    switch kind {
    case .null, .bool: return body(bytes)
    case .string:
      return isPlainString ? body(content) : unescapedContent.withUnsafeBufferPointer(body)
    case .number:
      return isInteger ? body(bytes) : Self.withUTF8(JavaScriptNumber.text(of: double), body)
    case .object: return Self.withUTF8("[object Object]", body)
    case .array: return joinedElements.withUnsafeBufferPointer(body)
    }
  }

  /// The text of ``withText(_:)`` as a string.
  var text: String {
    withText { String(decoding: $0, as: UTF8.self) }
  }

  /// The text of an id that a client may choose; `nil` unless it is a string or a number.
  package var recordID: String? {
    kind == .string || kind == .number ? text : nil
  }

  /// Whether a number token has neither fraction nor exponent, and is not `-0`.
  var isInteger: Bool {
    bytes.allSatisfy { $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: "-") }
      && !(bytes.count == 2 && bytes[0] == UInt8(ascii: "-") && bytes[1] == UInt8(ascii: "0"))
  }

  /// The elements' texts joined with commas, with nested arrays flattened, as by JavaScript's
  /// `Array.prototype.toString`.
  private var joinedElements: [UInt8] {
    var output: [UInt8] = []
    var open = ArrayReader(self).map { [$0] } ?? []
    var isFirst = true
    while var reader = open.popLast() {
      guard let element = reader.next() else {
        isFirst = false
        continue
      }
      open.append(reader)
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      if let inner = ArrayReader(element) {
        open.append(inner)
        isFirst = true
      } else if !element.isNull {
        element.withText { output += $0 }
      }
    }
    return output
  }

  private static func withUTF8<Result>(_ string: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var string = string
    return string.withUTF8(body)
  }
}
