/// What distinguishes one state of a file from another without reading it.
struct FileStamp: Sendable, Hashable {
  /// A moment as the file system recorded it.
  struct Time: Sendable, Hashable {
    let seconds: Int64
    let nanoseconds: Int64

    /// Whether a change after `now` would have another time than this.
    ///
    /// Kernels take file times from a clock that ticks every 1 to 10 ms, some file systems keep whole seconds: a file
    /// changed again within the tick of its last change keeps its time. A more recent time proves nothing.
    func isSettled(at now: Time) -> Bool {
      // In durations, which hold the difference of any two times: a file may claim to be of any year.
      let age = Duration.seconds(now.seconds) - .seconds(seconds) + .nanoseconds(now.nanoseconds - nanoseconds)
      return age > (nanoseconds == 0 ? .seconds(2) : .milliseconds(20))
    }
  }

  let device: UInt64
  let inode: UInt64
  let size: Int
  let modified: Time
  let changed: Time

  /// Whether another stamp is of the same bytes when only names were changed in between.
  ///
  /// A rename updates the change time, so that it cannot be compared across one.
  func matchesAcrossRename(_ other: FileStamp) -> Bool {
    device == other.device && inode == other.inode && size == other.size && modified == other.modified
  }
}

/// What the file system knows about a file.
struct FileStatus: Sendable, Hashable {
  let stamp: FileStamp
  /// The permission bits, with set-user-ID and the like.
  let permissions: UInt32
  let owner: UInt32
  let group: UInt32
  let links: Int
  let isRegular: Bool
}
