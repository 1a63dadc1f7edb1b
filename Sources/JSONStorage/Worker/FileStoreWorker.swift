import JSONServerValues

/// The thread of a ``FileStore``. It owns the state and makes all system calls, so a check of the file and a publish
/// never overlap.
final class FileStoreWorker<Version: Sendable> {
  /// The version of the file that was last loaded or published.
  struct Known {
    var hash: ContentHash
    /// The stamp; `nil` when only the hash can show whether the file still holds the version.
    var stamp: FileStamp?
    var isSettled = false
  }

  /// The reason why the file holds no valid version.
  struct Fault {
    /// The error; `nil` when the file is missing.
    let error: StorageError?
    /// The hash of the invalid bytes.
    let hash: ContentHash?
    let stamp: FileStamp?
    let since: ContinuousClock.Instant
    var isAnnounced = false
  }

  let path: String
  let options: FileStoreOptions
  let fileSystem: FileSystem
  let parse: @Sendable (UTF8Slice, _ generation: Int) throws -> Version
  let onEdit: @Sendable (FileEdit<Version>) -> Void
  /// Whether a version must survive a power cut before it counts.
  var isDurable: Bool { options.synchronization == .full }

  var location: FileLocation
  var lock: FileLock?
  /// The stamp of the directory with the lock.
  var directoryStamp: FileStamp?
  var known: Known
  /// The file as it was last seen, as the model of copies and of the file that is made after it was deleted.
  var model: FileModel?
  /// The newest edit; before the first edit, the opened version.
  var latestEdit: Version?
  var generation = 0
  var fault: Fault?
  /// Whether an error was reported without a report of its end.
  var isFaultAnnounced = false
  /// Whether the file cannot be replaced because something is mounted on it.
  var isMountPoint = false
  /// The bytes that a failed write in place left in the file; then the recovery file has the known version.
  var torn: ContentHash?
  var replaced: [ReplacedFile] = []
  var returned: [ReturnedEdit] = []
  var waiting: [PublishRequest<Version>] = []
  /// The time before which a version is not tried again after it met an edit that cannot be loaded.
  var retryDue: ContinuousClock.Instant?
  var checkDue: ContinuousClock.Instant?
  private var pollDue: ContinuousClock.Instant = .now

  init(
    path: String,
    options: FileStoreOptions,
    fileSystem: FileSystem,
    parse: @escaping @Sendable (UTF8Slice, _ generation: Int) throws -> Version,
    onEdit: @escaping @Sendable (FileEdit<Version>) -> Void
  ) {
    self.path = path
    self.options = options
    self.fileSystem = fileSystem
    self.parse = parse
    self.onEdit = onEdit
    let parts = FileLocation.split(path)
    location = FileLocation(directory: parts.directory, name: parts.name)
    known = Known(hash: ContentHasher().finish(), stamp: nil)
  }

  /// Works until the mailbox is closed, and then does the remaining jobs.
  func run(_ mailbox: FileStoreMailbox<Version>) {
    var watch = options.watching == .notifications ? try? DirectoryWatch() : nil
    pollDue = .now
    while true {
      let (jobs, isClosed) = mailbox.take()
      for job in jobs { job(self) }
      // A publish checks the file itself; another check would read the file twice.
      if waiting.isEmpty || fault != nil || retryDue != nil { lookIfDue(&watch) }
      publishWaiting(isClosing: isClosed)
      // An unwatched file is checked only for a publish.
      if options.watching == .off, waiting.isEmpty { checkDue = nil }
      if isClosed { break }
      reviewReplaced(before: .now)
      mailbox.wakeSignal.wait(orFor: watch?.descriptor, until: nextMoment)
      if let isConcerned = watch?.drain(), isConcerned {
        scheduleCheck(in: options.timing.debounce)
      }
    }
    close()
  }

