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
/// They only say when to check. Where a system or a file system has none, the caller checks regularly.
struct DirectoryWatch: ~Copyable {
  private let handle: OpaquePointer

  init() throws(SystemError) {
    guard let handle = storage_watch_open() else { throw SystemError("watch", errno) }
    self.handle = handle
  }

  deinit {
    storage_watch_close(handle)
  }

  /// Readable when a notification is pending.
  var descriptor: Int32 { storage_watch_descriptor(handle) }

  /// Watches exactly these names in these directories; a directory that cannot be watched is left out.
  ///
  /// To be called again now and then: a watch follows a directory that is renamed, and another may have taken its name.
  func watch(_ names: Set<String>, in directories: Set<String>) {
    Self.withCStrings(names) { names in
      Self.withCStrings(directories) { directories in
        _ = storage_watch_set(
          handle, directories.baseAddress, Int32(directories.count), names.baseAddress, Int32(names.count))
      }
    }
  }

  /// Consumes the pending notifications; true when one concerns one of the names or a directory as a whole.
  mutating func drain() -> Bool { storage_watch_drain(handle) == 1 }

  /// In the same order each time, so that what is watched already stays as it is.
  private static func withCStrings(
    _ strings: Set<String>, _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Void
  ) {
    let copies = strings.sorted().map { strdup($0) }
    defer { copies.forEach { free($0) } }
    copies.map { UnsafePointer($0) }.withUnsafeBufferPointer(body)
  }
}
