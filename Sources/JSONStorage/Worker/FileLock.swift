import JSONServerValues

/// The lock file beside a file, which excludes a second server until nobody refers to the lock any more.
///
/// The lock file is beside the data file, not in a directory of the user or the machine. So servers of other users, in
/// other containers or with another path find it. It has a directory of its own, whose `.gitignore` hides it from `git
/// status` without changing the repository's own files. That directory is opened first, and must not be a link: so nothing
/// is written or removed elsewhere.
final class FileLock {
  private let location: FileLocation
  /// The lock's own directory.
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
    guard (try? Self.isNamed(file, in: directory)) == true else { return }
    try? fileSystem.unlink(Self.ignoreName, in: directory)
    try? fileSystem.unlink(Self.name, in: directory)
    // The directory stays when another server has made its lock file in it.
    guard let parent = try? fileSystem.openDirectory("..", in: directory) else { return }
    try? fileSystem.removeDirectory(location.lockDirectoryName, in: parent)
  }

  private static let name = "process"
  /// The file that makes git ignore the lock.
  private static let ignoreName = ".gitignore"

  /// Takes the lock.
  ///
  /// - Returns: The lock; `nil` when no lock file can be made, or the file system has no locks.
  /// - Throws: ``StorageError`` with code `locked` when another server has the lock, or may have it.
  static func acquire(for location: FileLocation, in directory: FileDescriptor) throws(StorageError) -> FileLock? {
    let fileSystem = directory.fileSystem
    var lastError = SystemError.lockLost
    // A server that closes removes the lock file and its directory, perhaps between two of these calls.
    for _ in 0..<maximumAttempts {
      let hasDirectory = makeDirectory(for: location, in: directory)
      do throws(SystemError) {
        let own = try fileSystem.openDirectory(location.lockDirectoryName, in: directory)
        guard let file = try open(in: own) else {
          try? fileSystem.removeDirectory(location.lockDirectoryName, in: directory)
          return nil
        }
        do throws(SystemError) {
          try fileSystem.lock(file)
        } catch {
          guard error.isWouldBlock else {
            removeUnused(file, location, from: own, in: directory)
            return nil
          }
          throw error
        }
        // The locked file may have lost its name since it was opened.
        if try isNamed(file, in: own) { return FileLock(location, own, file) }
      } catch {
        if error.isWouldBlock {
          let holder = process(for: location, in: directory)
          throw StorageError(.locked, message(for: location, holder: holder), cause: error)
        }
        guard error.isMissing, !error.isNotDirectory else { throw unreadable(location, of: fileSystem, because: error) }
        guard hasDirectory else { return nil }
        lastError = error
      }
    }
    throw unreadable(location, of: fileSystem, because: lastError)
  }

  /// How often the lock is tried while other servers remove their lock files.
  private static let maximumAttempts = 100

  /// Whether a file is the one with the name of the lock file.
  private static func isNamed(_ file: FileDescriptor, in directory: FileDescriptor) throws(SystemError) -> Bool {
    let fileSystem = directory.fileSystem
    return try fileSystem.status(of: file).stamp.inode == fileSystem.status(name, in: directory).stamp.inode
  }

  /// Removes a lock file that cannot be locked, unless a server has written to it, which then has the lock.
  private static func removeUnused(
    _ file: FileDescriptor, _ location: FileLocation, from own: FileDescriptor, in directory: FileDescriptor
  ) {
    let fileSystem = directory.fileSystem
    guard (try? isNamed(file, in: own)) == true, (try? fileSystem.status(of: file).stamp.size) == 0 else { return }
    try? fileSystem.unlink(name, in: own)
    try? fileSystem.removeDirectory(location.lockDirectoryName, in: directory)
  }

  /// Opens the lock file. It may belong to another user: reading is enough to lock it.
  ///
  /// - Returns: `nil` when it cannot be made.
  private static func open(in directory: FileDescriptor) throws(SystemError) -> FileDescriptor? {
    let fileSystem = directory.fileSystem
    do {
      return try fileSystem.open(name, in: directory, for: .locking)
    } catch {
      if error.isMissing { throw error }
      guard error.isNotPermitted else { return nil }
    }
    do {
      return try fileSystem.open(name, in: directory, for: .reading)
    } catch {
      if error.isMissing { return nil }
      throw error
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

  /// The message for a file that another server has.
  ///
  /// - Parameter holder: The other server's process id, if known.
  static func message(for location: FileLocation, holder: String? = nil) -> String {
    "'\(location.path)' is open in another server\(holder.map { " (process \($0))" } ?? ""); "
      + "stop that server, or serve a copy of the file."
  }

  private static func process(for location: FileLocation, in directory: FileDescriptor) -> String? {
    let fileSystem = directory.fileSystem
    guard let own = try? fileSystem.openDirectory(location.lockDirectoryName, in: directory),
      let text = try? fileSystem.contents(of: name, in: own).text.string.prefix(while: \.isNumber)
    else { return nil }
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
    guard let ignore = try? fileSystem.open(Self.ignoreName, in: directory, for: .creatingReadable) else {
      return
    }
    try? Array("*\n".utf8).withUnsafeBytes { _ = try fileSystem.write($0, to: ignore, at: 0) }
  }
}
