/// A slice of UTF-8 text that keeps its storage alive.
///
/// Copying a `UTF8Slice` copies a reference and two offsets, never the bytes.
package struct UTF8Slice: Sendable, Equatable {
  package let storage: UTF8Buffer
  package let offset: Int
  package let count: Int

  /// Creates a slice of a storage.
  ///
  /// - Precondition: The slice lies within the storage.
  @inlinable
  package init(_ storage: UTF8Buffer, offset: Int, count: Int) {
    precondition(offset >= 0 && count >= 0 && offset + count <= storage.count, "a slice lies within its storage")
    self.storage = storage
    self.offset = offset
    self.count = count
  }

  /// Creates a slice that covers an entire storage.
  package init(_ storage: UTF8Buffer) {
    self.init(storage, offset: 0, count: storage.count)
  }

  /// Creates a slice with a copy of the given bytes.
  package init(_ bytes: [UInt8]) {
    self.init(bytes.withUnsafeBufferPointer(UTF8Buffer.init(copying:)))
  }

  /// Creates a slice with the UTF-8 bytes of a string.
  package init(_ string: String) {
    self.init(Array(string.utf8))
  }

  /// Passes a closure the bytes, and keeps them alive until it returns.
  @inlinable @inline(__always)
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(bytes)
  }

  /// The bytes; valid as long as the text or another slice of its storage.
  @inlinable
  package var bytes: UnsafeBufferPointer<UInt8> {
    // The initializer ensured that the slice lies within the storage.
    UnsafeBufferPointer(start: storage.base + offset, count: count)
  }

  /// The slice at a range of offsets within this one.
  package subscript(range: Range<Int>) -> UTF8Slice {
    UTF8Slice(storage, offset: offset + range.lowerBound, count: range.count)
  }

  /// The text as a string; invalid UTF-8 is repaired with U+FFFD.
  package var string: String {
    String(decoding: bytes, as: UTF8.self)
  }

  package static func == (left: UTF8Slice, right: UTF8Slice) -> Bool {
    left.bytes.isEqual(to: right.bytes)
  }
}

/// Immutable bytes on the heap that many slices share.
///
/// The bytes are written once, before the initializer returns, and freed with the last owner. That is why the
/// class is safe to share between threads although the compiler cannot see it.
package final class UTF8Buffer: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutablePointer<UInt8>

  /// The number of bytes.
  package let count: Int

  /// Creates a storage by letting a closure write into fresh memory.
  ///
  /// - Parameters:
  ///   - capacity: The number of bytes to make room for.
  ///   - initializer: Writes from the start of the buffer and sets the count to the number of written bytes.
  package init<Failure: Error>(
    capacity: Int,
    initializingWith initializer: (UnsafeMutableBufferPointer<UInt8>, inout Int) throws(Failure) -> Void
  ) throws(Failure) {
    base = UnsafeMutablePointer<UInt8>.allocate(capacity: max(capacity, 1))
    var written = 0
    do throws(Failure) {
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
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether another buffer has the same bytes. Compares eight bytes at a time: `elementsEqual` compares one by one.
  package func isEqual(to other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count else { return false }
    let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
    var position = 0
    while position + 8 <= count {
      let isSame =
        left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      guard isSame else { return false }
      position += 8
    }
    while position < count {
      guard left[position] == right[position] else { return false }
      position += 1
    }
    return true
  }
}
