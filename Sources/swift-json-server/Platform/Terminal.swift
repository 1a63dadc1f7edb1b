#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The terminal that the command was started from.
enum Terminal {
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether a person's keys reach this process: in the background, asking for them would stop it.
  static var isInput: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Lets keys arrive one by one and unseen, until ``restore(_:)``; Control-C still interrupts.
  ///
  /// - Returns: The settings to restore.
  static func takeKeys() -> termios? {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    var keys = settings
    keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &keys)
    return settings
  }

  static func restore(_ settings: termios) {
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Returns the keys that have been pressed; nothing at the end of the input.
  static func readKeys() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = max(read(STDIN_FILENO, buffer.baseAddress, 64), 0)
    }
  }
}
