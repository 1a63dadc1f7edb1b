/// How a ``FileStore`` treats its file.
package struct FileStoreOptions: Sendable {
  /// When a version counts as published.
  package enum Synchronization: Sendable {
    /// When it survives a power cut.
    case full
    /// When it survives the end of the process.
    case fast
    /// Immediately: the file is read and never written, nor locked.
    case ephemeral
  }

  /// How edits from outside are noticed.
  package enum Watching: Sendable {
    /// Only when a version is published.
    case off
    /// By notifications of the file system and regular checks.
    case notifications
    /// By regular checks only, for file systems that do not notify.
    case polling
  }

  package var synchronization: Synchronization
  package var watching: Watching
  var timing = Timing()

  package init(synchronization: Synchronization = .full, watching: Watching = .notifications) {
    self.synchronization = synchronization
    self.watching = watching
  }

  /// The waits of a store.
  struct Timing: Sendable {
    /// From a notification to the check of the file.
    var debounce = Duration.milliseconds(50)
    /// Between two checks without a notification. A write to mapped memory causes none, nor does a directory that is
    /// restored, and still they are to be noticed within half a second; a check costs about 20 µs.
    var pollInterval = Duration.milliseconds(300)
    /// How long a file must stay invalid, empty or missing before that is reported: an editor may be in the middle of a
    /// save.
    var grace = Duration.milliseconds(250)
    /// How long a publish waits for an invalid file to become valid.
    var publishTimeout = Duration.seconds(1)
    /// How long a replaced version is kept open to notice late saves.
    var replacedHold = Duration.milliseconds(500)
  }
}
