import CStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Calls of the operating system, except those of NIO and of files.
package enum System {
  /// The largest number of files, including sockets, that this process may have open, after raising it as far as the
  /// system allows: macOS accepts at most 10,240, and grants 256 at first.
  package static let raisedOpenFileLimit: Int = {
    // If the system refuses, the old limit stays.
    _ = system_raise_open_file_limit(10_240)
    return openFileLimit
  }()

  /// The largest number of files, including sockets, that this process may have open.
  static var openFileLimit: Int { Int(clamping: system_open_file_limit()) }

  /// The descriptor that the next open file would get: the number of files that are open, or a few less; 0 when that
  /// cannot be found out.
  static var lowestFreeDescriptor: Int {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    close(descriptor)
    return Int(descriptor)
  }

  /// Gives the calling thread a lower priority than the process's other threads, on Linux only.
  static func lowerThreadPriority() { storage_thread_lower_priority() }

  /// Whether a text is an IPv4 address in four decimal parts, without leading zeros, which mean octal to some programs.
  static func isIPv4(_ text: String) -> Bool { isAddress(text, AF_INET) }

  /// Whether a text is an IPv6 address without a zone.
  static func isIPv6(_ text: String) -> Bool { isAddress(text, AF_INET6) }

  private static func isAddress(_ text: String, _ family: Int32) -> Bool {
    // Some systems read a zone after a percent sign, and all end the text at a NUL.
    guard text.utf8.allSatisfy("0123456789abcdefABCDEF.:".utf8.contains) else { return false }
    var address = in6_addr()
    return inet_pton(family, text, &address) == 1
  }

  /// The time since a moment before the start of the process, by a clock that never goes back.
  ///
  /// For measurements at each request: the size of a `ContinuousClock.Instant` is known only at run time, and so would
  /// be the size of every type that holds one.
  package static var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Duration(secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }

  /// The time of day in seconds since 1970, by the wall clock.
  package static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension ListenError {
  /// Explains why an address could not be bound.
  ///
  /// - Parameter errorNumber: The value of errno, when a system call failed.
  init(binding address: BindAddress, errorNumber: Int32?, cause: any Error) {
    self.cause = cause
    switch errorNumber {
    case EADDRINUSE:
      code = .portInUse
      message =
        "Port \(address.port) of \(address.host) is in use; stop the program that uses it, or set another Server.Configuration.port (0 takes a free one)."
    case EACCES:
      code = .permissionDenied
      message = "Listening on \(address) is not permitted; choose a port from 1024 up."
    case EPERM:
      code = .permissionDenied
      message =
        "The system does not let this process listen on any address; an app in a sandbox, or the one that hosts "
        + "its tests, needs the entitlement com.apple.security.network.server."
    case EMFILE, ENFILE:
      code = .other
      message =
        "Listening on \(address) failed, since all files that may be open are open, sockets among them: this process may "
        + "have \(System.openFileLimit). Raise the limit, as with 'ulimit -n 4096', or open less at a time."
    case EADDRNOTAVAIL, EAFNOSUPPORT:
      code = .unknownHost
      message = "\(address.host) is not an address of this machine; choose 127.0.0.1, ::1 or 0.0.0.0."
    default:
      code = .other
      message = "Listening on \(address) failed: \(cause)"
    }
  }

  /// The error when another program listens on an address, even if the system would bind it again.
  static func inUse(_ address: BindAddress) -> ListenError {
    ListenError(binding: address, errorNumber: EADDRINUSE, cause: AnotherListener())
  }

  /// Explains why a host has no address.
  init(resolving address: BindAddress, cause: any Error) {
    self.cause = cause
    code = .unknownHost
    message = "The host '\(address.host)' has no address; check its spelling, or give an IP address."
  }
}

/// A program that accepted a test connection.
private struct AnotherListener: Error {}
