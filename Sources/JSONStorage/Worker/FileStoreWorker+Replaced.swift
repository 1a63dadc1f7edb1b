import OrderedJSON

extension FileStoreWorker {
  /// Beyond this many files or bytes, the oldest replaced version is reviewed early.
  ///
  /// Several hundred are replaced in half a second where nothing is synced. Some descriptors must be left to the
  /// connections: a file gets the lowest free number, so that a high one means that many are in use.
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

  /// Reviews the versions whose time is up, or all of them when there is no time left, and closes them.
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

  /// Keeps the edits that were out of place for an instant when another edit is now where they were put back.
  func keepReturned(replacedBy hash: ContentHash) {
    guard !returned.isEmpty else { return }
    var kept = Set([hash])
    for edit in returned where edit.due > .now && kept.insert(edit.reading.hash).inserted {
      // Part of a save is not a version that anyone saved over.
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

  /// Keeps a late save under a name of its own and announces it.
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
