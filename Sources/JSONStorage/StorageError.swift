/// An error in reading, writing or watching a store.
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
    /// The file is a bind mount whose source was replaced: nobody would see a write.
    case staleMount
    /// Another server has the file open.
    case locked
    /// The store is closed.
    case closed
    /// The address of a database is invalid.
    case invalidAddress
    /// The tables of a database have another layout, or invalid content.
    case invalidDatabase
    /// Another transaction came first; the server tries again.
    case conflict
    /// The user of a database has no right to do that.
    case forbidden
    /// Another error of a database.
    case refused
  }

  package let code: Code

  /// A sentence for people that names the file or the database, and says what to do.
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
  ///   - action: The action that failed, such as "write".
  ///   - path: The path of the file.
  init(_ cause: SystemError, when action: String, _ path: String) {
    let code: Code = cause.isLackOfSpace ? .noSpace : .unavailable
    self.init(code, "Cannot \(action) '\(path)': \(cause.reason).", cause: cause)
  }

  /// Creates the error of a file that cannot be parsed.
  init(invalid path: String, cause: any Error) {
    self.init(.invalidFile, "'\(path)' is not valid: \(cause).", cause: cause)
  }
}
