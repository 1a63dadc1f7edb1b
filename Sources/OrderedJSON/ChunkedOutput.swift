/// Bytes on their way to an array, gathered in a small buffer.
///
/// An array checks its owner and its capacity at each append; gathering first makes many short appends several times
/// faster.
struct ChunkedOutput {
  /// The room that a buffer needs; more would not come from the stack.
  static let capacity = 1024

  private let chunk: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var output: [UInt8]

  /// Creates an output that goes on after the given bytes.
  ///
  /// - Parameters:
  ///   - chunk: Memory for ``capacity`` bytes that outlives the output.
  ///   - output: The bytes so far; the caller should give its own reference up, or they are copied.
  init(chunk: UnsafeMutablePointer<UInt8>, output: consuming [UInt8]) {
    self.chunk = chunk
    self.output = output
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count == Self.capacity { flush() }
    chunk[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    if bytes.count > Self.capacity - count {
      flush()
      guard bytes.count <= Self.capacity else {
        output += bytes
        return
      }
    }
    (chunk + count).update(from: base, count: bytes.count)
    count += bytes.count
  }

  @inline(__always)
  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  private mutating func flush() {
    output += UnsafeBufferPointer(start: chunk, count: count)
    count = 0
  }

  /// Returns all bytes.
  consuming func finish() -> [UInt8] {
    flush()
    return output
  }
}
