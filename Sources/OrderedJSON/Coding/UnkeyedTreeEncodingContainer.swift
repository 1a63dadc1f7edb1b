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
