/// A version that was replaced, still open to see whether an editor goes on writing to it.
struct DisplacedFile {
  let descriptor: FileDescriptor
  /// The name it has now, nil when it has none.
  let name: String?
  let location: FileLocation
  let hash: ContentHash
  /// From before it was hashed.
  let stamp: FileStamp
  /// Whether a write after the stamp must show in it.
  let isSettled: Bool
  var due: ContinuousClock.Instant = .now
  /// How often an unfinished late save was waited for.
  var extensions = 0

  init(descriptor: FileDescriptor, name: String?, location: FileLocation, hash: ContentHash, stamp: FileStamp) {
    self.descriptor = descriptor
    self.name = name
    self.location = location
    self.hash = hash
    self.stamp = stamp
    isSettled = stamp.modified.isSettled(at: WallClock.now)
  }
}
