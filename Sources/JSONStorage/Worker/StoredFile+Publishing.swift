import JSONServerValues

extension StoredFile {
  /// Writes a version to a new file beside the file.
  ///
  /// - Returns: `nil` when the path now leads to another file.
  func prepare(_ content: some FileContent) throws(StorageError) -> Installation? {
    if try relocateIfNeeded() { return nil }
    let directory = try openDirectory()
    let newFile = try writeTemporary(content, in: directory, like: try inspect(in: directory))
    do throws(SystemError) {
      let descriptor = try fileSystem.open(newFile.name, in: directory, for: .reading)
      // Before the file is in place, where another server could lock it.
      try? fileSystem.lockContent(descriptor)
      return Installation(file: self, newFile: newFile, descriptor: descriptor, directory: directory)
    } catch {
      try? fileSystem.unlink(newFile.name, in: directory)
      throw StorageError(error, when: "write", location.path)
    }
  }

  /// Checks that the file may be replaced, and opens it as the model of the new file.
  private func inspect(in directory: FileDescriptor) throws(StorageError) -> FileModel {
    let current: FileStatus
    do throws(SystemError) {
      current = try fileSystem.status(location.name, in: directory)
    } catch {
      guard error.isMissing, let model else { throw StorageError(error, when: "write", location.path) }
      return model
    }
    guard current.isRegular else { throw notAFile }
    guard current.permissions & 0o222 != 0 else {
      throw StorageError(.unavailable, "'\(location.path)' is read-only.")
    }
    do throws(SystemError) {
      try fileSystem.checkWritable(location.name, in: directory)
      let file = try fileSystem.open(location.name, in: directory, for: .reading)
      let hasAccessList = fileSystem.hasAccessList(file)
      model = FileModel(status: current, hasAccessList: hasAccessList)
      return FileModel(status: current, descriptor: file, hasAccessList: hasAccessList)
    } catch {
      guard error.isMissing else { throw StorageError(error, when: "write", location.path) }
      return FileModel(status: current, hasAccessList: model?.hasAccessList ?? true)
    }
  }

  /// Writes the version to a new file in the same directory.
  private func writeTemporary(
    _ content: some FileContent, in directory: FileDescriptor, like model: FileModel
  ) throws(StorageError) -> NewFile {
    while true {
      do throws(SystemError) {
        return try fileSystem.writeNewFile(
          content, named: location.temporaryName(), in: directory, like: model, durably: isDurable)
      } catch {
        // Replaced versions that are still open may occupy the space that is missing.
        guard error.isLackOfSpace, !replaced.isEmpty else { throw StorageError(error, when: "write", location.path) }
        reviewReplaced(before: nil)
      }
    }
  }

  /// Records the state of the file after a version was put in place.
  fileprivate func remember(_ newFile: NewFile, in directory: FileDescriptor) {
    let stamp = try? fileSystem.status(location.name, in: directory).stamp
    let isOurs = stamp?.matchesAcrossRename(newFile.stamp) ?? false
    recordVersion(Known(hash: newFile.hash, stamp: isOurs ? stamp : nil))
    if !isOurs { scheduleCheck(in: options.timing.debounce) }
    lookDue = .now + options.timing.busyInterval
  }

  /// The error of a version that meets edits which cannot be loaded.
  var restlessness: StorageError {
    StorageError(.unavailable, "'\(location.path)' is being edited all the time.")
  }

  fileprivate func synchronizeDirectory(_ directory: FileDescriptor) throws(StorageError) {
    guard isDurable else { return }
    do throws(SystemError) {
      try fileSystem.synchronizeDirectory(directory)
    } catch {
      throw StorageError(
        .durabilityUnknown, "'\(location.path)' is written, but may not survive a power cut: \(error.reason).",
        cause: error)
    }
  }
}

/// A new version on its way into the place of its file.
struct Installation {
  private enum Stage {
    /// The version is complete, under the name of the new file.
    case written
    /// The version is in place.
    case installed(Replacement)
    /// An edit was taken out and put back, or has the name of the new file now.
    case settled
  }

  let file: StoredFile
  let newFile: NewFile
  /// The new file, locked.
  let descriptor: FileDescriptor
  let directory: FileDescriptor
  private var stage = Stage.written

  init(file: StoredFile, newFile: NewFile, descriptor: FileDescriptor, directory: FileDescriptor) {
    (self.file, self.newFile, self.descriptor, self.directory) = (file, newFile, descriptor, directory)
  }

