/// How a server keeps its data in a file; `Server.Configuration` has each choice under its own name.
public enum Persistence {
  /// What a write survives when its response is sent.
  public enum Durability: Sendable, Hashable {
    /// A power cut.
    case full
    /// The end of the process.
    case fast
    /// Nothing: the server reads the file, but neither writes nor locks it.
    case ephemeral
  }

  /// How the server finds out about edits of the file.
  public enum Watching: Sendable, Hashable {
    /// At the next write.
    case off
    /// By notifications of the file system, and regular checks.
    case notifications
    /// By looking at the file every 300 milliseconds, for network mounts.
    case polling
  }
}
