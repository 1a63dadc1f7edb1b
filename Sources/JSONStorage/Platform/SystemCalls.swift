import CStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The system calls of a store, one method each, so that a test can watch their order and make each one fail.
///
/// Names are relative to an open directory, so renaming the directory cannot split one publish across two directories.
/// Interrupted calls are repeated here; short reads and writes are not.
///
/// It has no state, so any thread may use it.
package class FileSystem: @unchecked Sendable {
  package init() {}

  /// Makes a call, and repeats it when a signal interrupted it.
  @discardableResult
  private func call<Result: SignedInteger>(_ name: String, _ body: () -> Result) throws(SystemError) -> Result {
    while true {
      let result = body()
      guard result == -1 else { return result }
      guard errno == EINTR else { throw SystemError(name, errno) }
    }
  }

  /// Resolves all symbolic links.
  func realPath(_ path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw SystemError("realpath", errno) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the target of a symbolic link; fails with `notSymbolicLink` for any other file.
  func linkTarget(_ path: String) throws(SystemError) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try call("readlink") { readlink(path, &buffer, buffer.count) }
    return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func openDirectory(_ path: String) throws(SystemError) -> FileDescriptor {
    FileDescriptor(try call("open") { Self.open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0) }, of: self)
  }

  /// Opens a directory that is no link.
  func openDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) -> FileDescriptor {
    FileDescriptor(
      try call("open") { Self.open(directory.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0) }, of: self)
  }

  func open(_ name: String, in directory: FileDescriptor, for access: FileAccess) throws(SystemError) -> FileDescriptor
  {
    let (flags, mode): (Int32, mode_t) =
      switch access {
      // Without O_NONBLOCK, opening a FIFO would wait for its other end.
      case .reading: (O_RDONLY | O_NONBLOCK, 0)
      case .writing: (O_RDWR | O_NONBLOCK, 0)
      case .creating: (O_RDWR | O_CREAT | O_EXCL, 0o600)
      case .creatingReadable: (O_RDWR | O_CREAT | O_EXCL, 0o644)
      case .locking: (O_RDWR | O_CREAT, 0o644)
      }
    return FileDescriptor(
      try call("open") { Self.open(directory.number, name, flags | O_NOFOLLOW, mode) }, of: self)
  }

  private static func open(_ directory: Int32, _ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    openat(directory, path, flags | O_CLOEXEC, mode)
  }

  func close(_ number: Int32) throws(SystemError) {
    // Not repeated after EINTR: the descriptor is closed by then, and another thread may have the number.
    guard storage_close(number) == 0 || errno == EINTR else { throw SystemError("close", errno) }
  }

  func makeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try call("mkdir") { mkdirat(directory.number, name, 0o755) }
  }

  /// Removes an empty directory.
  func removeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try call("rmdir") { unlinkat(directory.number, name, AT_REMOVEDIR) }
  }

  func names(in directory: FileDescriptor) throws(SystemError) -> [String] {
    let copy = try call("open") { Self.open(directory.number, ".", O_RDONLY | O_DIRECTORY, 0) }
    guard let stream = fdopendir(copy) else {
      let error = SystemError("fdopendir", errno)
      _ = storage_close(copy)
      throw error
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    var status = storage_status()
    try call("fstat") { storage_status_of(file.number, &status) }
    return FileStatus(status)
  }

  /// Returns the status of a file behind symbolic links.
  func status(behind path: String) throws(SystemError) -> FileStatus {
    var status = storage_status()
    try call("stat") { storage_status_behind(path, &status) }
    return FileStatus(status)
  }

  func status(_ name: String, in directory: FileDescriptor) throws(SystemError) -> FileStatus {
    var status = storage_status()
    try call("stat") { storage_status_at(directory.number, name, &status) }
    return FileStatus(status)
  }

  func checkWritable(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try call("access") { faccessat(directory.number, name, W_OK, 0) }
  }

  /// Whether something is mounted on a name; `nil` where the system does not tell.
  func isMountPoint(_ name: String, in directory: FileDescriptor) -> Bool? {
    let result = storage_is_mount_point(directory.number, name)
    // A name that is just being replaced is none.
    return result < 0 && errno != ENOENT ? nil : result == 1
  }

  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    Int(try call("read") { storage_read_at(file.number, buffer.baseAddress, buffer.count, Int64(offset)) })
  }

  func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor, at offset: Int) throws(SystemError) -> Int {
    Int(try call("write") { storage_write_at(file.number, bytes.baseAddress, bytes.count, Int64(offset)) })
  }

  func truncate(_ file: FileDescriptor, to size: Int) throws(SystemError) {
    try call("ftruncate") { ftruncate(file.number, off_t(size)) }
  }

  func setOwner(_ owner: UInt32?, group: UInt32?, of file: FileDescriptor) throws(SystemError) {
    try call("fchown") { fchown(file.number, owner ?? .max, group ?? .max) }
  }

  func setPermissions(_ permissions: UInt32, of file: FileDescriptor) throws(SystemError) {
    try call("fchmod") { fchmod(file.number, mode_t(permissions)) }
  }

  /// Copies extended attributes.
  ///
  /// - Parameter isGroupKept: Whether the files have the same group; if not, no access lists of NFS are copied.
  func copyAttributes(
    from source: FileDescriptor, to target: FileDescriptor, isGroupKept: Bool
  ) throws(SystemError) {
    try call("setxattr") { storage_copy_attributes(source.number, target.number, isGroupKept ? 1 : 0) }
  }

  /// Whether a file has an access list, or may have one.
  func hasAccessList(_ file: FileDescriptor) -> Bool { storage_has_access_list(file.number) == 1 }

  /// Gives a new file the access list of another file, or none.
  ///
  /// - Returns: Whether the new file has the same list, or none either.
  func copyAccessList(
    from source: FileDescriptor?, to target: FileDescriptor, isGroupKept: Bool
  ) throws(SystemError) -> Bool {
    try call("setacl") { storage_copy_access_list(source?.number ?? -1, target.number, isGroupKept ? 1 : 0) } == 1
  }

  /// Makes sure that the file's present content reaches the medium before everything that is written later.
  func order(_ file: FileDescriptor) throws(SystemError) {
    // Not repeated after a failure, as below.
    guard storage_order(file.number) == 0 else { throw SystemError("fsync", errno) }
  }

  /// Forces a file or directory to the medium, with everything that was ordered before.
  func synchronize(_ file: FileDescriptor) throws(SystemError) {
    // Not repeated after a failure: the kernel may have dropped the unwritten pages and would report success.
    guard storage_synchronize(file.number) == 0 else { throw SystemError("fsync", errno) }
  }

  func exchange(_ first: String, _ second: String, in directory: FileDescriptor) throws(SystemError) {
    try call("renameat2") { storage_exchange(directory.number, first, second) }
  }

  func renameExclusively(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError) {
    try call("renameat2") { storage_rename_exclusively(directory.number, name, newName) }
  }

  func rename(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError) {
    try call("rename") { renameat(directory.number, name, directory.number, newName) }
  }

  func unlink(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try call("unlink") { unlinkat(directory.number, name, 0) }
  }

  /// Locks an open file without waiting; fails with `wouldBlock` when another program has the lock.
  func lock(_ file: FileDescriptor) throws(SystemError) {
    try call("flock") { storage_lock(file.number) }
  }

  /// The same for a file that other programs read; fails where a lock would keep them from that.
  func lockContent(_ file: FileDescriptor) throws(SystemError) {
    try call("flock") { storage_lock_content(file.number) }
  }

  /// Ends a lock, of which a program that is just being started may have a copy.
  func unlock(_ file: FileDescriptor) { _ = storage_unlock(file.number) }
}

