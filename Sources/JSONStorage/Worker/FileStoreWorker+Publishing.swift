extension FileStoreWorker {
  /// How an attempt to put a version in place ended.
  private enum Attempt {
    case published
    /// The file holds, again, an edit that we had not seen.
    case edited
    case failed(StorageError)
  }

  /// Publishes the newest of the waiting versions, and completes the requests that it can, in order.
  ///
  /// - Parameter isClosing: Whether waiting for an invalid file to become valid has no point any more.
  func publishWaiting(isClosing: Bool) {
    completeStale()
    if !isClosing, !waiting.isEmpty, let retryDue, retryDue > .now { return }
    retryDue = nil
    guard let newest = waiting.last else { return }
    if options.synchronization == .ephemeral { return complete(.published) }
    if let error = fault?.error { return wait(error, isClosing) }
    switch publish(newest.content) {
    case .published: complete(.published)
    case .failed(let error): complete(.failed(error))
    case .edited:
      check()
      completeStale()
      // Here the edit is not one that we could take over, or it was reverted.
      let restless = StorageError(.unavailable, "'\(location.path)' is being edited all the time.")
      if !waiting.isEmpty { wait(fault?.error ?? restless, isClosing) }
      // Not immediately: an attempt writes and syncs the whole file.
      retryDue = waiting.first.map { min(.now + options.timing.debounce, $0.deadline) }
    }
  }

  /// Leaves the waiting versions waiting until the first one's time is up.
  private func wait(_ error: StorageError, _ isClosing: Bool) {
    if isClosing || waiting.contains(where: { $0.deadline <= .now }) {
      complete(.failed(error))
    } else {
      scheduleCheck(in: options.timing.debounce)
    }
  }

  /// Completes all waiting requests.
  private func complete(_ publication: Publication<Content>) {
    let completed = waiting
    waiting = []
    for request in completed { request.completion(publication) }
  }

  /// Completes the requests whose versions were built before the newest edit, with that edit.
  private func completeStale() {
    guard let latestEdit else { return }
    let stale = waiting.filter { $0.generation < generation }
    waiting.removeAll { $0.generation < generation }
    for request in stale { request.completion(.edited(latestEdit)) }
  }

  /// Steps 0 to 8 of publishing: nothing is changed when it fails, except with code `durabilityUnknown`.
  private func publish(_ content: Content) -> Attempt {
    do throws(StorageError) {
      if try relocateIfNeeded() { return .edited }
      let directory = try openDirectory()
      defer { try? fileSystem.close(directory) }
      let model = try inspect(in: directory)
      defer { if let descriptor = model.descriptor { try? fileSystem.close(descriptor) } }
      let newFile = try writeTemporary(content, in: directory, like: model)
      return try install(newFile, in: directory)
    } catch {
      return .failed(error)
    }
  }

  /// Step 1: makes sure that the file may be replaced, and opens it as the model of the new one.
  private func inspect(in directory: FileDescriptor) throws(StorageError) -> FileModel {
    let current: FileStatus
    do throws(SystemError) {
      current = try fileSystem.status(location.name, in: directory)
    } catch {
      guard error.isMissing, let status else { throw StorageError(error, when: "write", location.path) }
      return FileModel(status: status)
    }
    guard current.isRegular else { throw notAFile }
    guard current.permissions & 0o222 != 0 else {
      throw StorageError(.unavailable, "'\(location.path)' is read-only.")
    }
    status = current
    do throws(SystemError) {
      try fileSystem.checkWritable(location.name, in: directory)
      return FileModel(
        status: current, descriptor: try fileSystem.open(location.name, in: directory, for: .reading))
    } catch {
      guard error.isMissing else { throw StorageError(error, when: "write", location.path) }
      return FileModel(status: current)
    }
  }

  /// Steps 2 to 4: writes the version beside the file.
  private func writeTemporary(
    _ content: Content, in directory: FileDescriptor, like model: FileModel
  ) throws(StorageError) -> NewFile {
    while true {
      do throws(SystemError) {
        return try fileSystem.writeNewFile(
          content, named: location.temporaryName(), in: directory, like: model,
          durably: options.synchronization == .full)
      } catch {
        // The space that replaced versions still occupy may be just what is lacking.
        guard error.isLackOfSpace, !replaced.isEmpty else { throw StorageError(error, when: "write", location.path) }
        reviewReplaced(before: nil)
      }
    }
  }

  /// Steps 5 to 7: puts the version in place, unless what it replaces is an edit that we had not seen.
  private func install(_ newFile: NewFile, in directory: FileDescriptor) throws(StorageError) -> Attempt {
    let outcome: Replacement
    do throws(SystemError) {
      outcome = isMountPoint ? .impossible : try replace(with: newFile, in: directory)
    } catch {
      try? fileSystem.unlink(newFile.name, in: directory)
      throw StorageError(error, when: "replace", location.path)
    }
    switch outcome {
    case .created: break
    case .exchanged:
      guard try keepReplaced(newFile, in: directory) else { return .edited }
    case .impossible:
      isMountPoint = true
      guard try writeInPlace(newFile, in: directory) else { return .edited }
    case .edited:
      try? fileSystem.unlink(newFile.name, in: directory)
      return .edited
    }
    remember(newFile, in: directory)
    // The replaced version keeps its name until the new one is safe. It is removed then, so that at most one is left
    // behind when the process is killed; late saves reach it through its open descriptor.
    defer { if outcome == .exchanged { try? fileSystem.unlink(newFile.name, in: directory) } }
    try synchronizeDirectory(directory)
    return .published
  }

  /// Records what we know about the file after a version was put in place.
  private func remember(_ newFile: NewFile, in directory: FileDescriptor) {
    let stamp = try? fileSystem.status(location.name, in: directory).stamp
    let isOurs = stamp?.matchesAcrossRename(newFile.stamp) ?? false
    recordVersion(Known(hash: newFile.hash, stamp: isOurs ? stamp : nil, isSettled: false))
    if !isOurs { scheduleCheck(in: options.timing.debounce) }
  }

  private func synchronizeDirectory(_ directory: FileDescriptor) throws(StorageError) {
    guard options.synchronization == .full else { return }
    do throws(SystemError) {
      try fileSystem.synchronize(directory)
    } catch {
      throw StorageError(
        .durabilityUnknown, "'\(location.path)' is written, but may not survive a power cut: \(error.reason).",
        cause: error)
    }
  }
}
