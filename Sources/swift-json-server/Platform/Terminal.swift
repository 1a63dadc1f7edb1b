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

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How the terminal treats what is typed.
struct TerminalSettings: Sendable {
  private let settings: termios

  /// Records the settings as they are; `nil` when there is no terminal.
  init?() {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    self.settings = settings
  }

  /// Lets keys arrive one by one and unseen; Control-C still interrupts.
  func takeKeys() {
    var keys = settings
    keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &keys)
  }

  /// Gives the terminal back as it was.
  func restore() {
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }
}
