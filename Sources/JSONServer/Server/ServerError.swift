import JSONStorage

/// The reason why a server does not start, or does not do what Swift code requests.
public struct ServerError: Error, Sendable {
  /// The kind of error, for a switch.
  public enum Code: Sendable, Hashable {
    /// The file or directory does not exist.
    case sourceMissing
    /// The source cannot be read.
    case sourceUnreadable
    /// The source is not JSON, or has a form that cannot be served.
    case sourceInvalid
    /// Another server has locked the file.
    case sourceLocked
    /// The rewrite rules or another option are invalid.
    case invalidConfiguration
    /// The port is in use.
    case portInUse
    /// The server cannot listen on the address.
    case cannotListen
    /// A change was refused or could not be saved; nothing was changed.
    case notSaved
    /// No snapshot has this name.
    case unknownSnapshot
    /// No collection or record has this name.
    case unknownRecord
  }

  /// The kind of failure.
  public let code: Code

  /// A sentence for people: what is wrong, with the file or option, and what to do.
  public let message: String

  /// The line of the error in the source, with a caret below the column; `nil` for none.
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
  /// Creates the error for a source whose text cannot be served.
  init(_ fault: SourceFault) { self.init(.sourceInvalid, fault.description, excerpt: fault.excerpt) }

  /// Creates the error for a source that cannot be opened.
  init(_ error: StorageError) {
    if let fault = error.cause as? SourceFault {
      self.init(fault)
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

/// An event of a server, for a terminal, a log or a test.
public enum ServerEvent: Sendable {
  /// The server has responded to a request, or a fault has prevented the response.
  case responded(Exchange)
  /// The file was edited, and the served data has changed.
  case reloaded(resources: [String])
  /// The file is invalid; the server serves the last valid version.
  case invalid(message: String)
  /// A file that was invalid or deleted has its last content again, or was written again.
  case restored(path: String)
  /// A file was deleted; the next write creates it again.
  case deleted(path: String)
  /// A problem for the user, and what to do about it.
  case warning(String)
  /// Work that takes more than half a second, or has taken it; has the name and the time.
  case working(String)
  /// A request was probably meant in another way; reported once for each kind.
  case hint(String)
}

extension ServerEvent {
  /// The duration after which work is reported as ``working(_:)``.
  static let slowDuration = Duration.milliseconds(500)
}
