import JSONServerValues

/// The lock file beside a file, which excludes a second server until nobody refers to the lock any more.
///
/// The lock file is beside the data file, not in a directory of the user or the machine. So servers of other users, in
/// other containers or with another path find it. It has a directory of its own, whose `.gitignore` hides it from `git
/// status` without changing the repository's own files.
final class FileLock {
  private let location: FileLocation
  private let directory: FileDescriptor
  private let file: FileDescriptor
  private var fileSystem: FileSystem { directory.fileSystem }

  private init(_ location: FileLocation, _ directory: FileDescriptor, _ file: FileDescriptor) {
    self.location = location
    self.directory = directory
    self.file = file
    writeProcess()
    writeIgnore()
  }

  /// Removes the lock file before the lock ends, unless another program has removed it, and another server made its own.
  deinit {
    guard (try? Self.isNamed(file, location, in: directory)) == true else { return }
    try? fileSystem.unlink(location.lockIgnoreName, in: directory)
    try? fileSystem.unlink(location.lockName, in: directory)
    // The directory stays when another server has made its lock file in it.
    try? fileSystem.removeDirectory(location.lockDirectoryName, in: directory)
  }

  /// Takes the lock.
  ///
  /// - Returns: The lock; `nil` when no lock file can be made, or the file system has no locks.
  /// - Throws: ``StorageError`` with code `locked` when another server has the lock, or may have it.
  static func acquire(for location: FileLocation, in directory: FileDescriptor) throws(StorageError) -> FileLock? {
    let fileSystem = directory.fileSystem
    for _ in 0..<maximumAttempts {
      guard let file = try open(location, in: directory) else {
        try? fileSystem.removeDirectory(location.lockDirectoryName, in: directory)
        return nil
      }
      do throws(SystemError) {
        try fileSystem.lock(file)
        // A server that closes removes the lock file, so the locked file may have lost its name since it was opened.
        if try isNamed(file, location, in: directory) { return FileLock(location, directory, file) }
      } catch {
        if error.isMissing { continue }
        guard error.isWouldBlock else {
          removeUnused(file, location, in: directory)
          return nil
        }
        throw StorageError(.locked, message(for: location, holder: process(in: file)), cause: error)
      }
    }
    throw unreadable(location, of: fileSystem, because: SystemError.lockLost)
  }

  /// How often the lock is tried while other servers remove their lock files.
  private static let maximumAttempts = 100

  /// Whether a file is the one with the name of the lock file.
  private static func isNamed(
    _ file: FileDescriptor, _ location: FileLocation, in directory: FileDescriptor
  ) throws(SystemError) -> Bool {
    let fileSystem = directory.fileSystem
    return try fileSystem.status(of: file).stamp.inode
      == fileSystem.status(location.lockName, in: directory).stamp.inode
  }

  /// Removes a lock file that cannot be locked, unless a server has written to it, which then has the lock.
  private static func removeUnused(_ file: FileDescriptor, _ location: FileLocation, in directory: FileDescriptor) {
    let fileSystem = directory.fileSystem
    guard (try? isNamed(file, location, in: directory)) == true, (try? fileSystem.status(of: file).stamp.size) == 0
    else { return }
    try? fileSystem.unlink(location.lockName, in: directory)
    try? fileSystem.removeDirectory(location.lockDirectoryName, in: directory)
  }

  /// Opens the lock file. It may belong to another user: reading is enough to lock it.
  private static func open(
    _ location: FileLocation, in directory: FileDescriptor
  ) throws(StorageError) -> FileDescriptor? {
    let fileSystem = directory.fileSystem
    // A server that closes may remove the directory between the two calls. Then it is made again, a few times at most.
    for attempt in 1... {
      let hasDirectory = makeDirectory(for: location, in: directory)
      do throws(SystemError) {
        return try fileSystem.open(location.lockName, in: directory, for: .locking)
      } catch {
        if error.isMissing, !error.isNotDirectory, hasDirectory {
          guard attempt < maximumAttempts else { throw unreadable(location, of: fileSystem, because: error) }
          continue
        }
        guard error.isNotPermitted || error.isNotDirectory else { return nil }
        break
      }
    }
    do throws(SystemError) {
      return try fileSystem.open(location.lockName, in: directory, for: .reading)
    } catch {
      if error.isMissing, !error.isNotDirectory { return nil }
      throw unreadable(location, of: fileSystem, because: error)
    }
  }

  private static func unreadable(
    _ location: FileLocation, of fileSystem: FileSystem, because error: SystemError
  ) -> StorageError {
    let path = FileLocation.join(location.directory, location.lockDirectoryName)
    let link = (try? fileSystem.linkTarget(path)).map { ", a link to '\($0)'" } ?? ""
    return StorageError(
      .locked,
      "'\(location.path)' may be open in another server: cannot read '\(path)'\(link): \(error.reason). Remove it if none runs.",
      cause: error)
  }

  /// - Returns: Whether the directory for the lock file exists.
  private static func makeDirectory(for location: FileLocation, in directory: FileDescriptor) -> Bool {
    do throws(SystemError) {
      try directory.fileSystem.makeDirectory(location.lockDirectoryName, in: directory)
      return true
    } catch {
      return error.isExisting
    }
  }

  private static func message(for location: FileLocation, holder: String?) -> String {
    "'\(location.path)' is open in another server\(holder.map { " (process \($0))" } ?? ""); "
      + "stop that server, or serve a copy of the file."
  }

  private static func process(in file: FileDescriptor) -> String? {
    guard let text = try? file.fileSystem.contents(of: file).text.string.prefix(while: \.isNumber) else { return nil }
    return text.isEmpty ? nil : String(text)
  }

  /// Only for the message of a second server; the lock works without it.
  private func writeProcess() {
    try? fileSystem.truncate(file, to: 0)
    try? Array("\(CurrentProcess.identifier)\n".utf8).withUnsafeBytes {
      _ = try fileSystem.write($0, to: file, at: 0)
    }
  }

  /// Without this file, the lock works too, but shows in `git status`.
  private func writeIgnore() {
    guard let ignore = try? fileSystem.open(location.lockIgnoreName, in: directory, for: .creatingReadable) else {
      return
    }
    try? Array("*\n".utf8).withUnsafeBytes { _ = try fileSystem.write($0, to: ignore, at: 0) }
  }
}
