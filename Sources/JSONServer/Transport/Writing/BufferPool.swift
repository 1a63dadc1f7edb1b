import NIOCore

/// The memory of responses that were sent, for those that are written next.
///
/// It needs no allocation, and is still in the processor's caches.
struct BufferPool {
  /// The largest memory that is kept.
  static let maximumBytes = 4096

  private let maximum: Int
  private var buffers: [ByteBuffer] = []

  /// - Parameter maximum: How many are kept.
  init(maximum: Int) {
    self.maximum = maximum
  }

  /// Returns an empty buffer.
  mutating func take() -> ByteBuffer {
    buffers.popLast() ?? ByteBuffer()
  }

  /// Keeps a buffer's memory, unless it is still in use elsewhere, such as a channel that could not send all.
  mutating func put(_ buffer: consuming ByteBuffer) {
    guard buffers.count < maximum, 1...Self.maximumBytes ~= buffer.capacity,
      buffer.modifyIfUniquelyOwned({ $0.clear() }) != nil
    else { return }
    buffers.append(buffer)
  }
}
