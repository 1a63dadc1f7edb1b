import JSONServerValues

extension FileStoreWorker {
  /// The result of a check of the file.
  private enum Observation {
    /// The known state.
    case unchanged
    /// The bytes of the known version, perhaps in another file.
    case known(FileReading)
    case edited(FileReading, Content)
    case faulty(Fault)
  }

  /// Checks the file, and reports changes.
  func check() {
    switch observe() {
    case .unchanged: break
    case .known(let reading):
      removeRecovery()
      recordVersion(Known(hash: reading.hash, stamp: reading.status.stamp, isSettled: reading.isSettled))
    case .edited(let reading, let content):
      removeRecovery()
      keepReturned(replacedBy: reading.hash)
      known = Known(hash: reading.hash, stamp: reading.status.stamp, isSettled: reading.isSettled)
      fault = nil
      isFaultAnnounced = false
      generation += 1
      let version = FileVersion(content: content, text: reading.text, generation: generation)
      latestEdit = version
      onEdit(.changed(version))
    case .faulty(let new): recordFault(new)
    }
  }

  /// Records that the file holds the version that listeners expect; reports it after an error.
  func recordVersion(_ version: Known) {
    known = version
    fault = nil
    guard isFaultAnnounced else { return }
    isFaultAnnounced = false
    onEdit(.restored)
  }

  /// Records an error, and reports it when it lasts: an editor may be in the middle of a save.
  private func recordFault(_ new: Fault) {
    guard let old = fault, old.hash == new.hash, (old.error == nil) == (new.error == nil) else {
      fault = new
      scheduleCheck(in: options.timing.grace)
      return
    }
    fault = Fault(
      error: new.error, hash: new.hash, stamp: new.stamp, since: old.since, isAnnounced: old.isAnnounced)
    guard !old.isAnnounced else { return }
    guard isGraceOver else {
      scheduleCheck(in: options.timing.grace - (.now - old.since))
      return
    }
    fault?.isAnnounced = true
    isFaultAnnounced = true
    onEdit(new.error.map(FileEdit.invalid) ?? .deleted)
  }

  private var isGraceOver: Bool {
    fault.map { .now - $0.since >= options.timing.grace } ?? false
  }

  private func observe() -> Observation {
    do throws(StorageError) {
      try relocateIfNeeded()
      let directory = try openDirectory()
      defer { try? fileSystem.close(directory) }
      if isTrusted(try? fileSystem.status(location.name, in: directory).stamp) { return .unchanged }
      let reading = try read(in: directory)
      if reading.hash == torn { return .unchanged }
      return reading.hash == known.hash ? .known(reading) : observe(reading)
    } catch {
      let isMissing = (error.cause as? SystemError)?.isMissing == true
      return .faulty(Fault(error: isMissing ? nil : error, hash: nil, stamp: nil, since: .now))
    }
  }

  private func isTrusted(_ stamp: FileStamp?) -> Bool {
    guard let stamp else { return false }
    guard let fault else { return stamp == known.stamp && known.isSettled }
    return fault.isAnnounced && stamp == fault.stamp
  }

  private func observe(_ reading: FileReading) -> Observation {
    let stamp = reading.isSettled ? reading.status.stamp : nil
    // Many parsers treat an empty file as an empty database. But an editor that rewrites a file empties it first, and
    // leaves it empty when the disk is full.
    if reading.text.withBytes({ $0.allSatisfy(JSONSyntax.isWhitespace) }) {
      let error = StorageError(.invalidFile, "'\(location.name)' is empty.")
      return .faulty(Fault(error: error, hash: reading.hash, stamp: stamp, since: .now))
    }
    do throws(StorageError) {
      return .edited(reading, try parsed(reading.text))
    } catch {
      return .faulty(Fault(error: error, hash: reading.hash, stamp: stamp, since: .now))
    }
  }

  /// Follows the path after a symbolic link was changed or a directory replaced.
  ///
  /// - Returns: Whether the path now leads to another file, about which nothing is known yet.
  @discardableResult
  func relocateIfNeeded() throws(StorageError) -> Bool {
    let found: FileLocation
    let stamp: FileStamp
    do throws(SystemError) {
      found = try FileLocation(path, in: fileSystem)
      let directory = try fileSystem.openDirectory(found.directory)
      defer { try? fileSystem.close(directory) }
      stamp = try fileSystem.status(of: directory).stamp
      if found == location, stamp.inode == directoryStamp?.inode, stamp.device == directoryStamp?.device {
        return false
      }
    } catch {
      throw StorageError(error, when: "open", path)
    }
    try relocate(to: found)
    return true
  }

  private func relocate(to new: FileLocation) throws(StorageError) {
    let old = (location, lock)
    // The new directory may have the name of the old one, and then its lock file is not this server's to remove.
    let directory = location.directory == new.directory ? nil : try? fileSystem.openDirectory(location.directory)
    defer { if let directory { try? fileSystem.close(directory) } }
    location = new
    lock = nil
    do throws(StorageError) {
      let newDirectory = try openDirectory()
      defer { try? fileSystem.close(newDirectory) }
      try takeLock(newDirectory)
    } catch {
      (location, lock) = old
      throw error
    }
    known.stamp = nil
    old.1?.release(old.0, in: directory, of: fileSystem)
  }
}