  /// Puts the version in place, unless it would replace an edit that the store had not seen.
  mutating func install() throws(StorageError) -> Bool {
    let outcome: Replacement
    do throws(SystemError) {
      outcome = file.isMountPoint ? .impossible : try file.replace(with: newFile, in: directory)
    } catch {
      throw StorageError(error, when: "replace", file.location.path)
    }
    switch outcome {
    case .created: break
    case .exchanged:
      stage = .settled
      guard try file.keepReplaced(newFile, in: directory) else { return false }
    case .impossible:
      if !file.isMountPoint { file.onEdit(.warned(.mountPoint, path: file.location.path)) }
      file.isMountPoint = true
      guard try file.writeInPlace(newFile, in: directory) else { return false }
    case .edited: return false
    }
    stage = .installed(outcome)
    return true
  }

  /// Records that the version is in place, together with the other versions of its commit.
  func finish() {
    switch stage {
    // The file was written in place, and is still locked.
    case .written, .settled, .installed(.impossible): break
    case .installed: file.place = descriptor
    }
    file.remember(newFile, in: directory)
  }

  /// Removes the new file, or puts the replaced file back.
  ///
  /// - Throws: When the version stays in place, with code `durabilityUnknown`.
  func undo() throws(StorageError) {
    switch stage {
    case .written: try? file.fileSystem.unlink(newFile.name, in: directory)
    case .settled: break
    case .installed(.exchanged):
      // The replaced file is in place again, where a save is an edit.
      file.replaced.removeLast()
      try file.putBack(newFile, in: directory)
    case .installed:
      finish()
      throw StorageError(
        .durabilityUnknown, "'\(file.location.path)' is written, but other files of the same change are not.")
    }
  }

  /// Removes the name of the replaced file.
  func removeReplaced() {
    if case .installed(.exchanged) = stage { try? file.fileSystem.unlink(newFile.name, in: directory) }
  }

  func synchronizeDirectory() throws(StorageError) { try file.synchronizeDirectory(directory) }
}

/// The way in which a new file was put in place.
enum Replacement {
  /// The two files were exchanged.
  case exchanged
  /// No file was there, or the known version was there and has been removed.
  case created
  /// The file cannot be replaced: something is mounted on it.
  case impossible
  /// The file was not replaced, because it is not the known version.
  case edited
}

extension StoredFile {
  /// Replaces the file with a new file.
  ///
  /// An edit since the last check is exchanged back. Until then, readers see the file without the edit.
  fileprivate func replace(with newFile: NewFile, in directory: FileDescriptor) throws(SystemError) -> Replacement {
    for _ in 0..<8 {
      do {
        try fileSystem.exchange(newFile.name, location.name, in: directory)
        return .exchanged
      } catch {
        // Otherwise the file is in use for a moment, which is no reason to write it in place from now on.
        if error.isMountPoint, fileSystem.isMountPoint(location.name, in: directory) ?? true { return .impossible }
        if error.isUnsupported { return try replaceBlindly(with: newFile, in: directory) }
        guard error.isMissing else { throw error }
      }
      // Otherwise another program recreated the file just now.
      if try putIntoEmptyPlace(newFile.name, in: directory) { return .created }
    }
    return .edited
  }

  /// Whether the file is certainly not the known version.
  func isEdited(in directory: FileDescriptor) -> Bool {
    guard let stamp = try? fileSystem.status(location.name, in: directory).stamp, let known = known.stamp,
      stamp != known, let file = try? fileSystem.open(location.name, in: directory, for: .reading)
    else { return false }
    let hash = try? fileSystem.hash(of: file)
    return hash.map { $0 != self.known.hash } ?? false
  }

  /// Replaces the file where names cannot be exchanged.
  ///
  /// A save into the file between the check and the rename is kept like a late save. Another file that is renamed to the
  /// name in this instant is lost: the file system offers no way to notice it.
  private func replaceBlindly(with newFile: NewFile, in directory: FileDescriptor) throws(SystemError) -> Replacement {
    let current: FileDescriptor
    do {
      current = try fileSystem.open(location.name, in: directory, for: .reading)
    } catch {
      guard error.isMissing else { throw error }
      try fileSystem.renameWithoutReplacing(newFile.name, to: location.name, in: directory)
      return .created
    }
    let stamp = try fileSystem.status(of: current).stamp
    guard try fileSystem.hash(of: current) == known.hash else { return .edited }
    // Hashing takes long enough for an editor to put another file in the place.
    guard (try? fileSystem.status(location.name, in: directory).stamp) == stamp else { return .edited }
    try fileSystem.rename(newFile.name, to: location.name, in: directory)
    hold(current, known.hash, stamp)
    return .created
  }

