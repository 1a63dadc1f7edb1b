import JSONServerValues

extension StoredFile {
  /// Checks the file, and reports changes.
  func check() {
    do throws(StorageError) {
      try relocateIfNeeded()
      let directory = try openDirectory()
      if isTrusted(try? fileSystem.status(location.name, in: directory).stamp) { return }
      let reading = try read(in: directory)
      if reading.hash == torn { return }
      guard reading.hash == known.hash else { return load(reading) }
      // The bytes of the known version, perhaps in another file.
      removeRecovery()
      recordVersion(Known(reading))
    } catch {
      let isMissing = (error.cause as? SystemError)?.isMissing == true
      recordFault(Fault(error: isMissing ? nil : error, hash: nil, stamp: nil, since: .now))
    }
  }

  /// Takes over an edit, unless it is invalid.
  private func load(_ reading: FileReading) {
    do throws(StorageError) {
      // Many parsers treat an empty file as an empty database. But an editor that rewrites a file empties it first, and
      // leaves it empty when the disk is full.
      if reading.text.withBytes({ $0.allSatisfy(JSONSyntax.isWhitespace) }) {
        throw StorageError(.invalidFile, "'\(location.name)' is empty.")
      }
      let version = try parsed(reading.text, generation + 1)
      removeRecovery()
      keepReturned(replacedBy: reading.hash)
      known = Known(reading)
      fault = nil
      isFaultAnnounced = false
      generation += 1
      latestEdit = version
      onEdit(.changed(.file(version)))
    } catch {
      let stamp = reading.isSettled ? reading.status.stamp : nil
      recordFault(Fault(error: error, hash: reading.hash, stamp: stamp, since: .now))
    }
  }

  /// Records that the file holds the version that listeners expect; reports it after an error.
  func recordVersion(_ version: Known) {
    known = version
    fault = nil
    guard isFaultAnnounced else { return }
    isFaultAnnounced = false
    onEdit(.restored(path: path))
  }

  /// Records an error, and reports it when it lasts: an editor may be in the middle of a save.
  private func recordFault(_ new: Fault) {
    guard let old = fault, old.hash == new.hash, (old.error == nil) == (new.error == nil) else {
      fault = new
      scheduleCheck(in: options.timing.grace)
      return
    }
    let wait = options.timing.grace - (.now - old.since)
    fault = Fault(
      error: new.error, hash: new.hash, stamp: new.stamp, since: old.since,
      isAnnounced: old.isAnnounced || wait <= .zero)
    if old.isAnnounced { return }
    guard wait <= .zero else { return scheduleCheck(in: wait) }
    isFaultAnnounced = true
    onEdit(new.error.map(SourceEdit.invalid) ?? .deleted(path: path))
  }

  func isTrusted(_ stamp: FileStamp?) -> Bool {
    guard let stamp else { return false }
    guard let fault else { return stamp == known.stamp && known.isSettled }
    return fault.isAnnounced && stamp == fault.stamp
  }

  /// Follows the path after a symbolic link was changed, or a directory replaced or renamed.
  ///
  /// - Returns: Whether the path now leads to another file, about which nothing is known yet.
  @discardableResult
  func relocateIfNeeded() throws(StorageError) -> Bool {
    let found: FileLocation
    let stamp: FileStamp
    do throws(SystemError) {
      found = try FileLocation(path, in: fileSystem)
      let directory = try fileSystem.openDirectory(found.directory)
      stamp = try fileSystem.status(of: directory).stamp
      if found.name.utf8.elementsEqual(location.name.utf8),
        stamp.inode == directoryStamp?.inode, stamp.device == directoryStamp?.device
      {
        // Another path of the same directory: the lock still holds. Taking it again would fail, because of itself.
        if found != location { rename(to: found) }
        return false
      }
    } catch {
      throw StorageError(error, when: "open", path)
    }
    let old = location
    location = found
    do throws(StorageError) {
      try takeLock(try openDirectory())
    } catch {
      location = old
      throw error
    }
    for warning in placeWarnings { onEdit(.warned(warning, path: location.path)) }
    known.stamp = nil
    return true
  }

  /// Follows the renamed directory, also with the replaced versions of the file.
  private func rename(to new: FileLocation) {
    for index in replaced.indices where replaced[index].location == location { replaced[index].location = new }
    location = new
  }
}

