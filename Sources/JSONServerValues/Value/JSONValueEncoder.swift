#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes JSON values from Swift values.
///
/// Members are in the order in which the type encodes its properties, those of a dictionary in the order of their
/// names. Dates follow ``dates``, data is base64 text, a URL is its text, a decimal is a number with all its digits.
/// Properties that are `nil` are left out, as Swift leaves them out.
///
/// ```swift
/// let record = try JSONValueEncoder().encode(Bookmark(title: "Swift", url: "https://swift.org"))
/// ```
public struct JSONValueEncoder: Sendable {
  /// How dates are written.
  public var dates: JSONDateStrategy

  /// How the names of properties become the names of members.
  public var names: JSONNameStrategy

  /// Creates an encoder.
  public init(dates: JSONDateStrategy = .iso8601, names: JSONNameStrategy = .unchanged) {
    self.dates = dates
    self.names = names
  }

  /// Returns the JSON value of a Swift value.
  ///
  /// - Throws: `EncodingError.invalidValue` with the coding path for numbers that JSON lacks, or what the type throws.
  public func encode(_ value: some Encodable) throws -> JSONValue {
    let node = EncodedNode()
    try TreeEncoder(options: self, node: node, codingPath: []).encode(value)
    return node.value
  }
}

/// Fills in one node; also its single value container.
private struct TreeEncoder: Encoder, SingleValueEncodingContainer {
  let options: JSONValueEncoder
  let node: EncodedNode
  let codingPath: [any CodingKey]
  /// Whether the value is a dictionary, whose keys are data and in no particular order.
  var isDictionary = false

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// An encoder for a place further in.
  func nested(_ node: EncodedNode, at key: any CodingKey) -> TreeEncoder {
    TreeEncoder(options: options, node: node, codingPath: codingPath + [key])
  }

  func memberName(_ key: any CodingKey) -> String {
    isDictionary ? key.stringValue : options.names.memberName(key.stringValue)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.kind = .object(sorted: isDictionary)
    return KeyedEncodingContainer(KeyedTreeEncodingContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.kind = .array
    return UnkeyedTreeEncodingContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() {
    node.set(.null)
  }

  /// Writes a value of any type; the only place that knows which types are JSON's own.
  func encode<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let value as Bool: node.set(.bool(value))
    case let value as String: node.set(.string(value))
    case let value as any BinaryInteger: node.set(.number(JSONNumber(value)))
    case let value as Double: try set(JSONNumber(value).map(JSONValue.number), for: value)
    // A float's own digits are fewer than those of the double that equals it.
    case let value as Float:
      try set(
        value.isFinite ? Double(value.description).flatMap(JSONNumber.init).map(JSONValue.number) : nil, for: value)
    case let value as Decimal:
      try set(value.isNaN ? nil : JSONNumber(text: value.description).map(JSONValue.number), for: value)
    case let value as Date: try set(options.dates.value(of: value), for: value)
    case let value as Data: node.set(.string(value.base64EncodedString()))
    case let value as URL: node.set(.string(value.absoluteString))
    default:
      var encoder = self
      encoder.isDictionary = value is any AnyDictionary
      try value.encode(to: encoder)
    }
  }

  private func set(_ json: JSONValue?, for value: some Encodable) throws {
    guard let json else {
      throw EncodingError.invalidValue(value, .init(codingPath: codingPath, debugDescription: "JSON has no \(value)."))
    }
    node.set(json)
  }
}

/// The place that one encoder fills in.
///
/// It is a reference because `Encoder` returns containers that are written to afterwards.
private final class EncodedNode {
  enum Kind {
    case scalar(JSONValue)
    case array
    case object(sorted: Bool)
  }

  /// A type without a container has no members. A type that requests several containers keeps the members of all.
  var kind = Kind.object(sorted: false)
  /// The elements or the members' values.
  private var children: [EncodedNode] = []
  /// The members' names, one for each child.
  private var names: [String] = []

  /// The finished value. Of a name given twice the last value counts.
  var value: JSONValue {
    switch kind {
    case .scalar(let value):
      return value
    case .array:
      return .array(children.map(\.value))
    case .object(let sorted):
      let members = zip(names, children.map(\.value))
      return .object(sorted ? JSONObject(members.sorted { $0.0 < $1.0 }) : JSONObject(members))
    }
  }

  /// The number of elements or members.
  var count: Int { children.count }

  func set(_ value: JSONValue) {
    kind = .scalar(value)
  }

  /// Appends a place to an array.
  func appendElement() -> EncodedNode {
    let node = EncodedNode()
    children.append(node)
    return node
  }

  /// Appends a place with a name to an object.
  func appendMember(_ name: String) -> EncodedNode {
    names.append(name)
    return appendElement()
  }
}

/// Marks dictionaries, whose keys are data and have no order.
///
/// One whose keys are not texts, integers or `CodingKeyRepresentable` is coded as an array, which has no names to keep.
protocol AnyDictionary {}

extension Dictionary: AnyDictionary {}

/// Writes the members of an object.
private struct KeyedTreeEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: TreeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func member(_ key: any CodingKey) -> TreeEncoder {
    encoder.nested(encoder.node.appendMember(encoder.memberName(key)), at: key)
  }

  func encodeNil(forKey key: Key) {
    member(key).encodeNil()
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try member(key).encode(value)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    member(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { member(PathKey("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

/// Writes the elements of an array.
private struct UnkeyedTreeEncodingContainer: UnkeyedEncodingContainer {
  let encoder: TreeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int { encoder.node.count }

  private func element() -> TreeEncoder {
    let key = PathKey(count)
    return encoder.nested(encoder.node.appendElement(), at: key)
  }

  func encodeNil() {
    element().encodeNil()
  }

  func encode(_ value: some Encodable) throws {
    try element().encode(value)
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    element().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    element().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { element() }
}
