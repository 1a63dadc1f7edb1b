/// A slice of UTF-8 text that keeps its storage alive.
///
/// Copying a `Text` copies a reference and two offsets, never the bytes.
package struct Text: Sendable {
  package let storage: TextStorage
  package let offset: Int
  package let count: Int

  /// Creates a slice of a storage.
  package init(_ storage: TextStorage, offset: Int, count: Int) {
    self.storage = storage
    self.offset = offset
    self.count = count
  }

  /// Creates a slice that covers a whole storage.
  package init(_ storage: TextStorage) {
    self.init(storage, offset: 0, count: storage.count)
  }

  /// Creates a text with a copy of the given bytes.
  package init(_ bytes: [UInt8]) {
    self.init(bytes.withUnsafeBufferPointer(TextStorage.init(copying:)))
  }

  /// Creates a text with the UTF-8 bytes of a string.
  package init(_ string: String) {
    self.init(Array(string.utf8))
  }

  /// Gives a closure the bytes, and keeps them alive until it returns.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(bytes)
  }

  /// The bytes; valid while the text or another slice of its storage lives.
  package var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: storage.bytes[offset..<(offset + count)])
  }

  /// The slice at a range of offsets within this one.
  package subscript(range: Range<Int>) -> Text {
    Text(storage, offset: offset + range.lowerBound, count: range.count)
  }

  /// The text as a string; invalid UTF-8 is repaired with U+FFFD.
  package var string: String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension Text: Equatable {
  package static func == (left: Text, right: Text) -> Bool {
    left.bytes.elementsEqual(right.bytes)
  }
}
