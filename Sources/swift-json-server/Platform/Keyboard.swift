#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The keys that a person presses in the terminal, one by one and unseen.
final class Keyboard {
  /// How the terminal was before.
  let settings: TerminalSettings
  private let reader: InputReader

  /// Takes the keys; `nil` when standard input is no terminal, or belongs to another program.
  ///
  /// - Parameter onKey: Called on a queue of its own for each key.
  init?(onKey: @escaping @Sendable (UInt8) -> Void) {
    // In the background, asking for keys would stop the process.
    guard isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp(), let settings = TerminalSettings(),
      let reader = InputReader(onInput: { keys in
        keys.forEach(onKey)
        keys = []
      })
    else { return nil }
    self.settings = settings
    self.reader = reader
    settings.takeKeys()
  }

  deinit {
    settings.restore()
  }
}
