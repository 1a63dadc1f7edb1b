/// How a new file was put in place.
enum Replacement {
  /// It was swapped with the file that was there.
  case exchanged
  /// Nothing was there, or what was there is gone and was the version that we knew.
  case created
  /// It cannot be: something is mounted on the place.
  case impossible
  /// It was not, because the file there is not the version that we knew.
  case edited
}

extension FileStoreWorker {
  /// Step 5: puts a new file in the place of the file.
  ///
  /// An edit made while the new file was written is noticed before the exchange: only one of the last instant has to
  /// be put back afterwards, and only for that instant can anyone read a version that lacks it.
  func replace(with newFile: NewFile, in directory: FileDescriptor) throws(SystemError) -> Replacement {
    if isEdited(in: directory) { return .edited }
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

  /// Whether the file is certainly not the version that we knew.
  private func isEdited(in directory: FileDescriptor) -> Bool {
    guard let stamp = try? fileSystem.status(location.name, in: directory).stamp, let known = known.stamp,
      stamp != known, let file = try? fileSystem.open(location.name, in: directory, for: .reading)
    else { return false }
    defer { try? fileSystem.close(file) }
    let hash = try? fileSystem.hash(of: file)
    return hash.map { $0 != self.known.hash } ?? false
  }

  /// Replaces the file where names cannot be exchanged. An edit in the instant between the check and the rename is not
  /// noticed before it is replaced, but is kept like a late save.
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
      hold(ReplacedFile(descriptor: current, location: location, hash: known.hash, stamp: stamp))
      return .created
    } catch {
      try? fileSystem.close(current)
      throw error
    }
  }

  /// Step 6: examines what was replaced; keeps it for a while when it is the version that we knew, else puts it back.
  ///
  /// - Returns: Whether it was the version that we knew.
  func keepReplaced(_ newFile: NewFile, in directory: FileDescriptor) throws(StorageError) -> Bool {
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

  /// Opens a replaced file if it holds the version that we know.
  private func known(_ name: String, in directory: FileDescriptor) throws(SystemError) -> ReplacedFile? {
    let file = try fileSystem.open(name, in: directory, for: .reading)
    do throws(SystemError) {
      let stamp = try fileSystem.status(of: file).stamp
      let hash = try fileSystem.hash(of: file)
      if hash == known.hash {
        return ReplacedFile(descriptor: file, location: location, hash: hash, stamp: stamp)
      }
    } catch {
      try? fileSystem.close(file)
      throw error
    }
    try? fileSystem.close(file)
    return nil
  }

  /// Puts an edit that was swapped out back in its place.
  ///
  /// Another edit may come out in turn: the newest one ends up in the place. What is taken out last is checked again
  /// later: until then an editor may have opened our version, or the edit, to save into it.
  ///
  /// - Throws: When an edit could not be put back; it keeps the name of the new file.
  private func putBack(_ newFile: NewFile, in directory: FileDescriptor) throws(SystemError) {
    var inPlace = (inode: newFile.stamp.inode, hash: newFile.hash)
    for _ in 0..<16 {
      let edit = try fileSystem.status(newFile.name, in: directory).stamp.inode
      let reading = try? fileSystem.contents(of: newFile.name, in: directory)
      if let reading { returned.append(ReturnedEdit(reading, until: .now + options.timing.replacedHold)) }
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
        // Best effort: an edit is its editor's to make durable.
        if options.synchronization == .full { try? fileSystem.synchronize(directory) }
        return
      }
      inPlace = (edit, reading?.hash ?? newFile.hash)
    }
    throw SystemError.nameExists
  }

  /// Puts a file back when the place was emptied meanwhile.
  ///
  /// - Returns: False when the place was filled again before; what is there is another edit.
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
    guard let file = try? fileSystem.open(name, in: directory, for: .reading) else { return }
    do throws(SystemError) {
      let stamp = try fileSystem.status(of: file).stamp
      // The later check decides whether it holds what it should: nothing is decided about it yet.
      hold(ReplacedFile(descriptor: file, location: location, hash: hash, stamp: stamp, isSettled: false))
    } catch {
      try? fileSystem.close(file)
    }
  }
}
