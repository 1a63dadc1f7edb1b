/// Looks for one byte, eight bytes at a time.
enum ByteSearch {
  /// Returns the index of the first such byte at or after a start; the count when there is none.
  static func firstIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard let base = bytes.baseAddress else { return bytes.count }
    let ones: UInt64 = 0x0101_0101_0101_0101
    let pattern = ones &* UInt64(byte)
    var position = start
    while position + 8 <= bytes.count {
      // A byte that is the one looked for becomes zero, and a zero byte sets its high bit.
      let word = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self) ^ pattern
      let zeros = (word &- ones) & ~word & (ones << 7)
      if zeros != 0 { return position + zeros.littleEndian.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < bytes.count, bytes[position] != byte { position += 1 }
    return position
  }

  /// Whether such a byte occurs.
  static func contains(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    firstIndex(of: byte, in: bytes, from: 0) < bytes.count
  }
}
