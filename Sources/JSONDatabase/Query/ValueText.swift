import JSONServerValues
import TextMatching

// The text by which a value is known: ids, filters, indexes, foreign keys and unique members compare it.

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
  /// empty), an object as `[object Object]`. But an integer keeps all its digits, and a number beyond a double's range its
  /// spelling: for JavaScript, 9007199254740993 and its neighbor are the same number, and so the same id.
  @inline(__always)
  func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    switch kind {
    case .null, .bool: return body(bytes)
    case .string:
      return isPlainString ? body(content) : unescapedContent.withUnsafeBufferPointer(body)
    case .number:
      if isInteger { return body(bytes) }
      let double = double
      return double.isFinite ? Self.withUTF8(JavaScriptNumber.text(of: double), body) : body(bytes)
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

  /// Whether a filter for null matches the value: null itself, and a list that holds it.
  var equalsNull: Bool {
    switch kind {
    case .null: true
    case .array: ArrayReader(self)?.contains { $0.isNull } ?? false
    case .bool, .number, .string, .object: false
    }
  }

  /// Calls a closure with every text by which an equality filter matches the value, until it returns `true`.
  ///
  /// - Returns: Whether the closure returned `true`.
  @discardableResult
  func forEachEqualText(_ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    switch kind {
    case .null: return false
    case .bool, .string, .object: return withText(body)
    case .number: return body(bytes) || (!isInteger && withText(body))
    case .array:
      if withText(body) { return true }
      guard let elements = ArrayReader(self) else { return false }
      for element in elements where element.kind != .array && element.forEachEqualText(body) { return true }
      return false
    }
  }
}

extension ValidJSON {
  /// The id in a member of an object; `nil` without the member, and for a value that is no id.
  package func recordID(in member: String) -> String? {
    withToken { $0.member(Array(member.utf8))?.recordID }
  }
}