  /// Examines the replaced file. Keeps it open for a while when it is the known version, and puts it back
  /// otherwise.
  ///
  /// - Returns: Whether it was the known version.
  fileprivate func keepReplaced(_ newFile: NewFile, in directory: FileDescriptor) throws(StorageError) -> Bool {
    let failure: SystemError?
    do throws(SystemError) {
      let file = try fileSystem.open(newFile.name, in: directory, for: .reading)
      let stamp = try fileSystem.status(of: file).stamp
      let hash = try fileSystem.hash(of: file)
      if hash == known.hash {
        hold(file, hash, stamp)
        return true
      }
      failure = nil
    } catch {
      // A file that cannot be examined may be an edit.
      failure = error
    }
    try putBack(newFile, in: directory)
    if let failure { throw StorageError(failure, when: "read", location.path) }
    return false
  }

  /// Puts an edit back in its place.
  ///
  /// This may take out another edit, and so on: the newest edit ends up in the place. The last file that is taken out
  /// is checked again later, since an editor may still have it open and save to it.
  ///
  /// - Throws: When an edit could not be put back, with code `durabilityUnknown`; it keeps the name of the new file.
  fileprivate func putBack(_ newFile: NewFile, in directory: FileDescriptor) throws(StorageError) {
    do throws(SystemError) {
      try exchangeBack(newFile, in: directory)
    } catch {
      known = Known(hash: newFile.hash, stamp: nil)
      throw StorageError(
        .durabilityUnknown,
        "An edit of '\(location.path)' may have been replaced; it is kept as '\(newFile.name)': \(error.reason).",
        cause: error)
    }
  }

  private func exchangeBack(_ newFile: NewFile, in directory: FileDescriptor) throws(SystemError) {
    var inPlace = (inode: newFile.stamp.inode, hash: newFile.hash)
    for _ in 0..<16 {
      let edit = try fileSystem.status(newFile.name, in: directory).stamp.inode
      let reading = try? fileSystem.contents(of: newFile.name, in: directory)
      if let reading { returned.append(ReturnedEdit(reading: reading, due: .now + options.timing.replacedHold)) }
      do {
        try fileSystem.exchange(newFile.name, location.name, in: directory)
      } catch {
        guard error.isMissing else { throw error }
        if try putIntoEmptyPlace(newFile.name, in: directory) { return }
        continue
      }
      if try fileSystem.status(newFile.name, in: directory).stamp.inode == inPlace.inode {
        holdTakenOut(newFile.name, expecting: inPlace.hash, in: directory)
        try? fileSystem.unlink(newFile.name, in: directory)
        // Best effort: making the edit durable is the editor's task.
        if isDurable { try? fileSystem.synchronizeDirectory(directory) }
        return
      }
      inPlace = (edit, reading?.hash ?? newFile.hash)
    }
    throw SystemError.nameExists
  }

  /// Puts a file in the place when that is empty.
  ///
  /// - Returns: `false` when the place holds an edit by now.
  private func putIntoEmptyPlace(_ name: String, in directory: FileDescriptor) throws(SystemError) -> Bool {
    do {
      try fileSystem.renameWithoutReplacing(name, to: location.name, in: directory)
      return true
    } catch {
      guard error.isExisting else { throw error }
      return false
    }
  }

  /// Keeps a file open that was in the place for an instant.
  private func holdTakenOut(_ name: String, expecting hash: ContentHash, in directory: FileDescriptor) {
    guard let file = try? fileSystem.open(name, in: directory, for: .reading),
      let stamp = try? fileSystem.status(of: file).stamp
    else { return }
    // The later check decides whether it holds the expected version.
    hold(file, hash, stamp, isSettled: false)
  }

