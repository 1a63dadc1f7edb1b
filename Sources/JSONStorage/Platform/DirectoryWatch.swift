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
/// A notification only means that a check is due. Where a system or a file system has none, the caller checks
/// regularly.
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

  /// Watches exactly these names in these directories; skips a directory that cannot be watched.
  ///
  /// Call this again now and then: a watch follows a renamed directory, and another directory may have the old name.
  func watch(_ names: Set<String>, in directories: Set<String>) {
    Self.withCStrings(names) { names in
      Self.withCStrings(directories) { directories in
        _ = storage_watch_set(
          handle, directories.baseAddress, Int32(directories.count), names.baseAddress, Int32(names.count))
      }
    }
  }

  /// Consumes the pending notifications; returns whether one is about one of the names, or about a directory as a
  /// whole.
  mutating func drain() -> Bool { storage_watch_drain(handle) == 1 }

  /// Always in the same order, so that existing watches stay.
  private static func withCStrings(
    _ strings: Set<String>, _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Void
  ) {
    let copies = strings.sorted().map { strdup($0) }
    defer { copies.forEach { free($0) } }
    copies.map { UnsafePointer($0) }.withUnsafeBufferPointer(body)
  }
}

/// Wakes a thread that waits, for a file descriptor or until a time.
final class SelfPipe: Sendable {
  private let reading: Int32
  private let writing: Int32

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard storage_pipe(&ends) == 0 else { throw SystemError("pipe", errno) }
    reading = ends[0]
    writing = ends[1]
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Wakes the thread, immediately or when it waits the next time.
  func send() {
    var byte: UInt8 = 0
    // A full pipe is already a signal.
    _ = write(writing, &byte, 1)
  }

  /// Waits for a signal, for input on a descriptor or until a time; `nil` waits without end.
  func wait(orFor input: Int32?, until deadline: ContinuousClock.Instant?) {
    var sources = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
    if let input { sources.append(pollfd(fd: input, events: Int16(POLLIN), revents: 0)) }
    _ = poll(&sources, nfds_t(sources.count), deadline.map(Self.milliseconds) ?? -1)
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(reading, &bytes, bytes.count) == bytes.count {}
  }

  /// The milliseconds until a time, rounded up so that the thread does not wake too early.
  private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    max(0, Int32(clamping: Int((deadline - .now) / .milliseconds(1)) + 1))
  }
}
