import CStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Notifications that names in some directories may have changed.
///
/// They only say when to look. Linux has them; elsewhere the initializer fails and the caller looks regularly.
struct DirectoryWatch: ~Copyable {
  /// Readable when a notification waits.
  let descriptor: Int32

  private var numbers: Set<Int32> = []

  init() throws(SystemError) {
    descriptor = storage_watch_open()
    guard descriptor >= 0 else { throw SystemError("inotify_init1", errno) }
  }

  deinit {
    close(descriptor)
  }

  /// Watches exactly these directories; one that cannot be watched is left out.
  ///
  /// To be called again now and then: a watch follows a directory that is renamed, and another may have taken its name.
  mutating func watch(_ directories: Set<String>) {
    let added = Set(directories.map { storage_watch_add(descriptor, $0) }.filter { $0 >= 0 })
    for number in numbers.subtracting(added) { _ = storage_watch_remove(descriptor, number) }
    numbers = added
  }

  /// Takes the notifications that wait; true when one concerns one of the names or a directory as a whole.
  func drain(concerning names: Set<String>) -> Bool {
    let copies = names.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer {
      storage_watch_drain(descriptor, $0.baseAddress, Int32($0.count)) == 1
    }
  }
}
