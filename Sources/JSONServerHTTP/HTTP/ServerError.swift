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
