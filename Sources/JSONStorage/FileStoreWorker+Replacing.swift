/// How a new file came to its place.
enum Replacement {
  /// It has changed places with the file that was there.
  case exchanged
  /// Nothing was there, or what was there is gone and was what we knew.
  case created
  /// It cannot: something is mounted on the place.
  case impossible
  /// It did not, because the file there is not what we knew.
  case edited
}

extension FileStoreWorker {
  /// Step 5: puts a new file in the place of the file.
  func replace(with newFile: NewFile, in directory: FileDescriptor) throws(SystemError) -> Replacement {
    for _ in 0..<8 {
      do {
        try fileSystem.exchange(newFile.name, location.name, in: directory)
        return .exchanged
      } catch {
        if error.isMountPoint { return .impossible }
        if error.isUnsupported { return try replaceBlindly(with: newFile, in: directory) }
        guard error.isMissing else { throw error }
      }
      do {
        try fileSystem.renameWithoutReplacing(newFile.name, to: location.name, in: directory)
        return .created
      } catch {
        // Someone recreated the file just now.
        guard error.isExisting else { throw error }
      }
    }
    return .edited
  }

  /// Replaces the file where names cannot be exchanged. An edit in the instant between the look and the rename is not
  /// seen before it is replaced, but is kept like a late save.
  private func replaceBlindly(with newFile: NewFile, in directory: FileDescriptor) throws(SystemError) -> Replacement {
    let current: FileDescriptor
    do {
      current = try fileSystem.open(location.name, in: directory, for: .reading)
    } catch {
      guard error.isMissing else { throw error }
      try fileSystem.renameWithoutReplacing(newFile.name, to: location.name, in: directory)
      return .created
    }
    do throws(SystemError) {
      let stamp = try fileSystem.status(of: current).stamp
      guard try fileSystem.hash(of: current) == known.hash else {
        try? fileSystem.close(current)
        return .edited
      }
      try fileSystem.rename(newFile.name, to: location.name, in: directory)
      hold(DisplacedFile(descriptor: current, location: location, hash: known.hash, stamp: stamp))
      return .created
    } catch {
      try? fileSystem.close(current)
      throw error
    }
  }

  /// Step 6: looks at what came out of the place; keeps it for a while when it is what we knew, else puts it back.
  ///
  /// - Returns: Whether it was what we knew.
  func keepDisplaced(_ newFile: NewFile, in directory: FileDescriptor) throws(StorageError) -> Bool {
    let failure: SystemError?
    do throws(SystemError) {
      if let file = try known(newFile.name, in: directory) {
        hold(file)
        return true
      }
      failure = nil
    } catch {
      // What cannot be examined may be an edit.
      failure = error
    }
    do throws(SystemError) {
      try putBack(newFile, in: directory)
    } catch {
      known = Known(hash: newFile.hash, stamp: nil, isSettled: false)
      throw StorageError(
        .durabilityUnknown,
        "An edit of '\(location.path)' may have been replaced; it is kept as '\(newFile.name)': \(error.reason).",
        cause: error)
    }
    if let failure { throw StorageError(failure, when: "read", location.path) }
    return false
  }

  /// Opens a displaced file if it holds the version we know.
  private func known(_ name: String, in directory: FileDescriptor) throws(SystemError) -> DisplacedFile? {
    let file = try fileSystem.open(name, in: directory, for: .reading)
    do throws(SystemError) {
      let stamp = try fileSystem.status(of: file).stamp
      let hash = try fileSystem.hash(of: file)
      if hash == known.hash {
        return DisplacedFile(descriptor: file, location: location, hash: hash, stamp: stamp)
      }
    } catch {
      try? fileSystem.close(file)
      throw error
    }
    try? fileSystem.close(file)
    return nil
  }

  /// Puts an edit that was exchanged out of the place back into it.
  ///
  /// Another edit may come out in turn: the newest one ends up in the place, an edit that was saved over is given up.
  private func putBack(_ newFile: NewFile, in directory: FileDescriptor) throws(SystemError) {
    var inPlace = newFile.stamp.inode
    for _ in 0..<16 {
      let edit = try fileSystem.status(newFile.name, in: directory).stamp.inode
      do {
        try fileSystem.exchange(newFile.name, location.name, in: directory)
      } catch {
        guard error.isMissing else { throw error }
        // The place was emptied meanwhile. If it is filled again before us, that is the next round's edit.
        if (try? fileSystem.renameWithoutReplacing(newFile.name, to: location.name, in: directory)) != nil { return }
        continue
      }
      if try fileSystem.status(newFile.name, in: directory).stamp.inode == inPlace { break }
      inPlace = edit
    }
    try? fileSystem.unlink(newFile.name, in: directory)
    // Best effort: an edit is its editor's to make durable.
    if options.synchronization == .full { try? fileSystem.synchronize(directory) }
  }
}
