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

  /// Clears the screen and what was scrolled away.
  static let clearing = "\u{1B}[2J\u{1B}[3J\u{1B}[H"
}
