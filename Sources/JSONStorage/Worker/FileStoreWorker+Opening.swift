import OrderedJSON

extension FileStoreWorker {
  /// Locks the file, cleans up what a killed server left and reads the file.
  func open() throws(StorageError) -> (FileVersion<Content>, [FileStore<Content>.Warning]) {
    do throws(SystemError) {
      location = try FileLocation(path, in: fileSystem)
    } catch {
      throw StorageError(error, when: "open", path)
    }
    let directory = try openDirectory()
    defer { try? fileSystem.close(directory) }
    let (reading, content) = try enter(directory)
    let version = FileVersion(content: content, text: reading.text, generation: generation)
    latestEdit = version
    return (version, warnings(reading.status))
  }

  /// Takes possession of the file at `location` and reads it. After a failure the lock is released.
  private func enter(_ directory: FileDescriptor) throws(StorageError) -> (FileReading, Content) {
    try takeLock(directory)
    do throws(StorageError) {
      if options.synchronization != .ephemeral { try replayRecovery(in: directory) }
      let reading = try read(in: directory)
      let content = try parsed(reading.text)
      known = Known(hash: reading.hash, stamp: reading.status.stamp, isSettled: reading.isSettled)
      if options.synchronization != .ephemeral { removeStaleFiles(in: directory) }
      return (reading, content)
    } catch {
      lock?.release(location, in: directory, of: fileSystem)
      lock = nil
      throw error
    }
  }

  /// Locks the file at `location`.
  func takeLock(_ directory: FileDescriptor) throws(StorageError) {
    if options.synchronization != .ephemeral {
      lock = try FileLock.acquire(for: location, in: directory, of: fileSystem)
    }
    directoryStamp = try? fileSystem.status(of: directory).stamp
    isMountPoint = fileSystem.isMountPoint(location.name, in: directory)
  }

  func openDirectory() throws(StorageError) -> FileDescriptor {
    do throws(SystemError) {
      return try fileSystem.openDirectory(location.directory)
    } catch {
      throw StorageError(error, when: "open", location.directory)
    }
  }

  /// Reads the file and records its mode and owner.
  func read(in directory: FileDescriptor) throws(StorageError) -> FileReading {
    let reading: FileReading
    do throws(SystemError) {
      reading = try fileSystem.contents(of: location.name, in: directory)
    } catch {
      throw StorageError(error, when: "read", location.path)
    }
    guard reading.status.isRegular else { throw notAFile }
    status = reading.status
    return reading
  }

  var notAFile: StorageError { StorageError(.unavailable, "'\(location.path)' is not a file.") }

  func parsed(_ text: UTF8Slice) throws(StorageError) -> Content {
    do {
      return try parse(text)
    } catch {
      throw StorageError(invalid: location.path, cause: error)
    }
  }

  private func warnings(_ status: FileStatus) -> [FileStore<Content>.Warning] {
    guard options.synchronization != .ephemeral else { return [] }
    var warnings: [FileStore<Content>.Warning] = []
    if isMountPoint { warnings.append(.mountPoint) }
    if status.links > 1, !isMountPoint { warnings.append(.hardLinks(count: status.links)) }
    if lock == nil { warnings.append(.notLocked) }
    return warnings
  }

  /// Moves temporary files of a killed server to the history, unless the file holds the same.
  ///
  /// One of them may be an edit that had just been swapped out, and one that is not valid yet cannot be
  /// distinguished from a version that was being written.
  private func removeStaleFiles(in directory: FileDescriptor) {
    guard let names = try? fileSystem.names(in: directory) else { return }
    for name in names where location.isTemporary(name) {
      guard let reading = try? fileSystem.contents(of: name, in: directory) else { continue }
      if reading.hash != known.hash, reading.text.count > 0 {
        guard case .success = saveHistory(reading.text) else { continue }
      }
      try? fileSystem.unlink(name, in: directory)
    }
  }
}
