/// The versions that were discarded, kept in a directory beside the file.
struct FileHistory {
  private static let limit = 20

  let location: FileLocation
  let fileSystem: any FileSystem

  /// Saves a version and removes all but the newest 20.
  ///
  /// - Returns: The path of the saved version.
  func save(
    _ content: some FileContent, in directory: FileDescriptor, like model: FileModel, durably: Bool
  ) throws(SystemError) -> String {
    do {
      try fileSystem.makeDirectory(location.historyName, in: directory)
      if durably { try fileSystem.synchronize(directory) }
    } catch {
      guard error.isExisting else { throw error }
    }
    let path = FileLocation.join(location.directory, location.historyName)
    let history = try fileSystem.openDirectory(path)
    defer { try? fileSystem.close(history) }
    let name = try write(content, in: history, like: model, durably: durably)
    if durably { try fileSystem.synchronize(history) }
    removeOldest(in: history, newest: name)
    return FileLocation.join(path, name)
  }

  private func write(
    _ content: some FileContent, in history: FileDescriptor, like model: FileModel, durably: Bool
  ) throws(SystemError) -> String {
    let temporary = location.temporaryName()
    _ = try fileSystem.writeNewFile(content, named: temporary, in: history, like: model, durably: durably)
    do throws(SystemError) {
      return try WallClock.name { part throws(SystemError) in
        let name = "\(part).json"
        try fileSystem.renameWithoutReplacing(temporary, to: name, in: history)
        return name
      }
    } catch {
      try? fileSystem.unlink(temporary, in: history)
      throw error
    }
  }

  /// - Parameter newest: The version that was just saved. What sorts after it was saved before the clock was set back.
  private func removeOldest(in history: FileDescriptor, newest: String) {
    guard let names = try? fileSystem.names(in: history) else { return }
    for name in names where location.isTemporary(name) { try? fileSystem.unlink(name, in: history) }
    let versions = names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
    let ordered = versions.filter { $0 > newest } + versions.filter { $0 <= newest }
    for name in ordered.dropLast(Self.limit) { try? fileSystem.unlink(name, in: history) }
  }
}

extension FileSystem {
  /// Renames unless the new name exists; where the file system cannot do that in one step, it checks first.
  func renameWithoutReplacing(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError) {
    do {
      try renameExclusively(name, to: newName, in: directory)
    } catch {
      guard error.isUnsupported else { throw error }
      if (try? status(newName, in: directory)) != nil { throw SystemError.nameExists }
      try rename(name, to: newName, in: directory)
    }
  }
}

extension WallClock {
  /// Gives a file a name that contains the time of day.
  ///
  /// - Parameter give: Called with that part of the name; called again, with a number added, while the name exists.
  static func name(_ give: (_ part: String) throws(SystemError) -> String) throws(SystemError) -> String {
    let time = fileNamePart
    var number = 1
    while true {
      do {
        // "~" sorts after ".", so that the second version of a millisecond comes after the first.
        return try give(number == 1 ? time : "\(time)~\(number)")
      } catch {
        number += 1
        guard error.isExisting, number < 1000 else { throw error }
      }
    }
  }
}
