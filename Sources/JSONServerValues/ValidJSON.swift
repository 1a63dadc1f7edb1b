/// One JSON value that ``JSONScanner`` has checked, in memory that lives as long as this does.
///
/// Valid text is read without checking for its end at each byte. That is safe: readers take a ``ValueToken``, a token
/// comes from a `ValidJSON` or from a larger token, and no code outside of this module can make either from unchecked
/// bytes. Their initializers are internal, and called in three places: where the scanner has found a value's ends
/// (``JSONScanner/scanValue(from:depth:)``), where a reader has passed a part of a value, and where this module's own
/// writers have written a value.
///
/// 20 bytes, so that a row of a collection takes 24.
package struct ValidJSON: Sendable {
  /// The bytes that contain the value.
  package let storage: UTF8Buffer
  /// The offset of the value's first byte in its storage.
  package let offset: Int
  @usableFromInline let length: UInt32

  /// - Precondition: The range of the storage is exactly one valid value.
  @inlinable
  init(_ storage: UTF8Buffer, uncheckedRange range: Range<Int>) {
    self.storage = storage
    offset = range.lowerBound
    length = UInt32(range.count)
  }

  /// The largest size of a value in bytes.
  static let maximumCount = Int(UInt32.max)

  /// The number of bytes.
  @inlinable package var count: Int { Int(length) }

  /// The text.
  package var slice: UTF8Slice { UTF8Slice(storage, offset: offset, count: count) }

  /// A copy of the bytes.
  package var utf8: [UInt8] { withToken { Array($0.bytes) } }

  /// The text as a string.
  package var string: String { slice.string }

  /// Calls a closure with the value, and keeps its memory until it returns.
  @inlinable @inline(__always)
  package func withToken<Result, Failure: Error>(
    _ body: (ValueToken) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(ValueToken(unchecked: UnsafeBufferPointer(start: storage.base + offset, count: Int(length))))
  }

  /// The part of this value that a reader has passed.
  func part(_ token: ValueToken, of whole: ValueToken) -> ValidJSON {
    let start = offset + token.offset(in: whole)
    return ValidJSON(storage, uncheckedRange: start..<(start + token.bytes.count))
  }

  /// Checks a JSON text (RFC 8259), and keeps its value without the white space around it.
  ///
  /// - Throws: ``JSONError`` with the line and column of the first error.
  /// - Complexity: O(size of the text), which is copied.
  package init(parsing text: [UInt8], maximumDepth: Int = JSONScanner.defaultMaximumDepth) throws(JSONError) {
    var scanner = JSONScanner(UTF8Slice(text), maximumDepth: maximumDepth)
    self = try scanner.scanDocument()
  }

  /// Writes a value without white space.
  package init(writing value: JSONValue) {
    var text: [UInt8] = []
    value.appendCompact(to: &text)
    self.init(written: text)
  }

  /// `{}`
  package static let emptyObject = ValidJSON(writing: .object(JSONObject()))

  /// `null`
  package static let null = ValidJSON(writing: .null)

  /// Keeps the text of one of this module's writers; checks it in a debug build.
  ///
  /// - Parameter range: The range of the value in the text; `nil` for all of it.
  init(written text: [UInt8], at range: Range<Int>? = nil) {
    let slice = UTF8Slice(text)
    self.init(slice.storage, uncheckedRange: range ?? 0..<text.count)
    assert(isScannable, "a writer wrote what is not one JSON value: \(string)")
  }

  private var isScannable: Bool {
    var scanner = JSONScanner(slice, maximumDepth: .max)
    guard let value = try? scanner.scanDocument() else { return false }
    return value.offset == offset && value.length == length
  }
}

/// A valid JSON value in memory that its owner keeps.
///
/// Valid only as long as the memory: a token must not leave the closure to which it was passed.
package struct ValueToken {
  /// The value's text, without white space around it.
  package let bytes: UnsafeBufferPointer<UInt8>

  /// - Precondition: The bytes are one valid value.
  @inlinable
  init(unchecked bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// The part at a range that a reader has passed.
  @inline(__always)
  subscript(walked range: Range<Int>) -> ValueToken {
    ValueToken(unchecked: UnsafeBufferPointer(rebasing: bytes[range]))
  }

  /// The type of a value.
  package enum Kind: Sendable, Hashable {
    case null, bool, number, string, array, object

    /// The kind with its article, for messages.
    package var description: String {
      switch self {
      case .null: "null"
      case .bool: "a boolean"
      case .number: "a number"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    }
  }

  /// The value's kind, which its first byte determines.
  @inlinable
  package var kind: Kind {
    // A value has at least one byte.
    switch bytes[0] {
    case UInt8(ascii: "n"): .null
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "{"): .object
    default: .number
    }
  }

  @inlinable package var isNull: Bool { bytes[0] == UInt8(ascii: "n") }

  /// The bytes between the quotes of a string; empty for any other value.
  package var content: UnsafeBufferPointer<UInt8> {
    guard bytes[0] == UInt8(ascii: "\"") else { return UnsafeBufferPointer(start: nil, count: 0) }
    // A string has two quotes.
    return UnsafeBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])
  }

  /// The ``content`` with its escapes resolved.
  package var unescapedContent: [UInt8] { JSONText.unescapedBytes(content) }

  /// The value as a tree.
  package var value: JSONValue { JSONValue(self) }

  /// The offset of the value in a value that contains it.
  package func offset(in whole: ValueToken) -> Int {
    guard let start = whole.bytes.baseAddress, let place = bytes.baseAddress else { return 0 }
    return place - start
  }

  /// The range of the value in a value that contains it.
  package func range(in whole: ValueToken) -> Range<Int> {
    let start = offset(in: whole)
    return start..<(start + bytes.count)
  }
}
