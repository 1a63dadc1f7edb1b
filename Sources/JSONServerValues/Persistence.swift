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

  /// Whether the server looks for edits of the file.
  public enum Watching: Sendable, Hashable {
    /// The server finds an edit with the next write.
    case off
    /// The server looks at the file four times a second, and ten times while something happens.
    case on

    @available(*, deprecated, renamed: "on")
    public static var notifications: Self { .on }

    @available(*, deprecated, renamed: "on")
    public static var polling: Self { .on }
  }
}
