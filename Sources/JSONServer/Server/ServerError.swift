import JSONStorage

/// Why a server does not start, or does not do what Swift code asks of it.
public struct ServerError: Error, Sendable {
  /// The kind of failure, to switch over.
  public enum Code: Sendable, Hashable {
    /// The file or directory does not exist.
    case sourceMissing
    /// The source cannot be read.
    case sourceUnreadable
    /// The source is not JSON, or of a shape that cannot be served.
    case sourceInvalid
    /// Another server has locked the file.
    case sourceLocked
    /// The rewrite rules or another option are invalid.
    case invalidConfiguration
    /// The port is taken.
    case portInUse
    /// The address cannot be listened on.
    case cannotListen
    /// A change was refused or could not be saved; nothing was changed.
    case notSaved
    /// There is no snapshot of the name.
    case unknownSnapshot
    /// There is no collection or record of the name.
    case unknownRecord
  }

  /// The kind of failure.
  public let code: Code

  /// A sentence for a person: what is wrong, with the file or option, and what to do.
  public let message: String

  /// The line of the fault in the source, with a caret under the column; `nil` when there is none.
  public let excerpt: String?

  package init(_ code: Code, _ message: String, excerpt: String? = nil) {
    self.code = code
    self.message = message
    self.excerpt = excerpt
  }
}

extension ServerError: CustomStringConvertible {
  public var description: String { excerpt.map { message + "\n" + $0 } ?? message }
}

extension ServerError {
  /// Creates the error of a source that cannot be opened.
  init(_ error: StorageError) {
    if let fault = error.cause as? SourceFault {
      self.init(.sourceInvalid, fault.description, excerpt: fault.excerpt)
      return
    }
    switch error.code {
    case .locked: self.init(.sourceLocked, error.message)
    case .invalidFile, .invalidDatabase: self.init(.sourceInvalid, error.message)
    case .invalidAddress: self.init(.invalidConfiguration, error.message)
    case .noSpace, .unavailable, .durabilityUnknown, .staleMount, .closed, .conflict, .forbidden, .refused:
      self.init(.sourceUnreadable, error.message)
    }
  }
}

/// An event that a server reports, for a terminal, a log or a test.
public enum ServerEvent: Sendable {
  /// A request was responded to, or a fault held the response back.
  case responded(Exchange)
  /// The file was edited, and what is served changed with it.
  case reloaded(resources: [String])
  /// The file cannot be read as it is now; the last good version is served.
  case invalid(message: String)
  /// After it became invalid or was deleted, a file is as it was before or was written again.
  case restored(path: String)
  /// A file was deleted; the next write recreates it.
  case deleted(path: String)
  /// Something a person should know, and what to do about it.
  case warning(String)
  /// Something takes more than half a second, or has taken it: what, and how long.
  case working(String)
  /// A request was probably meant differently; reported once for each kind.
  case hint(String)
}

extension ServerEvent {
  /// How long work may take before it is reported as ``working(_:)``.
  static let slowDuration = Duration.milliseconds(500)
}
