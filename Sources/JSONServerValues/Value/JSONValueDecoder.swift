#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes Swift values from JSON values; reads what ``JSONValueEncoder`` writes.
///
/// Integers are read from any number text that represents one, `1.0` and `1e3` too, doubles from every number in range,
/// decimals with all their digits.
///
/// ```swift
/// let bookmark = try JSONValueDecoder().decode(Bookmark.self, from: record)
/// ```
public struct JSONValueDecoder: Sendable {
  /// How dates are read.
  public var dates: JSONDateStrategy

  /// How the names of properties become the names of members.
  public var names: JSONNameStrategy

  /// Creates a decoder.
  public init(dates: JSONDateStrategy = .iso8601, names: JSONNameStrategy = .unchanged) {
    self.dates = dates
    self.names = names
  }

  /// Returns the Swift value that a JSON value stands for.
  ///
  /// - Parameters:
  ///   - type: The type to read.
  ///   - value: The JSON value; members that the type does not know are ignored.
  /// - Throws: `DecodingError` with the coding path of a missing or mistyped value.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from value: JSONValue) throws -> Value {
    try TreeDecoder(options: self, value: value, codingPath: []).decode(type)
  }
}

/// Reads one value; also its single value container.
private struct TreeDecoder: Decoder, SingleValueDecodingContainer {
  let options: JSONValueDecoder
  let value: JSONValue
  let codingPath: [any CodingKey]
  /// Whether a dictionary is read, whose keys are data.
  var isDictionary = false

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A decoder for a value further in.
  func nested(_ value: JSONValue, at key: any CodingKey) -> TreeDecoder {
    TreeDecoder(options: options, value: value, codingPath: codingPath + [key])
  }

  var names: JSONNameStrategy { isDictionary ? .unchanged : options.names }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = value else { throw mismatch([String: JSONValue].self, "an object") }
    return KeyedDecodingContainer(KeyedTreeDecodingContainer<Key>(decoder: self, object: object))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([JSONValue].self, "an array") }
    return UnkeyedTreeDecodingContainer(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null }

  /// Reads a value of any type; the only place that knows which types are JSON's own.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    switch type {
    case is Bool.Type: try convert(to: type, "a boolean") { if case .bool(let value) = $0 { value } else { nil } }
    case is String.Type: try convert(to: type, "a string", \.string)
    case let integer as any FixedWidthInteger.Type: try decodeInteger(integer, as: type)
    case is Double.Type: try convert(to: type, "a number in range") { finite($0, as: Double.self) }
    case is Float.Type: try convert(to: type, "a number in range") { finite($0, as: Float.self) }
    case is Decimal.Type: try convert(to: type, "a number") { number($0).flatMap { Decimal(string: $0.text) } }
    case is Date.Type: try convert(to: type, "a date", options.dates.date)
    case is Data.Type: try convert(to: type, "base64 text") { $0.string.flatMap { Data(base64Encoded: $0) } }
    case is URL.Type: try convert(to: type, "a URL") { $0.string.flatMap { URL(string: $0) } }
    default: try decodeComposite(type)
    }
  }

  private func decodeComposite<Value: Decodable>(_ type: Value.Type) throws -> Value {
    var decoder = self
    decoder.isDictionary = type is any AnyDictionary.Type
    return try type.init(from: decoder)
  }

  private func decodeInteger<Integer: FixedWidthInteger, Value>(
    _ integer: Integer.Type, as type: Value.Type
  ) throws -> Value {
    try convert(to: type, "an integer that fits \(type)") { value in
      guard let number = number(value) else { return nil }
      if let exact = Integer(number.text) { return exact }
      // From 2^53 on a double no longer distinguishes one integer from the next.
      return abs(number.doubleValue) < 0x1p53 ? Integer(exactly: number.doubleValue) : nil
    }
  }

  private func number(_ value: JSONValue) -> JSONNumber? {
    if case .number(let number) = value { number } else { nil }
  }

  private func finite<Value: BinaryFloatingPoint & LosslessStringConvertible>(
    _ value: JSONValue, as type: Value.Type
  ) -> Value? {
    number(value).flatMap { Value($0.text) }.flatMap { $0.isFinite ? $0 : nil }
  }

  private func convert<Value>(
    to type: Value.Type, _ expected: String, _ conversion: (JSONValue) -> Any?
  ) throws -> Value {
    guard let result = conversion(value) as? Value else { throw mismatch(type, expected) }
    return result
  }

  private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "Expected \(expected), found \(value.text(pretty: false).prefix(80)).")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

/// A step of a coding path that no type declares: an element's position, or `super`.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ position: Int) {
    stringValue = "Index \(position)"
    intValue = position
  }

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init?(stringValue: String) {
    self.init(stringValue)
  }

  init?(intValue: Int) {
    self.init(intValue)
  }
}

/// Reads the members of an object.
private struct KeyedTreeDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: TreeDecoder
  let object: JSONObject

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { object.names.compactMap { Key(stringValue: decoder.names.propertyName($0)) } }

  func contains(_ key: Key) -> Bool { object[decoder.names.memberName(key.stringValue)] != nil }

  private func member(_ key: any CodingKey) throws -> TreeDecoder {
    let name = decoder.names.memberName(key.stringValue)
    guard let value = object[name] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "There is no member '\(name)'."))
    }
    return decoder.nested(value, at: key)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try member(key).decodeNil()
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try member(key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try member(PathKey("super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

/// Reads the elements of an array.
private struct UnkeyedTreeDecodingContainer: UnkeyedDecodingContainer {
  let decoder: TreeDecoder
  let elements: [JSONValue]
  private(set) var currentIndex = 0

  init(decoder: TreeDecoder, elements: [JSONValue]) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var count: Int? { elements.count }

  var isAtEnd: Bool { currentIndex == elements.count }

  /// Reads the next element and moves on unless the reading throws, as `UnkeyedDecodingContainer` requires.
  private mutating func next<Result>(_ read: (TreeDecoder) throws -> Result) throws -> Result {
    let key = PathKey(currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Result.self, .init(codingPath: codingPath + [key], debugDescription: "The array has no more elements."))
    }
    let result = try read(decoder.nested(elements[currentIndex], at: key))
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next { try $0.decode(type) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try next { $0 }
  }
}
