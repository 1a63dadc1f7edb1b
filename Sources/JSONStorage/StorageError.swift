/// Why a store could not be read, written or watched.
package struct StorageError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: Sendable, Hashable {
    /// The disk or a quota is full.
    case noSpace
    /// The file or its directory cannot be read or written, or the database cannot be reached.
    case unavailable
    /// The file cannot be parsed. It is never overwritten.
    case invalidFile
    /// Whether the new version is in place, or survives a power cut, is unknown.
    case durabilityUnknown
    /// The file is a bind mount whose source was replaced: a write would not be seen by anyone.
    case staleMount
    /// Another server has the file open.
    case locked
    /// The store is closed.
    case closed
    /// The address of a database makes no sense.
    case invalidAddress
    /// The tables of a database are not those of this program, or hold what cannot be served.
    case invalidDatabase
    /// Another transaction came between: it is tried again.
    case conflict
    /// The user of a database may not do that.
    case forbidden
    /// Something else that a database says.
    case refused
  }

  package let code: Code

  /// A sentence for a person that names the file or the database, and says what to do.
  package let message: String

  /// The parser's error, or a ``SystemError``.
  package let cause: (any Error)?

  package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  package var description: String { message }

  /// Creates the error of a failed system call.
  ///
  /// - Parameters:
  ///   - cause: The failed call.
  ///   - action: What was tried, as in "write".
  ///   - path: The file on which it was tried.
  init(_ cause: SystemError, when action: String, _ path: String) {
    let code: Code = cause.isLackOfSpace ? .noSpace : .unavailable
    self.init(code, "Cannot \(action) '\(path)': \(cause.reason).", cause: cause)
  }

  /// Creates the error of a file that a parser refused.
  init(invalid path: String, cause: any Error) {
    self.init(.invalidFile, "'\(path)' is not valid: \(cause).", cause: cause)
  }
}
