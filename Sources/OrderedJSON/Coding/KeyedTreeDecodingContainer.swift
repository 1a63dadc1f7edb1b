/// Reads the members of an object.
struct KeyedTreeDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
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
