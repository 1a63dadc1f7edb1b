import OrderedJSON

/// Walks the elements of an array in valid JSON text, without building anything.
struct ArrayReader: Sequence, IteratorProtocol {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int

  /// Starts before the first element of the array that fills the bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    position = 0
  }

  mutating func next() -> ValueToken? {
    guard bytes[position] != UInt8(ascii: "]") else { return nil }
    let start = JSONSyntax.skipWhitespace(in: bytes, from: position + 1)
    guard bytes[start] != UInt8(ascii: "]") else {
      position = start
      return nil
    }
    let end = JSONSyntax.endOfValue(in: bytes, from: start)
    position = JSONSyntax.skipWhitespace(in: bytes, from: end)
    return ValueToken(UnsafeBufferPointer(rebasing: bytes[start..<end]))
  }
}
