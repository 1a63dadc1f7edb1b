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

/// Reads the elements of an array.
struct UnkeyedTreeDecodingContainer: UnkeyedDecodingContainer {
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
