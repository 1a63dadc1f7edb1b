import OrderedJSON

extension FileStoreWorker {
  /// What a check of the file showed.
  private enum Observation {
    /// Nothing that was not known before.
    case unchanged
    /// The bytes of the known version, in whatever file.
    case known(FileReading)
    case edited(FileReading, Content)
    case faulty(Fault)
  }

  /// Checks the file and announces what changed.
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

  /// Records that the file holds the version that listeners expect, and announces it after a fault.
  func recordVersion(_ version: Known) {
    known = version
    fault = nil
    guard isFaultAnnounced else { return }
    isFaultAnnounced = false
    onEdit(.restored)
  }

  /// Records a fault, and announces it once it has lasted: an editor may be in the middle of a save.
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
    // Many parsers treat an empty file as an empty database, but an editor that rewrites a file empties it first, and one
    // that runs out of space leaves it at that.
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

  /// Follows the path when a symbolic link was changed or its directory replaced.
  ///
  /// - Returns: Whether the file is now another one, about which nothing is known yet.
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
    // The directory may have the name of the old one without being the same: its lock file is not ours to remove.
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
