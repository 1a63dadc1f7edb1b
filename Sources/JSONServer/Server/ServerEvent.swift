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
