/// Writes the members of an object.
struct KeyedTreeEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
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
struct UnkeyedTreeEncodingContainer: UnkeyedEncodingContainer {
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
