package import OrderedJSON

/// What a file's bytes parse to, able to give its bytes back.
package protocol FileContent: Sendable {
  /// Calls a closure with the bytes of this version, slice by slice, in order.
  ///
  /// Slices may be of any size and number; small ones are gathered before they are written.
  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows
}

extension Text: FileContent {
  package func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try body(bytes)
  }
}
