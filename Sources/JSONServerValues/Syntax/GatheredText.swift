/// Text that is written to memory of a fixed size; what the memory cannot hold goes to an array.
///
/// An array checks its owner and its capacity at each append; memory makes many short appends several times faster.
package struct GatheredText {
  private let memory: UnsafeMutableBufferPointer<UInt8>
  /// The bytes in the memory, which come after those of the array.
  private var heldCount = 0
  private var overflow: [UInt8]

  /// Creates a text that begins with the given bytes.
  ///
  /// - Parameters:
  ///   - memory: Memory that outlives the text.
  ///   - start: The bytes so far; the caller should release its own reference, or they are copied.
  package init(_ memory: UnsafeMutableBufferPointer<UInt8>, after start: consuming [UInt8] = []) {
    self.memory = memory
    overflow = start
  }

  /// Gathers what a closure writes, and appends it to an array.
  package static func append(to output: inout [UInt8], _ write: (inout GatheredText) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { memory in
      var text = GatheredText(memory, after: output)
      // The text owns the bytes for now; a second reference would make it copy them.
      output = []
      write(&text)
      output = text.bytes()
    }
  }

  /// The number of bytes.
  package var count: Int { overflow.count + heldCount }

  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    append(UnsafeBufferPointer(rebasing: bytes[range]))
  }

  @inline(__always)
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    if bytes.count > memory.count - heldCount {
      flush()
      guard bytes.count <= memory.count else {
        overflow += bytes
        return
      }
    }
    // Memory with room has an address.
    (memory.baseAddress.unsafelyUnwrapped + heldCount).update(from: base, count: bytes.count)
    heldCount += bytes.count
  }

  package mutating func append(_ byte: UInt8) {
    withUnsafePointer(to: byte) { append(UnsafeBufferPointer(start: $0, count: 1)) }
  }

  @inline(__always)
  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  private mutating func flush() {
    overflow += memory[..<heldCount]
    heldCount = 0
  }

  /// Returns all bytes.
  package consuming func bytes() -> [UInt8] {
    flush()
    return overflow
  }

  /// Returns how many bytes are in the memory, if those are all; otherwise all bytes in an array.
  package consuming func result() -> (held: Int, overflow: [UInt8]) {
    guard !overflow.isEmpty else { return (heldCount, []) }
    flush()
    return (0, overflow)
  }
}