  /// Writes a version into a file that cannot be replaced.
  ///
  /// The new version first becomes the recovery file. An existing recovery file is always complete, and a starting
  /// server writes it again. Added length is written before anything is overwritten, so a full disk leaves the old
  /// version intact.
  ///
  /// - Returns: Whether the file held the known version; otherwise it is left alone.
  fileprivate func writeInPlace(_ newFile: NewFile, in directory: FileDescriptor) throws(StorageError) -> Bool {
    let target: FileDescriptor
    do throws(SystemError) {
      target = try fileSystem.open(location.name, in: directory, for: .writing)
    } catch {
      throw StorageError(error, when: "write", location.path)
    }
    // Only a mount allows this conclusion: any other file has no link for an instant when an editor replaces it.
    if let links = try? fileSystem.status(of: target).links, links == 0 {
      throw StorageError(
        .staleMount, "'\(location.path)' is mounted, and the mounted file was replaced; restart the container.")
    }
    do throws(SystemError) {
      let hash = try fileSystem.hash(of: target)
      guard hash == known.hash || hash == torn else { return false }
      // The directory of a torn file is not synchronized, so that a recovery file stays in any case.
      try fileSystem.rename(newFile.name, to: location.recoveryName, in: directory)
      if isDurable, torn == nil { try fileSystem.synchronizeDirectory(directory) }
    } catch {
      if torn == nil { try? fileSystem.unlink(location.recoveryName, in: directory) }
      throw StorageError(error, when: "write", location.path)
    }
    do throws(StorageError) {
      try copyRecovery(into: target, thatIsWhole: torn == nil, in: directory)
    } catch {
      if error.code == .durabilityUnknown {
        known = Known(hash: newFile.hash, stamp: nil)
        torn = (try? fileSystem.hash(of: target)) ?? newFile.hash
      }
      throw error
    }
    torn = nil
    return true
  }

  /// Removes the recovery file of a version that the file holds by now, or that an edit has replaced.
  func removeRecovery() {
    guard torn != nil, let directory = try? openDirectory() else { return }
    try? fileSystem.unlink(location.recoveryName, in: directory)
    torn = nil
  }

  /// Writes the recovery file of a killed server into the file; the file's old bytes go to the history.
  func replayRecovery(in directory: FileDescriptor) throws(StorageError) {
    guard let recovery = try? fileSystem.contents(of: location.recoveryName, in: directory) else { return }
    guard (try? parse(recovery.text)) != nil else {
      throw StorageError(
        .invalidFile, "The recovery file '\(location.recoveryName)' of '\(location.path)' is not valid; remove one.")
    }
    let current = try read(in: directory)
    if current.hash == recovery.hash {
      try? fileSystem.unlink(location.recoveryName, in: directory)
      return
    }
    // It may be an edit that was made while no server ran.
    _ = try saveHistory(current.text)
    do throws(SystemError) {
      let target = try fileSystem.open(location.name, in: directory, for: .writing)
      do throws(StorageError) {
        try copyRecovery(into: target, thatIsWhole: false, in: directory)
      } catch {
        throw error.cause as? SystemError ?? SystemError.nothingWritten
      }
    } catch {
      throw StorageError(error, when: "recover", location.path)
    }
  }

  /// Copies the recovery file into the file and removes it. After a failure it stays, unless the file is complete.
  private func copyRecovery(
    into target: FileDescriptor, thatIsWhole isWhole: Bool, in directory: FileDescriptor
  ) throws(StorageError) {
    // Whether the file may be a mixture of the old and the new version.
    var isOverwriting = !isWhole
    do throws(SystemError) {
      let source = try fileSystem.open(location.recoveryName, in: directory, for: .reading)
      let oldSize = try fileSystem.status(of: target).stamp.size
      let newSize = try fileSystem.status(of: source).stamp.size
      if newSize > oldSize {
        do throws(SystemError) {
          try fileSystem.copy(oldSize..<newSize, from: source, to: target)
        } catch {
          isOverwriting = true
          try fileSystem.truncate(target, to: oldSize)
          isOverwriting = !isWhole
          throw error
        }
      }
      isOverwriting = true
      try fileSystem.copy(0..<min(oldSize, newSize), from: source, to: target)
      if newSize < oldSize { try fileSystem.truncate(target, to: newSize) }
      if isDurable { try fileSystem.synchronize(target) }
      try fileSystem.unlink(location.recoveryName, in: directory)
    } catch {
      if isOverwriting {
        // The recovery file stays: it is now the only complete version.
        throw StorageError(
          .durabilityUnknown, "'\(location.path)' is written in part; restart to recover it: \(error.reason).",
          cause: error)
      }
      try? fileSystem.unlink(location.recoveryName, in: directory)
      throw StorageError(error, when: "write", location.path)
    }
  }
}
