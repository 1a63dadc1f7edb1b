import OrderedJSON

extension FileStoreWorker {
  /// Beyond so many files or bytes, the oldest displaced version is looked at early.
  private static var displacedLimit: (files: Int, bytes: Int) { (16, 256 << 20) }

  /// Step 9: keeps a replaced version open for a while.
  func hold(_ file: DisplacedFile) {
    var file = file
    file.due = .now + options.timing.displacedHold
    displaced.append(file)
    while displaced.count > Self.displacedLimit.files
      || displaced.count > 1 && displaced.reduce(0, { $0 + $1.stamp.size }) > Self.displacedLimit.bytes
    {
      finish(displaced.removeFirst(), isLast: true)
    }
  }

  /// Looks again at the versions whose time is over, or at all when there is no time left, and closes them.
  func reviewDisplaced(before moment: ContinuousClock.Instant?) {
    returned.removeAll { $0.due <= moment ?? .now }
    while let first = displaced.first, moment.map({ first.due <= $0 }) ?? true {
      finish(displaced.removeFirst(), isLast: moment == nil)
    }
  }

  private func finish(_ file: DisplacedFile, isLast: Bool) {
    guard isChanged(file), let late = try? fileSystem.contents(of: file.descriptor) else {
      try? fileSystem.close(file.descriptor)
      return
    }
    let content = late.text.count == 0 ? nil : try? parse(late.text)
    if content == nil, !isLast, file.extensions < 4 {
      // The save is not complete yet.
      var extended = file
      extended.extensions += 1
      extended.due = .now + options.timing.displacedHold
      displaced.append(extended)
      return
    }
    keep(late, beside: file.location, content)
    try? fileSystem.close(file.descriptor)
  }

  /// Keeps the edits that were out of place for an instant when another edit now stands where they were put back.
  func keepReturned(replacedBy hash: ContentHash) {
    guard !returned.isEmpty else { return }
    var kept = Set([hash])
    for edit in returned where edit.due > .now && kept.insert(edit.reading.hash).inserted {
      // Part of a save is no version that anyone saved over.
      guard let content = try? parse(edit.reading.text) else { continue }
      keep(edit.reading, beside: location, content)
    }
    returned.removeAll { $0.reading.hash != hash }
  }

  private func isChanged(_ file: DisplacedFile) -> Bool {
    guard let stamp = try? fileSystem.status(of: file.descriptor).stamp else { return false }
    if file.isSettled, stamp.matchesAcrossRename(file.stamp) { return false }
    return (try? fileSystem.hash(of: file.descriptor)) != file.hash
  }

  /// Keeps a late save under a name of its own and announces it.
  private func keep(_ late: FileReading, beside location: FileLocation, _ content: Content?) {
    do throws(SystemError) {
      let directory = try fileSystem.openDirectory(location.directory)
      defer { try? fileSystem.close(directory) }
      let name = try writeConflict(late, beside: location, in: directory)
      onEdit(.conflict(LateSave(path: FileLocation.join(location.directory, name), content: content)))
    } catch {
      onEdit(.invalid(StorageError(error, when: "keep a late save of", location.path)))
    }
  }

  /// Writes a late save to a new file; several may come within the millisecond that names one.
  private func writeConflict(
    _ late: FileReading, beside location: FileLocation, in directory: FileDescriptor
  ) throws(SystemError) -> String {
    let time = WallClock.fileNamePart
    var number = 1
    while true {
      let name = location.conflictName(at: number == 1 ? time : "\(time)~\(number)")
      do {
        _ = try fileSystem.writeNewFile(
          late.text, named: name, in: directory, like: FileModel(status: late.status),
          durably: options.synchronization == .full)
        return name
      } catch {
        number += 1
        guard error.isExisting, number < 1000 else { throw error }
      }
    }
  }
}