/// A replaced version without a name, kept open to see whether an editor still writes to it.
struct ReplacedFile {
  let descriptor: FileDescriptor
  var location: FileLocation
  let hash: ContentHash
  /// The stamp before hashing.
  let stamp: FileStamp
  /// Whether the stamp changes with every later write.
  let isSettled: Bool
  /// The time at which the file was replaced.
  let since = ContinuousClock.now
  var due = ContinuousClock.now
  /// The stamp at the last review, if the file had changed by then.
  var lateStamp: FileStamp?
}

/// An edit that was taken out of its place for an instant and put back.
///
/// An editor that read the file in this instant has not seen the edit, and may save over it.
struct ReturnedEdit {
  let reading: FileReading
  /// The end of the time in which such a save is expected.
  let due: ContinuousClock.Instant
}

extension StoredFile {
  /// The number of files and bytes beyond which the oldest replaced version is reviewed early.
  ///
  /// Without syncing, several hundred versions are replaced in half a second. Connections need descriptors, too: a file
  /// gets the lowest free number, so a high number means that many are in use.
  private func replacedLimit(_ newest: FileDescriptor) -> (files: Int, bytes: Int) {
    (newest.number < CurrentProcess.openFileLimit / 2 ? 256 : 16, 256 << 20)
  }

  /// Keeps a replaced version open for a while.
  ///
  /// - Parameters:
  ///   - stamp: The stamp before hashing.
  ///   - isSettled: Whether the stamp changes with every later write; `nil` to decide by the clock.
  func hold(_ file: FileDescriptor, _ hash: ContentHash, _ stamp: FileStamp, isSettled: Bool? = nil) {
    let isSettled = isSettled ?? stamp.modified.isSettled(at: WallClock.now)
    hold(ReplacedFile(descriptor: file, location: location, hash: hash, stamp: stamp, isSettled: isSettled))
  }

  private func hold(_ file: ReplacedFile) {
    var file = file
    // As long again as until now.
    file.due = .now + max(options.timing.replacedHold, .now - file.since)
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
    let due = replaced.filter { file in moment.map { file.due <= $0 } ?? true }
    guard !due.isEmpty else { return }
    replaced.removeAll { file in moment.map { file.due <= $0 } ?? true }
    for file in due { finish(file, isLast: moment == nil) }
  }

  /// Closes a replaced version, unless it has changed since the last review: a late save is complete when the file was quiet
  /// for as long as it was busy.
  ///
  /// - Parameter isLast: Whether to keep what a late save has written so far.
  private func finish(_ file: ReplacedFile, isLast: Bool) {
    do throws(SystemError) {
      guard try isChanged(file) else { return }
      let late = try fileSystem.contents(of: file.descriptor)
      if isLast || late.status.stamp == file.lateStamp { return keep(late, beside: file.location) }
      var longer = file
      longer.lateStamp = late.status.stamp
      hold(longer)
    } catch {
      onEdit(.conflictLost(StorageError(error, when: "look for a late save of", file.location.path)))
    }
  }

  /// Keeps the edits that were put back and then replaced by another edit.
  private func keepReturned(replacedBy hash: ContentHash) {
    guard !returned.isEmpty else { return }
    var kept = Set([hash])
    for edit in returned where edit.due > .now && kept.insert(edit.reading.hash).inserted {
      // A part of a save is not a version that anyone saved over.
      if (try? parse(edit.reading.text)) != nil { keep(edit.reading, beside: location) }
    }
    returned.removeAll { $0.reading.hash != hash }
  }

  private func isChanged(_ file: ReplacedFile) throws(SystemError) -> Bool {
    let stamp = try fileSystem.status(of: file.descriptor).stamp
    if file.isSettled, stamp.matchesAcrossRename(file.stamp) { return false }
    return try fileSystem.hash(of: file.descriptor) != file.hash
  }

  /// Keeps a late save under another name, and reports it.
  private func keep(_ late: FileReading, beside location: FileLocation) {
    do throws(SystemError) {
      let directory = try fileSystem.openDirectory(location.directory)
      let name = try WallClock.name { part throws(SystemError) in
        try fileSystem.writeNewFile(
          late.text, named: location.conflictName(at: part), in: directory, like: FileModel(late), durably: isDurable
        ).name
      }
      if isDurable { try fileSystem.synchronizeDirectory(directory) }
      onEdit(.conflict(path: FileLocation.join(location.directory, name)))
    } catch {
      onEdit(.conflictLost(StorageError(error, when: "keep a late save of", location.path)))
    }
  }
}
