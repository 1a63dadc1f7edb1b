#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The terminal that the command was started from.
enum Terminal {
  /// Whether standard output is one.
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether standard error is one.
  static var isError: Bool { isatty(STDERR_FILENO) == 1 }

  /// Goes back to the start of the line and clears it.
  static let lineClearing = "\r\u{1B}[K"

  /// Clears the screen and what was scrolled away.
  static let clearing = "\u{1B}[2J\u{1B}[3J\u{1B}[H"
}
