import JSONServerValues

/// Versions that are to be published, all or none.
private struct PublishRequest {
  let writes: [FileStore.Write]
  let completion: @Sendable (CommitResult) -> Void
  /// The time at which to stop waiting for invalid files to become valid.
  let deadline: ContinuousClock.Instant
}

/// The work of a ``FileStore`` on its queue: when the files are looked at, and which versions are published.
final class FileStoreWorker {
  private let options: FileStoreOptions
  private let fileSystem: FileSystem
  private let onEdit: @Sendable (SourceEdit) -> Void
  /// Called whenever the files have been looked at.
  var onLook: @Sendable (FileStoreWorker) -> Void = { _ in }

  private var files: [StoredFile] = []
  private var waiting: [PublishRequest] = []
  /// The time before which a version is not tried again after it met an edit that cannot be loaded.
  private var retryDue: ContinuousClock.Instant?
  private var lookDue = ContinuousClock.now
  private var busyUntil = ContinuousClock.now
  private var isClosed = false
  /// The names of temporary files by directory: each directory is read once for all files that are opened in it.
  private var temporaryNames: [String: [String]] = [:]

  init(options: FileStoreOptions, fileSystem: FileSystem, onEdit: @escaping @Sendable (SourceEdit) -> Void) {
    self.options = options
    self.fileSystem = fileSystem
    self.onEdit = onEdit
  }

  // MARK: Files

  /// Locks a file, cleans up after a killed server, and reads the file.
  func open(_ path: String, parse: @escaping FileStore.Parse) throws(StorageError) -> FileStore.Opening {
    guard !isClosed else { throw Self.closed }
    let file = StoredFile(path: path, options: options, fileSystem: fileSystem, parse: parse, onEdit: onEdit)
    let (version, warnings) = try file.open { [self] directory in temporaryFiles(in: directory, at: file) }
    files.append(file)
    return FileStore.Opening(file: FileStore.File(index: files.count - 1), version: version, warnings: warnings)
  }

  private func temporaryFiles(in directory: FileDescriptor, at file: StoredFile) -> [String] {
    let path = file.location.directory
    let names = temporaryNames[path] ?? ((try? fileSystem.names(in: directory)) ?? []).filter { $0.hasSuffix(".tmp") }
    temporaryNames[path] = names
    return names.filter(file.location.isTemporary)
  }

  /// Returns a file of the open store.
  func open(_ file: FileStore.File) throws(StorageError) -> StoredFile {
    guard !isClosed else { throw Self.closed }
    return files[file.index]
  }

  private static var closed: StorageError { StorageError(.closed, "The file is closed.") }

  func saveHistory(_ contents: [(file: FileStore.File, content: any FileContent)]) throws(StorageError) -> String {
    var path = ""
    for (file, content) in contents { path = try open(file).saveHistory(content) }
    return path
  }

  // MARK: Looks

  /// Looks at the files, publishes versions and reviews replaced versions, as far as they are due.
  func goOn() {
    temporaryNames = [:]
    guard !isClosed else { return }
    lookIfDue()
    for file in files { file.checkIfDue() }
    publishWaiting(isClosing: false)
    for file in files { file.reviewReplaced(before: .now) }
  }

  /// The time at which more is due.
  var nextMoment: ContinuousClock.Instant? {
    guard !isClosed else { return nil }
    var moments = waiting.map(\.deadline)
    if options.watching == .on { moments.append(lookDue) }
    if let retryDue { moments.append(retryDue) }
    for file in files {
      if let moment = file.nextMoment { moments.append(moment) }
    }
    return moments.min()
  }

  private func lookIfDue() {
    let now = ContinuousClock.now
    guard options.watching == .on, lookDue <= now else { return }
    for file in files where file.look(at: now) { busyUntil = now + options.timing.busyTime }
    onLook(self)
    lookDue = now + (now < busyUntil ? options.timing.busyInterval : options.timing.idleInterval)
  }

  /// Checks the files whatever is due, and returns the reasons why they hold no valid version.
  func lookNow() -> [FileStore.File: StorageError] {
    guard !isClosed else { return [:] }
    let faults = files.enumerated().compactMap { index, file in
      file.checkNow().map { (FileStore.File(index: index), $0) }
    }
    return Dictionary(uniqueKeysWithValues: faults)
  }

  /// Publishes the waiting versions, and releases the files.
  func close() {
    guard !isClosed else { return }
    publishWaiting(isClosing: true)
    isClosed = true
    for file in files { file.close() }
    files = []
  }

  // MARK: Publishing

