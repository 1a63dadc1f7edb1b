#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ListenError {
  /// Says in plain words why an address could not be bound.
  ///
  /// - Parameter errorNumber: The value of errno, when a system call failed.
  init(binding address: BindAddress, errorNumber: Int32?, cause: any Error) {
    self.cause = cause
    switch errorNumber {
    case EADDRINUSE:
      code = .portInUse
      message = "Port \(address.port) of \(address.host) is in use; choose another port, or 0 for any free one."
    case EACCES:
      code = .permissionDenied
      message = "Listening on \(address) is not permitted; choose a port from 1024 up."
    case EPERM:
      code = .permissionDenied
      message =
        "The system lets this process listen nowhere, not on \(address) either; an app in a sandbox, or the one that hosts "
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

  /// Another program listens at an address, whether the system would bind it again or not.
  static func inUse(_ address: BindAddress) -> ListenError {
    ListenError(binding: address, errorNumber: EADDRINUSE, cause: AnotherListener())
  }

  /// Says in plain words why a host has no address.
  init(resolving address: BindAddress, cause: any Error) {
    self.cause = cause
    code = .unknownHost
    message = "The host '\(address.host)' has no address; check its spelling, or give an IP address."
  }
}

/// A program that accepted a test connection.
private struct AnotherListener: Error {}