extension FileStatus {
  fileprivate init(_ status: storage_status) {
    stamp = FileStamp(
      device: status.device,
      inode: status.inode,
      size: Int(status.size),
      modified: FileStamp.Time(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds),
      changed: FileStamp.Time(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds)
    )
    permissions = status.mode & 0o7777
    owner = status.owner
    group = status.group
    links = Int(status.links)
    isRegular = mode_t(status.mode) & S_IFMT == S_IFREG
  }
}

/// A failed system call.
struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call's name, as in "fsync".
  let call: String

  /// The value of errno.
  let number: Int32

  init(_ call: String, _ number: Int32) {
    self.call = call
    self.number = number
  }

  /// The system's message.
  var reason: String { String(cString: strerror(number)) }

  var isMissing: Bool { number == ENOENT || number == ENOTDIR }
  var isNotDirectory: Bool { number == ENOTDIR }
  var isExisting: Bool { number == EEXIST }
  var isLackOfSpace: Bool { number == ENOSPC || number == EDQUOT }
  var isNotPermitted: Bool { number == EPERM || number == EACCES || number == EROFS }
  var isWouldBlock: Bool { number == EWOULDBLOCK || number == EAGAIN }
  var isLink: Bool { number == ELOOP }
  var isNotSymbolicLink: Bool { number == EINVAL }
  /// Also EXDEV, with which ext4 refuses to exchange files of different quota projects.
  var isUnsupported: Bool { [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, EXDEV].contains(number) }
  /// Whether a name cannot be renamed because something is mounted on it.
  var isMountPoint: Bool { number == EBUSY || number == EXDEV }

  var description: String { "\(call): \(reason)" }

  static let tooManyLinks = SystemError("realpath", ELOOP)
  static let lockLost = SystemError("flock", EAGAIN)
  static let nameExists = SystemError("rename", EEXIST)
  static let nothingWritten = SystemError("write", EIO)
  static let notRegular = SystemError("open", EISDIR)
}
