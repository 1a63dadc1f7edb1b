#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A failed system call.
struct SystemError: Error, Sendable, Hashable {
  /// The call's name, as in "fsync".
  let call: String

  /// The value of errno.
  let number: Int32

  init(_ call: String, _ number: Int32) {
    self.call = call
    self.number = number
  }

  /// What went wrong, in the system's words.
  var reason: String { String(cString: strerror(number)) }

  var isMissing: Bool { number == ENOENT || number == ENOTDIR }
  var isNotDirectory: Bool { number == ENOTDIR }
  var isExisting: Bool { number == EEXIST }
  var isLackOfSpace: Bool { number == ENOSPC || number == EDQUOT }
  var isNotPermitted: Bool { number == EPERM || number == EACCES || number == EROFS }
  var isWouldBlock: Bool { number == EWOULDBLOCK || number == EAGAIN }
  var isNotSymbolicLink: Bool { number == EINVAL }
  var isUnsupported: Bool { number == EINVAL || number == ENOSYS || number == ENOTSUP || number == EOPNOTSUPP }
  /// Whether a name cannot be renamed because something is mounted on it.
  var isMountPoint: Bool { number == EBUSY || number == EXDEV }
}

extension SystemError: CustomStringConvertible {
  var description: String { "\(call): \(reason)" }
}

extension SystemError {
  static let tooManyLinks = SystemError("realpath", ELOOP)
  static let nameExists = SystemError("rename", EEXIST)
  static let nothingWritten = SystemError("write", EIO)
}
