import JSONServerValues

/// The type of a value that came as text, because its sender could write nothing else.
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
      guard let elements = ArrayReader(value) else { return }
      JSONText.appendList(elements, "[", "]", to: &output) { append($0, type, to: &$1) }
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

extension ValueToken {
  /// The number, of a number token.
  var double: Double {
    Self.double(bytes) ?? .nan
  }

  /// Whether a string token holds no escape, so that its content is its bytes.
  var isPlainString: Bool {
    !ByteSearch.contains(UInt8(ascii: "\\"), in: bytes)
  }

  /// Passes a closure the value's text as JavaScript's `String(value)` returns it.
  ///
  /// A string without its quotes and escapes, a number as JavaScript writes it, an array joined with commas (null is
  /// empty), an object as `[object Object]`.
  @inline(__always)
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    switch kind {
    case .null, .bool: return body(bytes)
    case .string:
      return isPlainString ? body(content) : unescapedContent.withUnsafeBufferPointer(body)
    case .number:
      return isCanonicalInteger ? body(bytes) : Self.withUTF8(JavaScriptNumber.text(of: double), body)
    case .object: return Self.withUTF8("[object Object]", body)
    case .array: return joinedElements.withUnsafeBufferPointer(body)
    }
  }

  /// The text of ``withText(_:)`` as a string.
  var text: String {
    withText { String(decoding: $0, as: UTF8.self) }
  }

  /// Passes a closure the text by which a record with this id is addressed.
  ///
  /// As ``withText(_:)``, but an integer keeps all its digits: JavaScript would read 9007199254740993 and its neighbour
  /// as one id.
  @inline(__always)
  func withIDText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    kind == .number && isInteger ? body(bytes) : withText(body)
  }

  /// The text of ``withIDText(_:)`` as a string.
  var idText: String {
    withIDText { String(decoding: $0, as: UTF8.self) }
  }

  /// The text of an id that a client may choose; `nil` for what is neither a string nor a number.
  package var recordID: String? {
    kind == .string || kind == .number ? idText : nil
  }

  /// Whether a number token is written without fraction and exponent; `-0` is not one.
  private var isInteger: Bool {
    bytes.allSatisfy { $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: "-") } && !bytes.elementsEqual("-0".utf8)
  }

  /// Whether a number token is an integer short enough that JavaScript writes it with the same digits.
  var isCanonicalInteger: Bool {
    bytes.count <= 15 && bytes.allSatisfy { $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: "-") }
      && !(bytes.count == 2 && bytes[0] == UInt8(ascii: "-") && bytes[1] == UInt8(ascii: "0"))
  }

  /// The elements' texts joined with commas, nested arrays flattened, as JavaScript's `Array.prototype.toString` does.
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

  /// Reads number text as a double; plain integers without going through a string.
  static func double(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    if bytes.count <= 15 {
      let negative = bytes.first == UInt8(ascii: "-")
      var value = 0
      var isPlain = bytes.count > (negative ? 1 : 0)
      for byte in bytes.dropFirst(negative ? 1 : 0) {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else {
          isPlain = false
          break
        }
        value = value * 10 + Int(digit)
      }
      if isPlain { return negative ? -Double(value) : Double(value) }
    }
    return Double(String(decoding: bytes, as: UTF8.self))
  }
}
