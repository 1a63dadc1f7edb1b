/// What a server tells whoever started it: for a terminal, a log or a test.
public enum ServerEvent: Sendable {
  /// A request was answered, or a fault kept the answer back.
  case answered(Exchange)
  /// The file was edited, and what is served changed with it.
  case reloaded(resources: [String])
  /// The file cannot be read as it is now; the last good version is served.
  case invalid(message: String)
  /// After it became invalid or vanished, a file is as it was before or was written again.
  case restored(path: String)
  /// A file was deleted; the next write recreates it.
  case deleted(path: String)
  /// Something a person should know, and what to do about it.
  case warning(String)
  /// A request was probably meant differently; told once for each kind.
  case hint(String)
}
