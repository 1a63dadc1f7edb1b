package import OrderedJSON

/// One version of a file as it was read.
package struct FileVersion<Content: FileContent>: Sendable {
  /// What the bytes parse to.
  package let content: Content

  /// The bytes.
  package let text: UTF8Slice

  /// How many edits from outside were taken up to this version.
  ///
  /// Whatever is published is based on such a version and names it, so that an edit the publisher has not seen yet is
  /// never overwritten.
  package let generation: Int
}

/// What happened to a file from outside.
package enum FileEdit<Content: FileContent>: Sendable {
  /// The file holds a new valid version, which is the base of all further publishing.
  case changed(FileVersion<Content>)
  /// The file cannot be read or parsed; it is not overwritten as long as that is so.
  case invalid(StorageError)
  /// The file is gone. The next version published recreates it.
  case deleted
  /// After `invalid` or `deleted`, the file again holds what it held before or what was published since.
  case restored
  /// An editor saved to a version that had been replaced already; what it saved was kept under a name of its own.
  case conflict(LateSave<Content>)
  /// An editor may have saved to a version that had been replaced already, and that save could not be kept.
  case conflictLost(StorageError)
}

/// A save that an editor made to a version of the file that was being replaced.
package struct LateSave<Content: FileContent>: Sendable {
  /// Where the saved bytes are kept.
  package let path: String

  /// What the bytes parse to, nil when they are not valid.
  package let content: Content?
}

/// How publishing a version ended.
package enum Publication<Content: FileContent>: Sendable {
  /// The file holds the version or, when several were queued, a later one.
  case published
  /// Someone edited the file meanwhile: it holds that edit, and nothing was published.
  case edited(FileVersion<Content>)
  /// Nothing was published, except when the error's code is `durabilityUnknown`.
  case failed(StorageError)
}

/// What a file's bytes parse to, able to give its bytes back.
package protocol FileContent: Sendable {
  /// Calls a closure with the bytes of this version, slice by slice, in order.
  ///
  /// Slices may be of any size and number; small ones are gathered before they are written.
  func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows
}

extension UTF8Slice: FileContent {
  package func forEachSlice(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    try body(bytes)
  }
}
