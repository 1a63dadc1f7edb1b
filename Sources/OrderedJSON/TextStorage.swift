/// Immutable bytes on the heap that many slices share.
///
/// The bytes are written once, before the initializer returns, and freed when the last owner goes. That is why the
/// class is safe to share between threads although the compiler cannot see it.
package final class TextStorage: @unchecked Sendable {
  private let base: UnsafeMutablePointer<UInt8>

  /// The number of bytes.
  package let count: Int

  /// Creates a storage by letting a closure write into fresh memory.
  ///
  /// - Parameters:
  ///   - capacity: The number of bytes to make room for.
  ///   - initializer: Writes from the start of the buffer and sets the count to what it wrote.
  package init(
    capacity: Int,
    initializingWith initializer: (UnsafeMutableBufferPointer<UInt8>, inout Int) throws -> Void
  ) rethrows {
    base = UnsafeMutablePointer<UInt8>.allocate(capacity: max(capacity, 1))
    var written = 0
    do {
      try initializer(UnsafeMutableBufferPointer(start: base, count: capacity), &written)
    } catch {
      base.deallocate()
      throw error
    }
    count = written
  }

  /// Creates a storage with a copy of the given bytes.
  package convenience init(copying bytes: UnsafeBufferPointer<UInt8>) {
    self.init(capacity: bytes.count) { buffer, count in
      count = buffer.update(fromContentsOf: bytes)
    }
  }

  deinit {
    base.deallocate()
  }

  /// The bytes; valid while the storage lives.
  package var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base, count: count)
  }
}