  /// Accepts a version to publish.
  func accept(_ request: PublishRequest<Version>) {
    // The file was not checked since, and may be valid by now.
    if options.watching == .off, waiting.isEmpty, fault != nil { scheduleCheck(in: .zero) }
    waiting.append(request)
  }

  /// Checks the file, and returns the reason why it holds no valid version.
  func look() -> StorageError? {
    check()
    return fault.map { $0.error ?? StorageError(.unavailable, "'\(path)' was deleted.") }
  }

  private func lookIfDue(_ watch: inout DirectoryWatch?) {
    let now = ContinuousClock.now
    if options.watching != .off, pollDue <= now {
      let given = FileLocation.split(path)
      watch?.watch([location.name, given.name], in: [location.directory, given.directory])
      pollDue = now + options.timing.pollInterval
      checkDue = now
    }
    if let due = checkDue, due <= now {
      checkDue = nil
      check()
    }
  }

  private var nextMoment: ContinuousClock.Instant? {
    var moments = replaced.map(\.due) + waiting.map(\.deadline)
    if let checkDue { moments.append(checkDue) }
    if let retryDue { moments.append(retryDue) }
    if options.watching != .off { moments.append(pollDue) }
    return moments.min()
  }

  /// Schedules a check of the file within a given time.
  func scheduleCheck(in duration: Duration) {
    let due = ContinuousClock.now + duration
    checkDue = min(checkDue ?? due, due)
  }

  private func close() {
    reviewReplaced(before: nil)
    lock = nil
  }

  /// Locks the file, cleans up after a killed server, and reads the file.
  func open() throws(StorageError) -> (Version, [FileStore<Version>.Warning]) {
    do throws(SystemError) {
      location = try FileLocation(path, in: fileSystem)
    } catch {
      throw StorageError(error, when: "open", path)
    }
    let directory = try openDirectory()
    try takeLock(directory)
    do throws(StorageError) {
      if options.synchronization != .ephemeral { try replayRecovery(in: directory) }
      let reading = try read(in: directory)
      let version = try parsed(reading.text, generation)
      known = Known(reading)
      if options.synchronization != .ephemeral { removeStaleFiles(in: directory) }
      latestEdit = version
      return (version, warnings(reading.status))
    } catch {
      lock = nil
      throw error
    }
  }

  /// Locks the file at `location`.
  func takeLock(_ directory: FileDescriptor) throws(StorageError) {
    if options.synchronization != .ephemeral {
      lock = try FileLock.acquire(for: location, in: directory)
    }
    directoryStamp = try? fileSystem.status(of: directory).stamp
    isMountPoint = fileSystem.isMountPoint(location.name, in: directory) ?? false
  }

  func openDirectory() throws(StorageError) -> FileDescriptor {
    do throws(SystemError) {
      return try fileSystem.openDirectory(location.directory)
    } catch {
      throw StorageError(error, when: "open", location.directory)
    }
  }

  /// Reads the file, and records it as the model.
  func read(in directory: FileDescriptor) throws(StorageError) -> FileReading {
    let reading: FileReading
    do throws(SystemError) {
      reading = try fileSystem.contents(of: location.name, in: directory)
    } catch {
      throw StorageError(error, when: "read", location.path)
    }
    guard reading.status.isRegular else { throw notAFile }
    model = FileModel(reading)
    return reading
  }

  var notAFile: StorageError { StorageError(.unavailable, "'\(location.path)' is not a file.") }

  func parsed(_ text: UTF8Slice, _ generation: Int) throws(StorageError) -> Version {
    do {
      return try parse(text, generation)
    } catch {
      throw StorageError(invalid: location.path, cause: error)
    }
  }

  private func warnings(_ status: FileStatus) -> [FileStore<Version>.Warning] {
    guard options.synchronization != .ephemeral, status.links > 1, !isMountPoint else { return placeWarnings }
    return [.hardLinks(count: status.links)] + placeWarnings
  }

