extension UTF8 {
  /// Reads the character at an offset and steps over it; a byte that begins none is U+FFFD.
  ///
  /// - Precondition: The offset is within the text.
  @inline(__always)
  static func decodeScalar(in text: UnsafeBufferPointer<UInt8>, at position: inout Int) -> UInt32 {
    let lead = text[position]
    let count = (~lead).leadingZeroBitCount
    guard (2...4).contains(count), position + count <= text.count else {
      position += 1
      return lead < 0x80 ? UInt32(lead) : 0xFFFD
    }
    var value = UInt32(lead & (0x7F >> UInt8(count)))
    for byte in text[(position + 1)..<(position + count)] { value = value << 6 | UInt32(byte & 0x3F) }
    position += count
    return value
  }
}
