#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Fills in one node; also its single value container.
struct TreeEncoder: Encoder, SingleValueEncodingContainer {
  let options: JSONValueEncoder
  let node: EncodedNode
  let codingPath: [any CodingKey]
  /// Whether the value is a dictionary, whose names are data and whose order is nobody's.
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
    node.becomeObject(sorted: isDictionary)
    return KeyedEncodingContainer(KeyedTreeEncodingContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return UnkeyedTreeEncodingContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() {
    node.set(.null)
  }

  /// Writes a value of any type; the one place that knows which types are JSON's own.
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
      try set(value.isNaN ? nil : .number(JSONNumber(validated: value.description)), for: value)
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
