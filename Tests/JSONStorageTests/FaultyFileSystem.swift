import NIOConcurrencyHelpers

@testable import JSONStorage

/// The file system with a hook before each call, which records the calls and can fail them.
///
/// Its script has a lock; the rest is set before a store uses it.
final class FaultyFileSystem: FileSystem, @unchecked Sendable {
  /// What the hook is notified of, and what it may decide.
  final class Script: Sendable {
    typealias Hook = @Sendable (_ index: Int, _ call: String) throws(SystemError) -> Void

    private struct State {
      var calls: [String] = []
      var hook: Hook = { (_, _) throws(SystemError) in }
      var open = 0
    }

    private let state = NIOLockedValueBox(State())

    var calls: [String] { state.withLockedValue { $0.calls } }
    /// How many descriptors are open.
    var openCount: Int { state.withLockedValue { $0.open } }

    /// Starts a new record.
    func restart(_ hook: @escaping Hook = { (_, _) throws(SystemError) in }) {
      state.withLockedValue { state in
        state.calls = []
        state.hook = hook
      }
    }

    func record(_ call: String) throws(SystemError) {
      let (index, hook) = state.withLockedValue { state in
        state.calls.append(call)
        return (state.calls.count - 1, state.hook)
      }
      try hook(index, call)
    }

    func countOpen(_ change: Int) { state.withLockedValue { $0.open += change } }
  }

  let script = Script()
  /// Whether every file looks as if its last name was removed.
  var isStale = false
  /// Whether something is mounted on every file; `nil` when the system does not tell.
  var isMounted: Bool?
  /// Whether what is synced reaches the disk, which takes long.
  var isSynchronizing = true

  override func realPath(_ path: String) throws(SystemError) -> String {
    try script.record("realpath")
    return try super.realPath(path)
  }

  override func linkTarget(_ path: String) throws(SystemError) -> String {
    try script.record("readlink")
    return try super.linkTarget(path)
  }

  override func openDirectory(_ path: String) throws(SystemError) -> FileDescriptor {
    try script.record("open directory")
    let file = try super.openDirectory(path)
    script.countOpen(1)
    return file
  }

  override func openDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) -> FileDescriptor {
    try script.record("open directory")
    let file = try super.openDirectory(name, in: directory)
    script.countOpen(1)
    return file
  }

  override func open(_ name: String, in directory: FileDescriptor, for access: FileAccess) throws(SystemError)
    -> FileDescriptor
  {
    try script.record("open \(access)")
    let file = try super.open(name, in: directory, for: access)
    script.countOpen(1)
    return file
  }

  override func close(_ number: Int32) throws(SystemError) {
    // A close that fails closes nevertheless.
    defer { try? super.close(number) }
    script.countOpen(-1)
    try script.record("close")
  }

  override func makeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("mkdir")
    try super.makeDirectory(name, in: directory)
  }

  override func removeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("rmdir")
    try super.removeDirectory(name, in: directory)
  }

  override func names(in directory: FileDescriptor) throws(SystemError) -> [String] {
    try script.record("readdir")
    return try super.names(in: directory)
  }

  override func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    try script.record("fstat")
    let status = try super.status(of: file)
    guard isStale else { return status }
    return FileStatus(
      stamp: status.stamp, permissions: status.permissions, owner: status.owner, group: status.group, links: 0,
      isRegular: status.isRegular)
  }

  override func status(_ name: String, in directory: FileDescriptor) throws(SystemError) -> FileStatus {
    try script.record("stat")
    return try super.status(name, in: directory)
  }

  override func status(behind path: String) throws(SystemError) -> FileStatus {
    try script.record("look")
    return try super.status(behind: path)
  }

  override func checkWritable(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("access")
    try super.checkWritable(name, in: directory)
  }

  override func isMountPoint(_ name: String, in directory: FileDescriptor) -> Bool? { isMounted }

  override func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try script.record("read")
    // One byte at most at a time would be too slow; a third shows that short reads are continued.
    return try super.read(
      file, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(buffer.count / 3 + 1)), at: offset)
  }

  override func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor, at offset: Int) throws(SystemError)
    -> Int
  {
    try script.record("write")
    return try super.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 3 + 1)), to: file, at: offset)
  }

  override func truncate(_ file: FileDescriptor, to size: Int) throws(SystemError) {
    try script.record("ftruncate")
    try super.truncate(file, to: size)
  }

  override func setOwner(_ owner: UInt32?, group: UInt32?, of file: FileDescriptor) throws(SystemError) {
    try script.record("fchown")
    try super.setOwner(owner, group: group, of: file)
  }

  override func setPermissions(_ permissions: UInt32, of file: FileDescriptor) throws(SystemError) {
    try script.record("fchmod")
    try super.setPermissions(permissions, of: file)
  }

  override func copyAttributes(
    from source: FileDescriptor, to target: FileDescriptor, isGroupKept: Bool
  ) throws(SystemError) {
    try script.record("setxattr")
    try super.copyAttributes(from: source, to: target, isGroupKept: isGroupKept)
  }

  override func copyAccessList(
    from source: FileDescriptor?, to target: FileDescriptor, isGroupKept: Bool
  ) throws(SystemError) -> Bool {
    try script.record("setacl")
    return try super.copyAccessList(from: source, to: target, isGroupKept: isGroupKept)
  }

  override func order(_ file: FileDescriptor) throws(SystemError) {
    try script.record("barrier")
    if isSynchronizing { try super.order(file) }
  }

  override func synchronize(_ file: FileDescriptor) throws(SystemError) {
    try script.record("fsync")
    if isSynchronizing { try super.synchronize(file) }
  }

  override func exchange(_ first: String, _ second: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("exchange")
    try super.exchange(first, second, in: directory)
  }

  override func renameExclusively(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError)
  {
    try script.record("rename exclusively")
    try super.renameExclusively(name, to: newName, in: directory)
  }

  override func rename(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("rename")
    try super.rename(name, to: newName, in: directory)
  }

  override func unlink(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("unlink")
    try super.unlink(name, in: directory)
  }

  override func lock(_ file: FileDescriptor) throws(SystemError) {
    try script.record("flock")
    try super.lock(file)
  }

  override func lockContent(_ file: FileDescriptor) throws(SystemError) {
    try script.record("flock")
    try super.lockContent(file)
  }
}
