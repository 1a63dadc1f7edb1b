import JSONServerValues

/// A file of a ``FileStore``: what is known of it, and how it is read and replaced. Only the store's queue uses it.
final class StoredFile {
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
  let parse: FileStore.Parse
  let onEdit: @Sendable (SourceEdit) -> Void
  /// Whether a version must survive a power cut before it counts.
  var isDurable: Bool { options.synchronization == .full }

  var location: FileLocation
  var lock: FileLock?
  /// The file in place, whose lock excludes a server that reaches it by another mount.
  var place: FileDescriptor? {
    willSet {
      if let place { fileSystem.unlock(place) }
    }
  }
  /// The stamp of the directory with the lock.
  var directoryStamp: FileStamp?
  var known: Known
  /// The file as it was last seen, as the model of copies and of the file that is made after it was deleted.
  var model: FileModel?
  /// The newest edit; before the first edit, the opened version.
  var latestEdit: LoadedFile?
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
  var checkDue: ContinuousClock.Instant?
  /// The time before which no look is necessary: publishing a version has checked the file.
  var lookDue: ContinuousClock.Instant = .now

  init(
    path: String,
    options: FileStoreOptions,
    fileSystem: FileSystem,
    parse: @escaping FileStore.Parse,
    onEdit: @escaping @Sendable (SourceEdit) -> Void
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

  /// Looks at the file, unless a version was just published; schedules a check when it may have changed.
  ///
  /// - Returns: Whether it has changed.
  func look(at now: ContinuousClock.Instant) -> Bool {
    guard lookDue <= now else { return false }
    let stamp = try? fileSystem.status(behind: path).stamp
    if isTrusted(stamp) { return false }
    // An editor may be in the middle of a save.
    let debounce = options.timing.debounce
    scheduleCheck(in: stamp.map { min(debounce - $0.changed.age(at: WallClock.now), debounce) } ?? .zero)
    return stamp != known.stamp && fault?.isAnnounced != true
  }

  /// Checks the file if a check is due.
  func checkIfDue() {
    guard let due = checkDue, due <= .now else { return }
    checkDue = nil
    check()
  }

  /// Checks the file, and returns the reason why it holds no valid version.
  func checkNow() -> StorageError? {
    check()
    return fault.map { $0.error ?? StorageError(.unavailable, "'\(path)' was deleted.") }
  }

  /// The time of the next check of the file or of a replaced version.
  var nextMoment: ContinuousClock.Instant? { (replaced.map(\.due) + [checkDue].compactMap(\.self)).min() }

  /// Schedules a check of the file within a given time.
  func scheduleCheck(in duration: Duration) {
    let due = ContinuousClock.now + duration
    checkDue = min(checkDue ?? due, due)
  }

  /// Reviews the replaced versions, and releases the lock.
  func close() {
    reviewReplaced(before: nil)
    (lock, place) = (nil, nil)
  }

  /// Locks the file, cleans up after a killed server, and reads the file.
  ///
  /// - Parameter temporaryNames: Returns the names of temporary files of a killed server.
  func open(
    _ temporaryNames: (FileDescriptor) -> [String]
  ) throws(StorageError) -> (LoadedFile, [FileWarning]) {
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
      if options.synchronization != .ephemeral { removeStaleFiles(temporaryNames(directory), in: directory) }
      latestEdit = version
      return (version, warnings(reading.status))
    } catch {
      (lock, place) = (nil, nil)
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

  /// Locks and reads the file, and records it as the model.
  func read(in directory: FileDescriptor) throws(StorageError) -> FileReading {
    let reading: FileReading
    do throws(SystemError) {
      let file = try fileSystem.open(location.name, in: directory, for: .reading)
      reading = try fileSystem.contents(of: file)
      guard reading.status.isRegular else { throw SystemError.notRegular }
      try lock(file, with: reading.status.stamp.inode)
    } catch {
      if error == .notRegular { throw notAFile }
      if error.isWouldBlock { throw StorageError(.locked, FileLock.message(for: location), cause: error) }
      throw StorageError(error, when: "read", location.path)
    }
    model = FileModel(reading)
    return reading
  }

  /// Locks the file in place, if that is another one than before.
  ///
  /// - Throws: ``SystemError`` when another server has locked it.
  private func lock(_ file: FileDescriptor, with inode: UInt64) throws(SystemError) {
    guard options.synchronization != .ephemeral else { return }
    if let place, try fileSystem.status(of: place).stamp.inode == inode { return }
    do {
      try fileSystem.lockContent(file)
    } catch {
      if error.isWouldBlock { throw error }
    }
    place = file
  }

  var notAFile: StorageError { StorageError(.unavailable, "'\(location.path)' is not a file.") }

  func parsed(_ text: UTF8Slice, _ generation: Int) throws(StorageError) -> LoadedFile {
    do {
      return LoadedFile(try parse(text), generation: generation)
    } catch {
      throw StorageError(invalid: location.path, cause: error)
    }
  }

  private func warnings(_ status: FileStatus) -> [FileWarning] {
    guard options.synchronization != .ephemeral, status.links > 1, !isMountPoint else { return placeWarnings }
    return [.hardLinks(count: status.links)] + placeWarnings
  }

  /// The warnings about the file's place, whatever file is in it.
  var placeWarnings: [FileWarning] {
    guard options.synchronization != .ephemeral else { return [] }
    return (isMountPoint ? [.mountPoint] : []) + (lock == nil ? [.notLocked] : [])
  }

  /// Moves temporary files of a killed server to the history, unless the file holds the same bytes.
  ///
  /// Such a file may be an edit that had just been taken out of its place, and an invalid edit looks like a
  /// half-written version.
  private func removeStaleFiles(_ names: [String], in directory: FileDescriptor) {
    for name in names {
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

extension StoredFile.Known {
  init(_ reading: FileReading) {
    self.init(hash: reading.hash, stamp: reading.status.stamp, isSettled: reading.isSettled)
  }
}

/// The replaced versions, in a directory beside the file.
extension StoredFile {
  /// Saves a version in the history, and removes old versions.
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
      let history = try fileSystem.openDirectory(location.historyName, in: directory)
      let temporary = try fileSystem.writeNewFile(
        content, named: location.temporaryName(), in: history, like: model, durably: isDurable)
      let name = try nameVersion(temporary.name, in: history)
      if isDurable { try fileSystem.synchronizeDirectory(history) }
      removeOldest(in: history, newest: name)
      return FileLocation.join(path, name)
    } catch {
      if error.isNotDirectory || error.isLink {
        let path = FileLocation.join(location.directory, location.historyName)
        throw StorageError(.unavailable, "'\(path)' must be a directory, not a link.", cause: error)
      }
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

  /// Removes old versions: all but the newest 20, those of the last minutes, as far as they are not too large. A file with a
  /// name of another form is not the server's, and stays.
  ///
  /// - Parameter newest: The version that was just saved. Names that sort after it are from before the clock was set
  ///   back.
  private func removeOldest(in history: FileDescriptor, newest: String) {
    guard let names = try? fileSystem.names(in: history) else { return }
    for name in names where location.isTemporary(name) { try? fileSystem.unlink(name, in: history) }
    let versions = names.filter { WallClock.isName($0, suffix: Self.historySuffix) }.sorted()
    let ordered = versions.filter { $0 > newest } + versions.filter { $0 <= newest }
    let now = WallClock.now
    let start = WallClock.fileNamePart(of: FileStamp.Time(seconds: now.seconds - 600, nanoseconds: now.nanoseconds))
    var size = 0
    for name in ordered.dropLast(20).reversed() {
      // A small file counts as larger: reading long lists of names would take long, too.
      size += max((try? fileSystem.status(name, in: history).stamp.size) ?? 0, 256 << 10)
      if name >= start, name <= newest, size <= 256 << 20 { continue }
      try? fileSystem.unlink(name, in: history)
    }
  }
}
