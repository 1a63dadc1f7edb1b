/// A version that was replaced and no longer has a name, kept open to see whether an editor goes on writing to it.
struct ReplacedFile {
  let descriptor: FileDescriptor
  let location: FileLocation
  let hash: ContentHash
  /// The stamp from before it was hashed.
  let stamp: FileStamp
  /// Whether a write after the stamp must show in it.
  let isSettled: Bool
  var due: ContinuousClock.Instant = .now
  /// How often an unfinished late save was waited for.
  var extensions = 0

  /// Describes an open file.
  ///
  /// - Parameter isSettled: Whether a write after the stamp must show in it; `nil` to decide by the clock.
  init(
    descriptor: FileDescriptor, location: FileLocation, hash: ContentHash, stamp: FileStamp, isSettled: Bool? = nil
  ) {
    self.descriptor = descriptor
    self.location = location
    self.hash = hash
    self.stamp = stamp
    self.isSettled = isSettled ?? stamp.modified.isSettled(at: WallClock.now)
  }
}

/// An edit that was taken out of the file's place for an instant and put back.
///
/// An editor that read the file in that instant has not seen it, and may save over it.
struct ReturnedEdit {
  let reading: FileReading
  /// Until when such a save is expected.
  let due: ContinuousClock.Instant

  init(_ reading: FileReading, until due: ContinuousClock.Instant) {
    self.reading = reading
    self.due = due
  }
}
