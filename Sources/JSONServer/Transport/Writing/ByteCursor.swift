/// A place in memory where bytes are written one after the other.
///
/// The memory must have room for all that is written; that is checked.
struct ByteCursor {
  private let buffer: UnsafeMutableRawBufferPointer
  /// The number of bytes written.
  private(set) var count = 0

  init(_ buffer: UnsafeMutableRawBufferPointer) {
    self.buffer = buffer
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= buffer.count - count, "There is no room for \(bytes.count) bytes.")
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  mutating func write(literal text: StaticString) {
    text.withUTF8Buffer { write(UnsafeRawBufferPointer($0)) }
  }

  mutating func write(_ text: String) {
    text.withBytes { write(UnsafeRawBufferPointer($0)) }
  }

  /// Writes the decimal digits of a number that is not negative.
  mutating func write(_ number: Int) {
    if number > 9 { write(number / 10) }
    precondition(count < buffer.count, "There is no room for a digit.")
    buffer[count] = UInt8(ascii: "0") + UInt8(number % 10)
    count += 1
  }
}
