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

  /// Takes note of the settings as they are; `nil` when there is no terminal.
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
