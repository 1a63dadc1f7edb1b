import CStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the server asks the operating system apart from NIO and the files.
package enum System {
  /// The most files that this process may hold open, sockets among them.
  static var openFileLimit: Int { Int(clamping: system_open_file_limit()) }

  /// The same, after the limit was raised once as far as the system lets this user: macOS takes 10,240 at most, and grants
  /// 256 at first.
  package static let raisedOpenFileLimit: Int = {
    // Whoever denies it has the limit that there is.
    _ = system_raise_open_file_limit(10_240)
    return openFileLimit
  }()

  /// Has the system prefer the process's other threads to the calling one, as long as that lives; on Linux alone.
  static func lowerThreadPriority() { storage_thread_lower_priority() }

  /// The directory in which this process works; empty when it is gone.
  static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  /// The time since a moment before the process began, by a clock that only goes forward.
  ///
  /// For what is measured at each request: the size of a `ContinuousClock.Instant` is known only at run time,
  /// and so would be that of whatever holds one.
  static var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Duration(secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }

  /// The time of day in seconds since 1970, by the wall clock.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