  func publish(_ writes: [FileStore.Write], _ completion: @escaping @Sendable (CommitResult) -> Void) {
    guard !isClosed else { return completion(.failed(Self.closed)) }
    if options.watching == .off, waiting.isEmpty {
      // A faulty file was not checked since, and may be valid by now.
      for file in writes.map({ files[$0.file.index] }) where file.fault != nil { file.scheduleCheck(in: .zero) }
    }
    waiting.append(
      PublishRequest(writes: writes, completion: completion, deadline: .now + options.timing.publishTimeout))
    busyUntil = .now + options.timing.busyTime
    lookDue = min(lookDue, .now + options.timing.busyInterval)
  }

  /// Publishes the waiting versions, in order.
  ///
  /// - Parameter isClosing: Whether to stop waiting for an invalid file to become valid.
  private func publishWaiting(isClosing: Bool) {
    while let request = waiting.first, isClosing || retryDue.map({ $0 <= .now }) ?? true {
      retryDue = nil
      guard let result = result(of: request, isClosing: isClosing) else { return }
      waiting.removeFirst()
      request.completion(result)
    }
    // An unwatched file is checked only for a publish.
    if options.watching == .off, waiting.isEmpty {
      for file in files { file.checkDue = nil }
    }
  }

  /// Tries to publish versions; returns `nil` as long as they wait for a file to become valid.
  private func result(of request: PublishRequest, isClosing: Bool) -> CommitResult? {
    let isLast = isClosing || request.deadline <= .now
    let targets = request.writes.map { files[$0.file.index] }
    if let edit = edit(since: request) { return .moved(to: edit) }
    if options.synchronization == .ephemeral { return .done }
    if let error = targets.lazy.compactMap({ $0.fault?.error }).first {
      for file in targets { file.scheduleCheck(in: options.timing.debounce) }
      return isLast ? .failed(error) : nil
    }
    do throws(StorageError) {
      if try publish(request.writes) { return .done }
    } catch {
      return error.code == .durabilityUnknown ? .uncertain(error) : .failed(error)
    }
    for file in targets { file.check() }
    if let edit = edit(since: request) { return .moved(to: edit) }
    // The edit cannot be loaded yet, or was reverted.
    let fault = targets.lazy.compactMap { $0.fault?.error }.first
    if isLast { return .failed(fault ?? targets[0].restlessness) }
    for file in targets { file.scheduleCheck(in: options.timing.debounce) }
    // Not immediately: an attempt writes and syncs the whole files.
    retryDue = min(.now + options.timing.debounce, request.deadline)
    return nil
  }

  /// The edit of a file that a request does not know.
  private func edit(since request: PublishRequest) -> LoadedSource? {
    for write in request.writes {
      let file = files[write.file.index]
      if write.generation < file.generation, let version = file.latestEdit { return .file(version) }
    }
    return nil
  }

  /// Publishes versions; a failure changes nothing, except with code `durabilityUnknown`.
  ///
  /// All new files are written and all old ones checked before the first is replaced, and each replaced one has a name
  /// until all are. So when one file cannot be replaced, the others are put back.
  ///
  /// - Returns: `false` when a file holds an edit that the store had not seen; nothing is published then.
  private func publish(_ writes: [FileStore.Write]) throws(StorageError) -> Bool {
    var installations: [Installation] = []
    do throws(StorageError) {
      for write in writes {
        guard let installation = try files[write.file.index].prepare(write.content) else {
          try undo(installations)
          return false
        }
        installations.append(installation)
      }
      guard !installations.contains(where: { $0.file.isEdited(in: $0.directory) }) else {
        try undo(installations)
        return false
      }
      for index in installations.indices {
        guard try installations[index].install() else {
          try undo(installations)
          return false
        }
      }
    } catch {
      try undo(installations)
      throw error
    }
    for installation in installations { installation.finish() }
    // A replaced version keeps its name until the new one is durable, so a killed server leaves at most one behind.
    // After that, late saves reach it through its open descriptor.
    defer { for installation in installations { installation.removeReplaced() } }
    var synchronized: Set<String> = []
    for installation in installations where synchronized.insert(installation.file.location.directory).inserted {
      try installation.synchronizeDirectory()
    }
    return true
  }

  /// Puts replaced files back, and removes new ones.
  ///
  /// - Throws: When a file cannot be put back, with code `durabilityUnknown`.
  private func undo(_ installations: [Installation]) throws(StorageError) {
    var failure: StorageError?
    for installation in installations {
      do throws(StorageError) { try installation.undo() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
