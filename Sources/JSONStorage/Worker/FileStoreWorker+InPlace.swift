extension FileStoreWorker {
  /// Writes a version into a file that cannot be replaced.
  ///
  /// The new version becomes the recovery file first: whenever that exists it is complete, and a server that finds it
  /// at its start writes it again. What the file gains in length is written before anything is overwritten, so that a
  /// full disk leaves the old version as it was.
  ///
  /// - Returns: Whether the file held the version that we knew; if not, it was left alone.
  func writeInPlace(_ newFile: NewFile, in directory: FileDescriptor) throws(StorageError) -> Bool {
    let target: FileDescriptor
    do throws(SystemError) {
      target = try fileSystem.open(location.name, in: directory, for: .writing)
    } catch {
      try? fileSystem.unlink(newFile.name, in: directory)
      throw StorageError(error, when: "write", location.path)
    }
    defer { try? fileSystem.close(target) }
    // This proves something only for a mount: any other file has no link for an instant when an editor replaces it.
    if let links = try? fileSystem.status(of: target).links, links == 0 {
      try? fileSystem.unlink(newFile.name, in: directory)
      throw StorageError(
        .staleMount, "'\(location.path)' is a mount of a file that was replaced; restart what mounts it.")
    }
    do throws(SystemError) {
      let hash = try fileSystem.hash(of: target)
      guard hash == known.hash || hash == torn else {
        try? fileSystem.unlink(newFile.name, in: directory)
        return false
      }
      // The directory of a torn file is not synchronized: the recovery file stays, whichever it is.
      try fileSystem.rename(newFile.name, to: location.recoveryName, in: directory)
      if options.synchronization == .full, torn == nil { try fileSystem.synchronize(directory) }
    } catch {
      try? fileSystem.unlink(newFile.name, in: directory)
      if torn == nil { try? fileSystem.unlink(location.recoveryName, in: directory) }
      throw StorageError(error, when: "write", location.path)
    }
    do throws(StorageError) {
      try copyRecovery(into: target, thatIsWhole: torn == nil, in: directory)
    } catch {
      if error.code == .durabilityUnknown {
        known = Known(hash: newFile.hash, stamp: nil, isSettled: false)
        torn = (try? fileSystem.hash(of: target)) ?? newFile.hash
      }
      throw error
    }
    torn = nil
    return true
  }

  /// Removes the recovery file of a version that is in the file by now, or that an edit has replaced.
  func removeRecovery() {
    guard torn != nil, let directory = try? openDirectory() else { return }
    defer { try? fileSystem.close(directory) }
    try? fileSystem.unlink(location.recoveryName, in: directory)
    torn = nil
  }

  /// Writes what a killed server left in its recovery file into the file; its bytes until then go to the history.
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
    // It may be an edit made while no server ran.
    if case .failure(let error) = saveHistory(current.text) { throw error }
    do throws(SystemError) {
      let target = try fileSystem.open(location.name, in: directory, for: .writing)
      defer { try? fileSystem.close(target) }
      do throws(StorageError) {
        try copyRecovery(into: target, thatIsWhole: false, in: directory)
      } catch {
        throw error.cause as? SystemError ?? SystemError.nothingWritten
      }
    } catch {
      throw StorageError(error, when: "recover", location.path)
    }
  }

  /// Copies the recovery file into the file and removes it. After a failure it stays unless the file is complete.
  private func copyRecovery(
    into target: FileDescriptor, thatIsWhole isWhole: Bool, in directory: FileDescriptor
  ) throws(StorageError) {
    // Whether the file may hold neither the old version nor the new one.
    var isOverwriting = !isWhole
    do throws(SystemError) {
      let source = try fileSystem.open(location.recoveryName, in: directory, for: .reading)
      defer { try? fileSystem.close(source) }
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
      if options.synchronization == .full { try fileSystem.synchronize(target) }
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
