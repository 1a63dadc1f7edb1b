/// An open file or directory.
struct FileDescriptor: Sendable, Hashable {
  let number: Int32
}

/// The system calls that a store makes, one method each, so that a test can watch their order and make each one fail.
///
/// Names are relative to a directory that was opened before, so that a directory renamed meanwhile cannot split one
/// publish across two directories. Interrupted calls are repeated here; short reads and writes are not.
protocol FileSystem: Sendable {
  /// Resolves all symbolic links.
  func realPath(_ path: String) throws(SystemError) -> String
  /// Returns what a symbolic link points to; fails with `notSymbolicLink` for anything else.
  func linkTarget(_ path: String) throws(SystemError) -> String

  func openDirectory(_ path: String) throws(SystemError) -> FileDescriptor
  func open(_ name: String, in directory: FileDescriptor, for access: FileAccess) throws(SystemError) -> FileDescriptor
  func close(_ file: FileDescriptor) throws(SystemError)
  func makeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError)
  /// Removes an empty directory.
  func removeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError)
  func names(in directory: FileDescriptor) throws(SystemError) -> [String]

  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
  func status(_ name: String, in directory: FileDescriptor) throws(SystemError) -> FileStatus
  func checkWritable(_ name: String, in directory: FileDescriptor) throws(SystemError)
  func isMountPoint(_ name: String, in directory: FileDescriptor) -> Bool

  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int
  func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor, at offset: Int) throws(SystemError) -> Int
  func truncate(_ file: FileDescriptor, to size: Int) throws(SystemError)
  func setOwner(_ owner: UInt32?, group: UInt32?, of file: FileDescriptor) throws(SystemError)
  func setPermissions(_ permissions: UInt32, of file: FileDescriptor) throws(SystemError)
  func copyAttributes(
    from source: FileDescriptor, to target: FileDescriptor, includingAccessList: Bool
  ) throws(SystemError)
  /// Ensures that nothing written later reaches the medium before the file's present content.
  func order(_ file: FileDescriptor) throws(SystemError)
  /// Forces a file or directory to the medium, and with it what was ordered before.
  func synchronize(_ file: FileDescriptor) throws(SystemError)

  func exchange(_ first: String, _ second: String, in directory: FileDescriptor) throws(SystemError)
  func renameExclusively(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError)
  func rename(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError)
  func unlink(_ name: String, in directory: FileDescriptor) throws(SystemError)

  /// Locks an open file without waiting; fails with `wouldBlock` when another has the lock.
  func lock(_ file: FileDescriptor) throws(SystemError)
}

/// What a file is opened for.
enum FileAccess: Sendable, Hashable {
  /// Reading a file that exists.
  case reading
  /// Reading and writing a file that exists, in place.
  case writing
  /// Reading and writing a file that is created with permissions 0600; fails when it exists.
  case creating
  /// The same with permissions 0644, less what the process's mask removes.
  case creatingReadable
  /// Reading and writing a file that is created when it is missing.
  case locking
}
