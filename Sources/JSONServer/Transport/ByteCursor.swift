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
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  mutating func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  mutating func write(_ text: String) {
    let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { write(UnsafeRawBufferPointer($0)) }
    // A string of another world, such as Objective-C's.
    if isWritten == nil { write(Array(text.utf8)) }
  }

  mutating func write(_ number: Int) {
    write(String(number))
  }

  /// Writes text of the application and a line break, with a space for each byte that would end the line and begin a
  /// field of its own.
  mutating func writeLine(_ text: String) {
    let start = count
    write(text)
    for index in start..<count where buffer[index] == 0x0a || buffer[index] == 0x0d || buffer[index] == 0 {
      buffer[index] = 0x20
    }
    write("\r\n")
  }
}
