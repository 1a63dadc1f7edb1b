/// The order of texts by code point, which in UTF-8 is the order of their bytes.
enum ByteOrder {
  /// Returns a negative number, zero or a positive number, as the left text comes before, with or after the right.
  @inline(__always)
  static func compare(_ left: some RandomAccessCollection<UInt8>, _ right: some RandomAccessCollection<UInt8>) -> Int {
    for (first, second) in zip(left, right) where first != second { return first < second ? -1 : 1 }
    return left.count - right.count
  }
}
