/// How a ``FileStore`` treats its file.
package struct FileStoreOptions: Sendable {
  /// When a version counts as published.
  package enum Synchronization: Sendable {
    /// When it survives a power cut.
    case full
    /// When it survives the end of the process.
    case fast
    /// At once: the file is read and never written, nor locked.
    case ephemeral
  }

  /// How edits from outside are noticed.
  package enum Watching: Sendable {
    /// Only when a version is published.
    case off
    /// By notifications of the file system and a regular look.
    case notifications
    /// By a regular look only, for file systems that do not notify.
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
    /// From a notification to the look at the file.
    var debounce = Duration.milliseconds(50)
    /// Between two looks without a notification. A write to mapped memory gives none, nor does a directory that comes
    /// back, and still they are to be seen within half a second; a look costs about 20 µs.
    var pollInterval = Duration.milliseconds(300)
    /// How long a file must stay invalid, empty or missing until that is said: an editor may be in the middle of a
    /// save.
    var grace = Duration.milliseconds(250)
    /// How long a publish waits for an invalid file to become valid.
    var publishTimeout = Duration.seconds(1)
    /// How long a replaced version is kept open to see late saves.
    var replacedHold = Duration.milliseconds(500)
  }
}