  /// The warnings about the file's place, whatever file is in it.
  var placeWarnings: [FileStore<Version>.Warning] {
    guard options.synchronization != .ephemeral else { return [] }
    return (isMountPoint ? [.mountPoint] : []) + (lock == nil ? [.notLocked] : [])
  }

  /// Moves temporary files of a killed server to the history, unless the file holds the same bytes.
  ///
  /// Such a file may be an edit that had just been taken out of its place, and an invalid edit looks like a
  /// half-written version.
  private func removeStaleFiles(in directory: FileDescriptor) {
    guard let names = try? fileSystem.names(in: directory) else { return }
    for name in names where location.isTemporary(name) {
      guard let reading = try? fileSystem.contents(of: name, in: directory) else { continue }
      if reading.hash != known.hash, reading.text.count > 0 {
        guard (try? saveHistory(reading.text)) != nil else { continue }
      }
      try? fileSystem.unlink(name, in: directory)
    }
  }

  /// Writes a version to another file.
  func writeCopy(_ content: some FileContent, to path: String) throws(StorageError) -> String {
    do throws(SystemError) {
      guard let model else { throw SystemError.nothingWritten }
      return try fileSystem.writeFile(content, to: path, like: model, durably: isDurable)
    } catch {
      throw StorageError(error, when: "write", path)
    }
  }
}

extension FileStoreWorker.Known {
  init(_ reading: FileReading) {
    self.init(hash: reading.hash, stamp: reading.status.stamp, isSettled: reading.isSettled)
  }
}

/// The replaced versions, in a directory beside the file.
extension FileStoreWorker {
  /// Saves a version in the history, and removes all but the newest 20.
  ///
  /// - Returns: The path of the saved version.
  func saveHistory(_ content: some FileContent) throws(StorageError) -> String {
    guard options.synchronization != .ephemeral, let model else {
      throw StorageError(.unavailable, "'\(location.path)' is not written to and has no history.")
    }
    let directory = try openDirectory()
    do throws(SystemError) {
      do {
        try fileSystem.makeDirectory(location.historyName, in: directory)
        if isDurable { try fileSystem.synchronizeDirectory(directory) }
      } catch {
        guard error.isExisting else { throw error }
      }
      let path = FileLocation.join(location.directory, location.historyName)
      let history = try fileSystem.openDirectory(path)
      let temporary = try fileSystem.writeNewFile(
        content, named: location.temporaryName(), in: history, like: model, durably: isDurable)
      let name = try nameVersion(temporary.name, in: history)
      if isDurable { try fileSystem.synchronizeDirectory(history) }
      removeOldest(in: history, newest: name)
      return FileLocation.join(path, name)
    } catch {
      throw StorageError(error, when: "save the history of", location.path)
    }
  }

  /// Names a complete version by the time, or removes it when that fails.
  private func nameVersion(_ temporary: String, in history: FileDescriptor) throws(SystemError) -> String {
    do throws(SystemError) {
      return try WallClock.name { part throws(SystemError) in
        let name = part + Self.historySuffix
        try fileSystem.renameWithoutReplacing(temporary, to: name, in: history)
        return name
      }
    } catch {
      try? fileSystem.unlink(temporary, in: history)
      throw error
    }
  }

  private static var historySuffix: String { ".json" }

  /// Removes the oldest versions; a file with a name of another form is not the server's, and stays.
  ///
  /// - Parameter newest: The version that was just saved. Names that sort after it are from before the clock was set
  ///   back.
  private func removeOldest(in history: FileDescriptor, newest: String) {
    guard let names = try? fileSystem.names(in: history) else { return }
    for name in names where location.isTemporary(name) { try? fileSystem.unlink(name, in: history) }
    let versions = names.filter { WallClock.isName($0, suffix: Self.historySuffix) }.sorted()
    let ordered = versions.filter { $0 > newest } + versions.filter { $0 <= newest }
    for name in ordered.dropLast(20) { try? fileSystem.unlink(name, in: history) }
  }
}
