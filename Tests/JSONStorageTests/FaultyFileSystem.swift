import NIOConcurrencyHelpers

@testable import JSONStorage

/// The real file system with a hook before each call, which records the calls and can fail them.
struct FaultyFileSystem: FileSystem {
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
  /// Whether what is synced reaches the disk, which takes long.
  var isSynchronizing = true
  private let real = SystemFileSystem()

  func realPath(_ path: String) throws(SystemError) -> String {
    try script.record("realpath")
    return try real.realPath(path)
  }

  func linkTarget(_ path: String) throws(SystemError) -> String {
    try script.record("readlink")
    return try real.linkTarget(path)
  }

  func openDirectory(_ path: String) throws(SystemError) -> FileDescriptor {
    try script.record("open directory")
    let file = try real.openDirectory(path)
    script.countOpen(1)
    return file
  }

  func open(_ name: String, in directory: FileDescriptor, for access: FileAccess) throws(SystemError) -> FileDescriptor
  {
    try script.record("open \(access)")
    let file = try real.open(name, in: directory, for: access)
    script.countOpen(1)
    return file
  }

  func close(_ file: FileDescriptor) throws(SystemError) {
    // A close that fails closes nevertheless.
    defer { try? real.close(file) }
    script.countOpen(-1)
    try script.record("close")
  }

  func makeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("mkdir")
    try real.makeDirectory(name, in: directory)
  }

  func removeDirectory(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("rmdir")
    try real.removeDirectory(name, in: directory)
  }

  func names(in directory: FileDescriptor) throws(SystemError) -> [String] {
    try script.record("readdir")
    return try real.names(in: directory)
  }

  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    try script.record("fstat")
    let status = try real.status(of: file)
    guard isStale else { return status }
    return FileStatus(
      stamp: status.stamp, permissions: status.permissions, owner: status.owner, group: status.group, links: 0,
      isRegular: status.isRegular)
  }

  func status(_ name: String, in directory: FileDescriptor) throws(SystemError) -> FileStatus {
    try script.record("stat")
    return try real.status(name, in: directory)
  }

  func checkWritable(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("access")
    try real.checkWritable(name, in: directory)
  }

  func isMountPoint(_ name: String, in directory: FileDescriptor) -> Bool {
    real.isMountPoint(name, in: directory)
  }

  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try script.record("read")
    // One byte at most at a time would be too slow; a third shows that short reads are continued.
    return try real.read(
      file, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(buffer.count / 3 + 1)), at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor, at offset: Int) throws(SystemError) -> Int {
    try script.record("write")
    return try real.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 3 + 1)), to: file, at: offset)
  }

  func truncate(_ file: FileDescriptor, to size: Int) throws(SystemError) {
    try script.record("ftruncate")
    try real.truncate(file, to: size)
  }

  func setOwner(_ owner: UInt32?, group: UInt32?, of file: FileDescriptor) throws(SystemError) {
    try script.record("fchown")
    try real.setOwner(owner, group: group, of: file)
  }

  func setPermissions(_ permissions: UInt32, of file: FileDescriptor) throws(SystemError) {
    try script.record("fchmod")
    try real.setPermissions(permissions, of: file)
  }

  func copyAttributes(
    from source: FileDescriptor, to target: FileDescriptor, includingAccessList: Bool
  ) throws(SystemError) {
    try script.record("setxattr")
    try real.copyAttributes(from: source, to: target, includingAccessList: includingAccessList)
  }

  func order(_ file: FileDescriptor) throws(SystemError) {
    try script.record("barrier")
    if isSynchronizing { try real.order(file) }
  }

  func synchronize(_ file: FileDescriptor) throws(SystemError) {
    try script.record("fsync")
    if isSynchronizing { try real.synchronize(file) }
  }

  func exchange(_ first: String, _ second: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("exchange")
    try real.exchange(first, second, in: directory)
  }

  func renameExclusively(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("rename exclusively")
    try real.renameExclusively(name, to: newName, in: directory)
  }

  func rename(_ name: String, to newName: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("rename")
    try real.rename(name, to: newName, in: directory)
  }

  func unlink(_ name: String, in directory: FileDescriptor) throws(SystemError) {
    try script.record("unlink")
    try real.unlink(name, in: directory)
  }

  func lock(_ file: FileDescriptor) throws(SystemError) {
    try script.record("flock")
    try real.lock(file)
  }
}
