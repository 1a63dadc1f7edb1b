/// What a server reports to its owner: for a terminal, a log or a test.
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
