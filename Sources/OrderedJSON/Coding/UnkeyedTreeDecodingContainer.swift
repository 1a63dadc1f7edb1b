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

  /// Reads the next element and moves on unless the reading throws, as `UnkeyedDecodingContainer` demands.
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