/// A replaced version without a name, kept open to see whether an editor still writes to it.
struct ReplacedFile {
  let descriptor: FileDescriptor
  let location: FileLocation
  let hash: ContentHash
  /// The stamp before hashing.
  let stamp: FileStamp
  /// Whether the stamp changes with every later write.
  let isSettled: Bool
  var due: ContinuousClock.Instant = .now
  /// The number of times that the store has waited longer for an unfinished late save.
  var extensions = 0

  /// Describes an open file.
  ///
  /// - Parameter isSettled: Whether the stamp changes with every later write; `nil` to decide by the clock.
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

/// An edit that was taken out of its place for an instant and put back.
///
/// An editor that read the file in this instant has not seen the edit, and may save over it.
struct ReturnedEdit {
  let reading: FileReading
  /// The end of the time in which such a save is expected.
  let due: ContinuousClock.Instant

  init(_ reading: FileReading, until due: ContinuousClock.Instant) {
    self.reading = reading
    self.due = due
  }
}

extension FileStoreWorker {
  /// The number of files and bytes beyond which the oldest replaced version is reviewed early.
  ///
  /// Without syncing, several hundred versions are replaced in half a second. Connections need descriptors, too: a file
  /// gets the lowest free number, so a high number means that many are in use.
  private func replacedLimit(_ newest: FileDescriptor) -> (files: Int, bytes: Int) {
    (newest.number < CurrentProcess.openFileLimit / 2 ? 256 : 16, 256 << 20)
  }

  /// Step 9: keeps a replaced version open for a while.
  func hold(_ file: ReplacedFile) {
    var file = file
    file.due = .now + options.timing.replacedHold
    replaced.append(file)
    let limit = replacedLimit(file.descriptor)
    while replaced.count > limit.files
      || replaced.count > 1 && replaced.reduce(0, { $0 + $1.stamp.size }) > limit.bytes
    {
      finish(replaced.removeFirst(), isLast: true)
    }
  }

  /// Reviews the versions whose time is up, or all versions when `moment` is `nil`, and closes them.
  func reviewReplaced(before moment: ContinuousClock.Instant?) {
    returned.removeAll { $0.due <= moment ?? .now }
    while let first = replaced.first, moment.map({ first.due <= $0 }) ?? true {
      finish(replaced.removeFirst(), isLast: moment == nil)
    }
  }

  private func finish(_ file: ReplacedFile, isLast: Bool) {
    do throws(SystemError) {
      if try isChanged(file) {
        review(file, try fileSystem.contents(of: file.descriptor), isLast: isLast)
      } else {
        try? fileSystem.close(file.descriptor)
      }
    } catch {
      try? fileSystem.close(file.descriptor)
      onEdit(.conflictLost(StorageError(error, when: "look for a late save of", file.location.path)))
    }
  }

  private func review(_ file: ReplacedFile, _ late: FileReading, isLast: Bool) {
    let content = late.text.count == 0 ? nil : try? parse(late.text)
    if content == nil, !isLast, file.extensions < 4 {
      // The save is not complete yet.
      var extended = file
      extended.extensions += 1
      extended.due = .now + options.timing.replacedHold
      replaced.append(extended)
      return
    }
    keep(late, beside: file.location, content)
    try? fileSystem.close(file.descriptor)
  }

  /// Keeps the edits that were put back and then replaced by another edit.
  private func keepReturned(replacedBy hash: ContentHash) {
    guard !returned.isEmpty else { return }
    var kept = Set([hash])
    for edit in returned where edit.due > .now && kept.insert(edit.reading.hash).inserted {
      // A part of a save is not a version that anyone saved over.
      guard let content = try? parse(edit.reading.text) else { continue }
      keep(edit.reading, beside: location, content)
    }
    returned.removeAll { $0.reading.hash != hash }
  }

  private func isChanged(_ file: ReplacedFile) throws(SystemError) -> Bool {
    let stamp = try fileSystem.status(of: file.descriptor).stamp
    if file.isSettled, stamp.matchesAcrossRename(file.stamp) { return false }
    return try fileSystem.hash(of: file.descriptor) != file.hash
  }

  /// Keeps a late save under another name, and reports it.
  private func keep(_ late: FileReading, beside location: FileLocation, _ content: Content?) {
    do throws(SystemError) {
      let directory = try fileSystem.openDirectory(location.directory)
      defer { try? fileSystem.close(directory) }
      let name = try WallClock.name { part throws(SystemError) in
        try fileSystem.writeNewFile(
          late.text, named: location.conflictName(at: part), in: directory, like: FileModel(status: late.status),
          durably: options.synchronization == .full
        ).name
      }
      if options.synchronization == .full { try fileSystem.synchronize(directory) }
      onEdit(.conflict(LateSave(path: FileLocation.join(location.directory, name), content: content)))
    } catch {
      onEdit(.conflictLost(StorageError(error, when: "keep a late save of", location.path)))
    }
  }
}
